import ts from 'typescript';
import { aboutRequest, aboutSchema, type Callback, named } from './request';
import { either, responseDifference } from './response';

/** What the tools say about handlers, by operationId: of one that was renamed, and of one without an operation; and about tables. */
export interface Advice {
  readonly renamed: ReadonlyMap<string, string>;
  readonly gone: (operationId: string) => string;
  /** Lines about the columns that tables lack. */
  readonly columns: () => readonly string[];
}

const NO_ADVICE: Advice = {
  renamed: new Map(),
  gone: (id) => `${id} is not an operation of the document: delete its lines and its file, or rename them`,
  columns: () => [],
};

/**
 * Puts a sentence in the place of each error of the compiler that is about handlers, security schemes or tables: it names the operation
 * and the property, what the document has, and the file to change. One line of the compiler follows. Errors that another
 * one has caused are left out: all others of a file that cannot be parsed, and missing types after an import that leads nowhere.
 * Other errors stay as they are.
 */
export function explain(
  program: ts.Program,
  found: readonly ts.Diagnostic[],
  advice: Advice = NO_ADVICE,
): ts.Diagnostic[] {
  const checker = program.getTypeChecker();
  const said = new Set<string>();
  return withoutConsequences(program, found).flatMap((diagnostic) => {
    const { category, code, messageText, file, start } = diagnostic;
    if (!file || start === undefined || isSyntax(program, diagnostic)) return [diagnostic];
    const sentence = sentenceFor({ checker, advice }, file, start, code);
    if (sentence === undefined) return [diagnostic];
    const original = typeof messageText === 'string' ? { messageText, category, code } : messageText;
    if (typeof sentence !== 'string')
      return [
        {
          ...diagnostic,
          messageText: { ...original, messageText: `${sentence.of}: ${original.messageText}` },
        },
      ];
    // The compiler reports an answer that lacks for the type and for the path without it.
    const key = `${file.fileName} ${sentence}`;
    if (said.has(key)) return [];
    said.add(key);
    return [
      { ...diagnostic, messageText: { messageText: sentence, category, code, next: [innermost(original)] } },
    ];
  });
}

/** The last line of a message, which is about the smallest part. */
function innermost(message: ts.DiagnosticMessageChain): ts.DiagnosticMessageChain {
  const [next] = message.next ?? [];
  return next ? innermost(next) : message;
}

const isSyntax = (program: ts.Program, { file, start }: ts.Diagnostic): boolean =>
  program.getSyntacticDiagnostics(file).some((one) => one.file === file && one.start === start);

/** An import, or the name of an operation, that leads nowhere: what it types has no type then. */
const LOST = new Set([2305, 2307, 2344, 2724]);
/** A value without a type. */
const UNTYPED = new Set([7006, 7031]);
/** The most syntax errors of a file: the first ones cause the others. */
const MOST = 3;

function withoutConsequences(program: ts.Program, found: readonly ts.Diagnostic[]): ts.Diagnostic[] {
  return found.filter(({ file, start, code }) => {
    if (!file) return true;
    const syntax = program.getSyntacticDiagnostics(file);
    if (syntax.length > 0) {
      const rank = syntax.findIndex((one) => one.start === start && one.code === code);
      return rank >= 0 && rank < MOST;
    }
    return !UNTYPED.has(code) || !found.some((other) => other.file === file && LOST.has(other.code));
  });
}

/** A sentence, or the operation to name before the message of the compiler. */
type Explanation = string | { readonly of: string } | undefined;

/** What an explanation is made of. */
interface Context {
  readonly checker: ts.TypeChecker;
  readonly advice: Advice;
}

/** The codes of values that do not fit where they stand, and of paths without a value. */
const UNFIT = new Set([2322, 2326, 2353, 2559, 2561, 2739, 2740, 2741, 2820, 7030]);
/** The codes of names that a type does not have. */
const UNKNOWN = new Set([2339, 2551]);
/** A type argument that does not fit. */
const ARGUMENT = 2344;

function sentenceFor(context: Context, file: ts.SourceFile, position: number, code: number): Explanation {
  const { checker } = context;
  const path = pathTo(file, position);
  const [outermost] = path;
  const here = path.at(-1);
  if (code === ARGUMENT) return path.flatMap((node) => aboutOperationId(context, node) ?? [])[0];
  if (UNKNOWN.has(code) && here) {
    const sentence = aboutSchema(checker, path, here);
    if (sentence !== undefined) return sentence;
  }
  for (const [i, node] of [...path.entries()].reverse()) {
    if (ts.isSatisfiesExpression(node)) return aboutSchemes(checker, node) ?? aboutStored(context, node);
    if (ts.isObjectLiteralExpression(node)) {
      const sentence = aboutTable(context, node);
      if (sentence !== undefined) return sentence;
    }
    const id = isFunction(node) ? operationOf(checker, node) : undefined;
    if (id === undefined || !isFunction(node)) continue;
    if (UNKNOWN.has(code) && here) return aboutRequest(checker, node, here, id) ?? { of: id };
    // An error within the body is about an expression there, one at the beginning is about the result.
    const within = position >= node.body.getStart();
    const isPart = within && (ts.isBlock(node.body) || path.slice(i).some(ts.isCallExpression));
    const isParameter = !within && node.parameters.some((one) => one.pos <= position && position < one.end);
    const isResult = UNFIT.has(code) && !isPart && !isParameter;
    return (isResult ? aboutResult(checker, node, id) : undefined) ?? { of: id };
  }
  const handler = outermost && firstHandler(checker, outermost);
  if (!handler) return UNFIT.has(code) ? aboutFactory(path) : undefined;
  const isName = here !== undefined && ts.isVariableDeclaration(here.parent) && here.parent.name === here;
  return (isName && UNFIT.has(code) ? aboutResult(checker, ...handler) : undefined) ?? { of: handler[1] };
}

