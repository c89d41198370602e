/** Adds a handler to src/handlers/ for each new operation of the document. Code that a person wrote stays as it is. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { Operation } from '../../src/contract';
import { root } from '../paths';

const FOLDER = 'src/handlers';
const INDEX = `${FOLDER}/index.ts`;

/**
 * Writes a stub for each operation that the list of handlers lacks, and adds it to the list. Names each handler whose
 * operation is gone.
 *
 * @returns a sentence for each change, and for each that is left to do by hand
 */
export function updateHandlers(operations: Iterable<Operation>): string[] {
  const file = path.join(root, INDEX);
  const index = new HandlerList(readFileSync(file, 'utf8'));
  const lines: string[] = [];
  const gone = new Set(index.names());
  for (const operation of operations) {
    gone.delete(operation.operationId);
    if (index.has(operation.operationId)) continue;
    const stub = `${FOLDER}/${kebab(operation.operationId)}.ts`;
    const there = existsSync(path.join(root, stub));
    if (!there) writeFileSync(path.join(root, stub), stubText(operation));
    lines.push(
      there ? `${stub} was there and stays as it is` : `${stub} is new: it answers 501 until you write it`,
    );
    if (index.add(operation.operationId)) continue;
    const [line, entry] = index.lines(operation.operationId);
    lines.push(`add to ${INDEX}: ${line}`, `and to the object that its createHandlers returns: ${entry}`);
  }
  if (index.changed) writeFileSync(file, index.text);
  for (const name of gone) {
    const source = index.sourceOf(name);
    const stale = source !== undefined && existsSync(path.join(root, source)) ? `${source} and ` : '';
    lines.push(`${name} is no operation any more: delete ${stale}its lines in ${INDEX}`);
  }
  return lines;
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

/** The name under which a handler is exported: the operationId, or the closest identifier. */
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
import type { Handlers } from './types';

/** ${method} ${at.replaceAll('*/', '* /')} */
${head}${breaks ? '\n  ' : ' '}${made};
`;
}

/** The line that ends an import. */
const IMPORT = /^(?:import|\}) .*from '([^']+)';.*$/gm;
/** The list as `make generate` writes it: an arrow function that returns an object, each entry on a line of its own. */
const LIST = /^(export const createHandlers = [^]*?=> \(\{)\n?((?:(?: {2}.*)?\n)*)(\}\))/m;
const ENTRY = /^ {2}(?:([\w$]+)|'(.*?)')\s*[:,]/gm;

/** src/handlers/index.ts as text. What a person wrote there stays as it is. */
class HandlerList {
  changed = false;
  constructor(public text: string) {}

  /** The operations that have an entry; none if the list has another shape. */
  names(): string[] {
    const names = [...(this.entries() ?? '').matchAll(ENTRY)];
    return names.map(([, name, text = '']) => name ?? text.replace(/\\(.)/g, '$1'));
  }

  /** Whether an operation has an entry or, in a list of another shape, is mentioned. */
  has(operationId: string): boolean {
    if (this.entries() !== undefined) return this.names().includes(operationId);
    return wordsOf(this.text).includes(identifier(operationId)) || this.text.includes(quoted(operationId));
  }

  /** The lines of an operation: its import, and the entry of the list. */
  lines(operationId: string): [string, string] {
    const name = identifier(operationId);
    return [
      `import { ${name} } from './${kebab(operationId)}';`,
      `${/^[\w$]+$/.test(operationId) ? operationId : quoted(operationId)}: ${name}(),`,
    ];
  }

  /** Adds the lines of an operation; false, and nothing is changed, if the list has another shape. */
  add(operationId: string): boolean {
    const entries = this.entries();
    const lastImport = [...this.text.matchAll(IMPORT)].at(-1);
    if (entries === undefined || !lastImport || this.sourceOf(operationId) !== undefined) return false;
    // What is spread into the list may have the handler already: a stub behind it would take its place.
    if (/^ {2}(\.\.\.|\[)/m.test(entries)) return false;
    const last = entries.trimEnd().split('\n').at(-1) ?? '';
    const code = last.replace(/\/\*.*?\*\//g, '').replace(/\/\/.*/, '');
    if (entries !== '' && !code.trimEnd().endsWith(',')) return false;
    const [line, entry] = this.lines(operationId);
    const end = lastImport.index + lastImport[0].length;
    this.text = `${this.text.slice(0, end)}\n${line}${this.text.slice(end)}`.replace(
      LIST,
      (_, open: string, old: string, close: string) => `${open}\n${old}  ${entry}\n${close}`,
    );
    this.changed = true;
    return true;
  }

  /** The file that the handler of an operation is imported from; undefined if no line tells. */
  sourceOf(operationId: string): string | undefined {
    const name = identifier(operationId);
    const line = [...this.text.matchAll(IMPORT)].find(([text]) => wordsOf(text).includes(name));
    return line && `${path.posix.join(FOLDER, line[1] ?? '')}.ts`;
  }

  /** The text of the entries; undefined if the list has another shape. */
  private entries(): string | undefined {
    return LIST.exec(this.text)?.[2];
  }
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}_$]+/u);
