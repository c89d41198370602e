import ts from 'typescript';
import { either, responseDifference } from './response';

/**
 * Puts a sentence before each error of the compiler that is about handlers or security schemes: it names the operation and
 * the property, what the document has, and the file to change. Other errors stay as they are.
 */
export function explain(program: ts.Program, found: readonly ts.Diagnostic[]): ts.Diagnostic[] {
  const checker = program.getTypeChecker();
  return found.map((diagnostic) => {
    const { category, code, messageText, file, start } = diagnostic;
    const sentence = file && start !== undefined ? sentenceFor(checker, file, start) : undefined;
    if (sentence === undefined) return diagnostic;
    const original = typeof messageText === 'string' ? { messageText, category, code } : messageText;
    if (typeof sentence === 'string')
      return { ...diagnostic, messageText: { messageText: sentence, category, code, next: [original] } };
    return {
      ...diagnostic,
      messageText: { ...original, messageText: `${sentence.of}: ${original.messageText}` },
    };
  });
}

/** A sentence, or the operation to name before the message of the compiler. */
type Explanation = string | { readonly of: string } | undefined;

function sentenceFor(checker: ts.TypeChecker, file: ts.SourceFile, position: number): Explanation {
  const [outermost, ...inner] = pathTo(file, position);
  const path = outermost ? [outermost, ...inner] : [];
  for (const node of path.toReversed()) {
    if (ts.isSatisfiesExpression(node)) return aboutSchemes(checker, node);
    if (ts.isObjectLiteralExpression(node)) {
      const sentence = aboutTable(checker, node);
      if (sentence !== undefined) return sentence;
    }
    const id = isFunction(node) ? operationOf(checker, node) : undefined;
    if (id === undefined) continue;
    // An error within the body is about an expression there, one at the beginning is about the result.
    if (isFunction(node) && position >= node.body.getStart() && ts.isBlock(node.body)) return { of: id };
    return (isFunction(node) ? aboutResult(checker, node, id) : undefined) ?? { of: id };
  }
  const handler = outermost && firstHandler(checker, outermost);
  return handler && (aboutResult(checker, ...handler) ?? { of: handler[1] });
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

type Callback = ts.ArrowFunction | ts.FunctionExpression;
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
  const difference = responseDifference(checker, [returned, documented], handler);
  return difference === undefined ? undefined : `${id} ${difference}`;
}

const named = (symbols: readonly ts.Symbol[]): string[] => symbols.map(({ name }) => name);

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
function aboutTable(checker: ts.TypeChecker, literal: ts.ObjectLiteralExpression): string | undefined {
  const expected = checker.getContextualType(literal);
  if (expected?.aliasSymbol?.name !== 'Handlers') return undefined;
  const { missing, unknown } = keysOf(checker, literal, expected);
  if (missing.length > 0)
    return `${missing.join(', ')}: no handler for this operation of the document. \`make generate\` writes a stub for it and lists it here`;
  if (unknown.length > 0)
    return `${unknown.join(', ')}: the document has no operation with this operationId. Delete its line and its file, or rename them`;
  return undefined;
}

const TABLES = ['VerifiersFor', 'StrategiesFor'];

/** About the verifiers of security schemes. */
function aboutSchemes(checker: ts.TypeChecker, node: ts.SatisfiesExpression): string | undefined {
  const expected = checker.getTypeFromTypeNode(node.type);
  if (!TABLES.includes(expected.aliasSymbol?.name ?? '')) return undefined;
  const { missing, unknown } = keysOf(checker, node.expression, expected);
  if (missing.length > 0)
    return `${either(missing)}: no verifier for this security scheme of the document. Add bearerTokens, apiKeys, basicUsers or a strategy for it here, in src/auth.ts`;
  if (unknown.length > 0)
    return `${either(unknown)}: no operation of the document demands this security scheme. Delete its verifier here, in src/auth.ts`;
  return undefined;
}