/** About a handler that is not created from the dependencies. */
function aboutFactory(path: readonly ts.Node[]): string | undefined {
  const { name, type, initializer } = path.find(ts.isVariableDeclaration) ?? {};
  const isOne = type && ts.isTypeReferenceNode(type) && type.typeName.getText() === 'CreateHandler';
  if (!isOne || !initializer || !isFunction(initializer)) return undefined;
  const isAsync = initializer.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword);
  return isAsync === true || path.at(-1) === name
    ? `${name?.getText() ?? ''} must be a function that takes the dependencies and returns the handler: write (dependencies) => before it`
    : undefined;
}

/** About the name of an operation as the type of a handler. */
function aboutOperationId({ checker, advice }: Context, node: ts.Node): string | undefined {
  if (!ts.isTypeReferenceNode(node) || node.typeName.getText() !== 'CreateHandler') return undefined;
  const [argument] = node.typeArguments ?? [];
  const type = argument && checker.getTypeFromTypeNode(argument);
  if (type?.isStringLiteral() !== true) return undefined;
  return advice.renamed.get(type.value) ?? advice.gone(type.value);
}

/** The nodes that contain a position, the statement of the file first. */
function pathTo(file: ts.SourceFile, position: number): ts.Node[] {
  const path: ts.Node[] = [];
  let node: ts.Node | undefined = file;
  while (node) {
    const next: ts.Node | undefined = ts.forEachChild(node, (child) =>
      child.getStart(file) <= position && position < child.end ? child : undefined,
    );
    if (next) path.push(next);
    node = next;
  }
  return path;
}

const isFunction = (node: ts.Node): node is Callback =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** The operationId, if a function is expected to be a `Handler` of the core. */
function operationOf(checker: ts.TypeChecker, node: Callback): string | undefined {
  const expected = checker.getContextualType(node);
  const [id] = expected?.aliasSymbol?.name === 'Handler' ? (expected.aliasTypeArguments ?? []) : [];
  return id?.isStringLiteral() === true ? id.value : undefined;
}

function firstHandler(checker: ts.TypeChecker, within: ts.Node): [Callback, string] | undefined {
  const id = isFunction(within) ? operationOf(checker, within) : undefined;
  if (isFunction(within) && id !== undefined) return [within, id];
  return ts.forEachChild(within, (child) => firstHandler(checker, child));
}

function aboutResult(checker: ts.TypeChecker, handler: Callback, id: string): string | undefined {
  const [returned, documented] = [checker.getTypeAtLocation(handler), checker.getContextualType(handler)].map(
    (type) => {
      const result = type?.getCallSignatures()[0]?.getReturnType();
      return result && checker.getAwaitedType(result);
    },
  );
  if (!returned || !documented) return undefined;
  const plain = checker.getTypeAtLocation(handler).getCallSignatures()[0]?.getReturnType();
  if (plain === returned)
    return `${id} must return a promise: write async before ${handler.parameters.length > 0 ? 'its parameters' : '()'}`;
  const difference = responseDifference(checker, [returned, documented], handler);
  return difference === undefined ? undefined : `${id} ${difference}`;
}

/** The keys of an object literal that lack, and those that are unknown to the expected type. */
function keysOf(checker: ts.TypeChecker, literal: ts.Expression, expected: ts.Type) {
  const given = named(checker.getTypeAtLocation(literal).getProperties());
  const known = named(expected.getProperties());
  return {
    missing: known.filter((name) => !given.includes(name)),
    unknown: given.filter((name) => !known.includes(name)),
  };
}

/** About the list of all handlers. */
function aboutTable({ checker, advice }: Context, literal: ts.ObjectLiteralExpression): string | undefined {
  const expected = checker.getContextualType(literal);
  if (expected?.aliasSymbol?.name !== 'Handlers') return undefined;
  const { missing, unknown } = keysOf(checker, literal, expected);
  const renamed = missing.flatMap((id) => advice.renamed.get(id) ?? []);
  const lacking = missing.filter((id) => !advice.renamed.has(id));
  const sentences = [
    ...renamed,
    ...(lacking.length > 0
      ? [
          `no handler for ${lacking.join(', ')}: \`npx contract-first generate\` writes a stub for each and adds it here`,
        ]
      : []),
    ...(missing.length === 0 ? unknown.map(advice.gone) : []),
  ];
  return sentences.length === 0 ? undefined : sentences.join('\n');
}

const TABLES = ['VerifiersFor', 'StrategiesFor'];

/** About the verifiers of security schemes. */
function aboutSchemes(checker: ts.TypeChecker, node: ts.SatisfiesExpression): string | undefined {
  const expected = checker.getTypeFromTypeNode(node.type);
  if (!TABLES.includes(expected.aliasSymbol?.name ?? '')) return undefined;
  const { missing, unknown } = keysOf(checker, node.expression, expected);
  if (missing.length > 0)
    return `no verifier for the security scheme ${either(missing)}: add bearerTokens, apiKeys, basicUsers or a strategy here, in src/auth.ts`;
  if (unknown.length > 0)
    return `no operation requires the security scheme ${either(unknown)}: delete its verifier here, in src/auth.ts`;
  return undefined;
}

/** About the tables of bodies. */
function aboutStored({ checker, advice }: Context, node: ts.SatisfiesExpression): string | undefined {
  if (checker.getTypeFromTypeNode(node.type).aliasSymbol?.name !== 'StoredBodies') return undefined;
  const { unknown } = keysOf(checker, node.expression, checker.getTypeFromTypeNode(node.type));
  const lines = [
    ...unknown.map((id) => `${id} is not an operation of the document: rename its line, or delete it`),
    ...advice.columns(),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}
