/** Keeps src/handlers/ in step with the operations of the document, without changing what a person wrote there. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { Operation } from '../../src/contract';
import { root } from '../paths';

const FOLDER = 'src/handlers';
const INDEX = `${FOLDER}/index.ts`;

/**
 * Writes a stub for each operation that the list of handlers lacks and adds it to the list; names each handler whose
 * operation is gone.
 *
 * @returns what was done, and what is left to do by hand: a sentence each
 */
export function updateHandlers(operations: Iterable<Operation>): string[] {
  const file = path.join(root, INDEX);
  const index = new HandlerList(readFileSync(file, 'utf8'));
  const said: string[] = [];
  const known = new Set(index.names());
  for (const operation of operations) {
    if (known.delete(operation.operationId)) continue;
    const stub = `${FOLDER}/${kebab(operation.operationId)}.ts`;
    const there = existsSync(path.join(root, stub));
    if (!there) writeFileSync(path.join(root, stub), stubText(operation));
    said.push(
      there ? `${stub} was there and stays as it is` : `${stub} is new: it answers 501 until you write it`,
    );
    if (index.add(operation.operationId)) continue;
    const [line, entry] = index.lines(operation.operationId);
    said.push(`add to ${INDEX}: ${line}`, `and to the object that its createHandlers returns: ${entry}`);
  }
  if (index.changed) writeFileSync(file, index.text);
  for (const name of known) {
    const source = index.sourceOf(name);
    const file = existsSync(path.join(root, source)) ? `${source} and ` : '';
    said.push(`${name} is no operation any more: delete ${file}its lines in ${INDEX}`);
  }
  return said;
}

/** The words that an operationId is made of. */
const words = (operationId: string): string[] =>
  operationId
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** `createPlant` -> `create-plant`. */
export const kebab = (operationId: string): string =>
  words(operationId).join('-').toLowerCase() || 'operation';

/** The name that a handler is exported under: the operationId, or what is closest to it among identifiers. */
export function identifier(operationId: string): string {
  if (isIdentifier(operationId)) return operationId;
  const [first = 'operation', ...others] = words(operationId);
  const name = [first, ...others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('');
  return isIdentifier(name) ? name : `_${name}`;
}

/** Whether a text can name a variable: `delete` cannot. */
function isIdentifier(text: string): boolean {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  const token = scanner.scan();
  const named = token === ts.SyntaxKind.Identifier || token > ts.SyntaxKind.LastReservedWord;
  return named && scanner.getTokenEnd() === text.length;
}

const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

function stubText({ operationId, method, paths: [at = ''] }: Operation): string {
  const type = `Handlers[${quoted(operationId)}]`;
  const made = `notImplemented(${quoted(operationId)})`;
  const head = `export const ${identifier(operationId)} = (): ${type} =>`;
  const breaks = `${head} ${made};`.length > 110;
  return `import { notImplemented } from '../contract';
import type { Handlers } from '.';

/** ${method} ${at.replaceAll('*/', '* /')} */
${head}${breaks ? '\n  ' : ' '}${made};
`;
}

/** src/handlers/index.ts: its imports, and the object that createHandlers returns. */
class HandlerList {
  changed = false;
  constructor(public text: string) {}

  names(): string[] {
    return (
      this.object()?.properties.flatMap(({ name }) =>
        name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? [name.text] : [],
      ) ?? []
    );
  }

  /** What has to be added for an operation: the import, and the entry of the list. */
  lines(operationId: string): [string, string] {
    const name = identifier(operationId);
    return [
      `import { ${name} } from './${kebab(operationId)}';`,
      `${/^[\w$]+$/.test(operationId) ? operationId : quoted(operationId)}: ${name}(),`,
    ];
  }

  /** Adds the lines of an operation; false, and nothing is changed, if there is no place for them. */
  add(operationId: string): boolean {
    const object = this.object();
    const lastImport = this.source().statements.filter(ts.isImportDeclaration).at(-1);
    if (!object || !lastImport || this.imported().includes(identifier(operationId))) return false;
    const { properties } = object;
    // What is spread into the list may have the handler already: a stub behind it would take its place.
    if (properties.some(({ name }) => !name || ts.isComputedPropertyName(name))) return false;
    const [line, entry] = this.lines(operationId);
    const last = properties.at(-1);
    const comma = last && !properties.hasTrailingComma ? ',' : '';
    const end = last ? properties.end : object.getStart(this.source()) + 1;
    const [afterImport, afterLast] = [this.afterComments(lastImport.getEnd()), this.afterComments(end)];
    const rest = this.text.slice(afterLast).replace(/^[ \t]*\}/, '\n}');
    const head = `${this.text.slice(0, afterImport)}\n${line}${this.text.slice(afterImport, end)}`;
    this.text = `${head}${comma}${this.text.slice(end, afterLast)}\n  ${entry}${rest}`;
    this.changed = true;
    return true;
  }

  /** The file that a handler of the list comes from, as far as its import tells. */
  sourceOf(name: string): string {
    for (const { importClause, moduleSpecifier } of this.source().statements.filter(ts.isImportDeclaration)) {
      const bindings = importClause?.namedBindings;
      const imported =
        bindings && ts.isNamedImports(bindings) ? bindings.elements.map((e) => e.name.text) : [];
      if (imported.includes(identifier(name)) && ts.isStringLiteral(moduleSpecifier))
        return `${path.posix.join(FOLDER, moduleSpecifier.text)}.ts`;
    }
    return `the handler ${name}`;
  }

  /** The end of the comments that stand on the same line behind a place: they belong to what is before it. */
  private afterComments(position: number): number {
    return ts.getTrailingCommentRanges(this.text, position)?.at(-1)?.end ?? position;
  }

  private imported(): string[] {
    return this.source()
      .statements.filter(ts.isImportDeclaration)
      .flatMap(({ importClause }) => {
        const bindings = importClause?.namedBindings;
        return bindings && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
      });
  }

  private source(): ts.SourceFile {
    return ts.createSourceFile(INDEX, this.text, ts.ScriptTarget.Latest, true);
  }

  /** The object literal that the arrow function or function `createHandlers` returns. */
  private object(): ts.ObjectLiteralExpression | undefined {
    let found: ts.ObjectLiteralExpression | undefined;
    const returned = (node: ts.Node | undefined): void => {
      if (!node) return;
      if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node)) returned(node.expression);
      else if (ts.isObjectLiteralExpression(node)) found = node;
      else if (ts.isBlock(node)) returned(node.statements.filter(ts.isReturnStatement).at(-1)?.expression);
    };
    for (const statement of this.source().statements) {
      if (ts.isFunctionDeclaration(statement) && statement.name?.text === 'createHandlers')
        returned(statement.body);
      if (!ts.isVariableStatement(statement)) continue;
      for (const { name, initializer } of statement.declarationList.declarations) {
        const named = ts.isIdentifier(name) && name.text === 'createHandlers';
        if (named && initializer && ts.isArrowFunction(initializer)) returned(initializer.body);
      }
    }
    return found;
  }
}
