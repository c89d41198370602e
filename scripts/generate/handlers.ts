/** Adds a handler to src/handlers/ for each new operation of the document. Never changes code that a person wrote. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { Operation } from '../../src/contract';
import { root } from '../paths';

const FOLDER = 'src/handlers';
const INDEX = `${FOLDER}/index.ts`;

/**
 * Writes a stub for each operation without a handler, and adds it to the list of handlers. Reports each handler without
 * an operation.
 *
 * @param renamed the earlier operationId by the later one. A handler that exists is to be renamed, not written again.
 * @returns one sentence for each change, and one for each change that a person must make
 */
export function updateHandlers(
  operations: Iterable<Operation>,
  renamed: ReadonlyMap<string, string> = new Map(),
): string[] {
  const file = path.join(root, INDEX);
  const index = new HandlerList(readFileSync(file, 'utf8'));
  const lines: string[] = [];
  const gone = new Set(index.names());
  for (const operation of operations) {
    gone.delete(operation.operationId);
    if (index.has(operation.operationId)) continue;
    const was = renamed.get(operation.operationId);
    if (was !== undefined && index.has(was)) {
      gone.delete(was);
      lines.push(renaming(was, operation.operationId, index.sourceOf(was)));
      continue;
    }
    const stub = `${FOLDER}/${kebab(operation.operationId)}.ts`;
    const there = existsSync(path.join(root, stub));
    if (!there) writeFileSync(path.join(root, stub), stubText(operation));
    lines.push(
      there
        ? `${stub} exists and is not changed`
        : `${stub} is new: a stub, which answers from the document until you write it`,
    );
    if (index.add(operation.operationId)) continue;
    const [line, entry] = index.lines(operation.operationId);
    lines.push(`add to ${INDEX}: ${line}`, `and to the object that its createHandlers returns: ${entry}`);
  }
  if (index.changed) writeFileSync(file, index.text);
  for (const name of gone) {
    const source = index.sourceOf(name);
    const stale = source !== undefined && existsSync(path.join(root, source)) ? `${source} and ` : '';
    lines.push(`${name} is not an operation of the document: delete ${stale}its lines in ${INDEX}`);
  }
  return lines;
}

/** The steps to rename a handler. */
function renaming(was: string, is: string, source: string | undefined): string {
  const file = source === undefined ? '' : `rename ${source} to ${kebab(is)}.ts, and `;
  const [old, now] = [identifier(was), identifier(is)];
  return `the operation ${was} is ${is} now: ${file}${old} to ${now} in it and in ${INDEX}`;
}

/** Splits an operationId into words. */
const words = (operationId: string): string[] =>
  operationId
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** `createBook` -> `create-book`. */
export const kebab = (operationId: string): string =>
  words(operationId).join('-').toLowerCase() || 'operation';

/** The name of the exported handler: the operationId, or the closest identifier. */
export function identifier(operationId: string): string {
  if (isIdentifier(operationId)) return operationId;
  const [first = 'operation', ...others] = words(operationId);
  const name = [first, ...others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('');
  return isIdentifier(name) ? name : `_${name}`;
}

/** Whether a text can be the name of a variable: `delete` cannot. */
function isIdentifier(text: string): boolean {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  const token = scanner.scan();
  const named = token === ts.SyntaxKind.Identifier || token > ts.SyntaxKind.LastReservedWord;
  return named && scanner.getTokenEnd() === text.length;
}

const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;

function stubText({ operationId, method, paths: [at = ''] }: Operation): string {
  // The service of the project that the package is built from has the core in its own repository.
  const core = existsSync(path.join(root, 'src/contract')) ? '../contract' : 'contract-first-server';
  const made = `() => stub(${quoted(operationId)})`;
  const head = `export const ${identifier(operationId)}: CreateHandler<${quoted(operationId)}> =`;
  const breaks = `${head} ${made};`.length > 110;
  return `import { stub } from '${core}';
import type { CreateHandler } from './types';

/** ${method} ${at.replaceAll('*/', '* /')} */
${head}${breaks ? '\n  ' : ' '}${made};
`;
}

/** The last line of an import. */
const IMPORT = /^(?:import|\}) .*from '([^']+)';.*$/gm;
/** The list as `make generate` writes it: an arrow function that returns an object with one entry a line. */
const LIST = /^(export const createHandlers = [^]*?=> \(\{)\n?((?:(?: {2}.*)?\n)*)(\}\))/m;
/** The parameters of the list, which each new handler is created with. */
const PARAMETERS = /^export const createHandlers = \(([\w$]+(?:: [\w$.]+)?(?:, [\w$]+(?:: [\w$.]+)?)*)\)/m;
const ENTRY = /^ {2}(?:([\w$]+)|'(.*?)')\s*[:,]/gm;

/** The text of src/handlers/index.ts. Lines that a person wrote stay unchanged. */
class HandlerList {
  changed = false;
  constructor(public text: string) {}

  /** The arguments of a new entry. */
  private get parameters(): string {
    const [, parameters = ''] = PARAMETERS.exec(this.text) ?? [];
    return parameters.replace(/: [\w$.]+/g, '');
  }

  /** The operationIds with an entry; empty if the list has another form. */
  names(): string[] {
    const names = [...(this.entries() ?? '').matchAll(ENTRY)];
    return names.map(([, name, text = '']) => name ?? text.replace(/\\(.)/g, '$1'));
  }

  /** Whether an operation has an entry. In a list of another form: whether the file contains its name. */
  has(operationId: string): boolean {
    if (this.entries() !== undefined) return this.names().includes(operationId);
    return wordsOf(this.text).includes(identifier(operationId)) || this.text.includes(quoted(operationId));
  }

  /** The two lines of an operation: its import and its entry. */
  lines(operationId: string): [string, string] {
    const name = identifier(operationId);
    return [
      `import { ${name} } from './${kebab(operationId)}';`,
      `${/^[\w$]+$/.test(operationId) ? operationId : quoted(operationId)}: ${name}(${this.parameters}),`,
    ];
  }

  /** Adds the lines of an operation. Returns false and changes nothing if the list has another form. */
  add(operationId: string): boolean {
    const entries = this.entries();
    const lastImport = [...this.text.matchAll(IMPORT)].at(-1);
    if (entries === undefined || !lastImport || this.sourceOf(operationId) !== undefined) return false;
    // A spread object can contain the handler already, and a stub after it would replace that handler.
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

  /** The file that exports the handler of an operation; undefined if no import has its name. */
  sourceOf(operationId: string): string | undefined {
    const name = identifier(operationId);
    const line = [...this.text.matchAll(IMPORT)].find(([text]) => wordsOf(text).includes(name));
    return line && `${path.posix.join(FOLDER, line[1] ?? '')}.ts`;
  }

  /** The text of the entries; undefined if the list has another form. */
  private entries(): string | undefined {
    return LIST.exec(this.text)?.[2];
  }
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}_$]+/u);
