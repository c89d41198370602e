/** Adds a handler to src/handlers/ for each new operation of the document. Never changes code that a person wrote. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Operation } from '../../src/contract';
import { root } from '../paths';
import { handlerName, type HandlerName, quoted, unquoted } from './handler-names';

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
    const name = index.nameFor(operation.operationId);
    if (was !== undefined && index.has(was)) {
      gone.delete(was);
      lines.push(renaming(was, operation.operationId, index, name));
      continue;
    }
    const stub = `${FOLDER}/${name.file}.ts`;
    const there = existsSync(path.join(root, stub));
    if (!there) writeFileSync(path.join(root, stub), stubText(operation, name));
    lines.push(
      there
        ? `${stub} exists and is not changed`
        : `${stub} is new: a stub, which answers from the document until you write it`,
    );
    if (index.add(operation.operationId, name)) continue;
    const [line, entry] = index.lines(operation.operationId, name);
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
function renaming(was: string, is: string, index: HandlerList, { identifier, file }: HandlerName): string {
  const source = index.sourceOf(was);
  const moved = source === undefined ? '' : `rename ${source} to ${file}.ts, and `;
  return `the operation ${was} is ${is} now: ${moved}${index.identifierOf(was)} to ${identifier} in it and in ${INDEX}`;
}

/** The text of the file of a handler that nobody has written yet. */
export function stubText(
  { operationId, method, paths: [at = ''] }: Operation,
  { identifier }: HandlerName,
): string {
  // The service of the project that the package is built from has the core in its own repository.
  const core = existsSync(path.join(root, 'src/contract')) ? '../contract' : 'contract-first-server';
  const made = `() => stub(${quoted(operationId)})`;
  const head = `export const ${identifier}: CreateHandler<${quoted(operationId)}> =`;
  const breaks = `${head} ${made};`.length > 110;
  return `import { stub } from '${core}';
import type { CreateHandler } from './types';

/** ${method} ${at.replaceAll('*/', '* /')} */
${head}${breaks ? '\n  ' : ' '}${made};
`;
}

/** The last line of an import, and what it imports. */
const IMPORT = /^(?:import(?: type)? \{ (.*?) |\}) ?.*from '([^']+)';.*$/gm;
/** The list as `make generate` writes it: an arrow function that returns an object with one entry a line. */
const LIST = /^(export const createHandlers = [^]*?=> \(\{)\n?((?:(?: {2}.*)?\n)*)(\}\))/m;
/** The parameters of the list, which each new handler is created with. */
const PARAMETERS = /^export const createHandlers = \(([\w$]+(?:: [\w$.]+)?(?:, [\w$]+(?:: [\w$.]+)?)*)\)/m;
/** The operationId of an entry, and the name of its handler. */
const ENTRY = /^ {2}(?:([\w$]+)|\[?'((?:[^'\\]|\\.)*)'\]?)\s*(?:,|:\s*([\p{ID_Continue}$\u200c\u200d]*))/gmu;

/** The text of src/handlers/index.ts. Lines that a person wrote stay unchanged. */
export class HandlerList {
  changed = false;
  constructor(public text: string) {}

  /** The arguments of a new entry. */
  private get parameters(): string {
    const [, parameters = ''] = PARAMETERS.exec(this.text) ?? [];
    return parameters.replace(/: [\w$.]+/g, '');
  }

  /** The operationIds with an entry, each with the name of its handler; empty if the list has another form. */
  private named(): Map<string, string> {
    const entries = [...(this.entries() ?? '').matchAll(ENTRY)];
    return new Map(
      entries.map(([, name, text = '', handler]) => {
        const operationId = name ?? unquoted(text);
        return [operationId, handler ?? operationId];
      }),
    );
  }

  /** The operationIds with an entry; empty if the list has another form. */
  names(): string[] {
    return [...this.named().keys()];
  }

  /** Whether an operation has an entry. In a list of another form: whether the file contains its name. */
  has(operationId: string): boolean {
    if (this.entries() !== undefined) return this.named().has(operationId);
    return (
      wordsOf(this.text).includes(handlerName(operationId).identifier) ||
      this.text.includes(quoted(operationId))
    );
  }

  /** The name of the handler of an operation. */
  identifierOf(operationId: string): string {
    return this.named().get(operationId) ?? handlerName(operationId).identifier;
  }

  /** The names of a new handler: nothing else in this file has them. */
  nameFor(operationId: string): HandlerName {
    const used = new Set(wordsOf(this.text.replace(LIST, '').replace(/from '[^']*'/g, '')));
    const files = new Set([...this.text.matchAll(IMPORT)].map(([, , file = '']) => file.toLowerCase()));
    return handlerName(
      operationId,
      (name) => !this.imports(name) && (used.has(name.identifier) || files.has(`./${name.file}`)),
    );
  }

  /** Whether a handler is imported from its file, without an entry. */
  private imports({ identifier, file }: HandlerName): boolean {
    const isEntry = [...this.named().values()].includes(identifier);
    return !isEntry && this.text.includes(`import { ${identifier} } from './${file}';`);
  }

  /** The two lines of an operation: its import and its entry. */
  lines(operationId: string, { identifier, file }: HandlerName): [string, string] {
    // `__proto__: value` in an object literal sets its prototype.
    const key = /^(?!__proto__$)[A-Za-z_$][\w$]*$/.test(operationId) ? operationId : quoted(operationId);
    return [
      `import { ${identifier} } from './${file}';`,
      `${operationId === '__proto__' ? `[${key}]` : key}: ${identifier}(${this.parameters}),`,
    ];
  }

  /** Adds the lines of an operation. Returns false and changes nothing if the list has another form. */
  add(operationId: string, name: HandlerName): boolean {
    const entries = this.entries();
    const lastImport = [...this.text.matchAll(IMPORT)].at(-1);
    if (entries === undefined || !lastImport || this.imports(name)) return false;
    // A spread object can contain the handler already, and a stub after it would replace that handler.
    if (/^ {2}(\.\.\.|\[(?!'))/m.test(entries)) return false;
    const last = entries.trimEnd().split('\n').at(-1) ?? '';
    const code = last.replace(/\/\*.*?\*\//g, '').replace(/\/\/.*/, '');
    if (entries !== '' && !code.trimEnd().endsWith(',')) return false;
    const [line, entry] = this.lines(operationId, name);
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
    const name = this.identifierOf(operationId);
    const line = [...this.text.matchAll(IMPORT)].find(([, imported = '']) =>
      wordsOf(imported).includes(name),
    );
    return line && `${path.posix.join(FOLDER, line[2] ?? '')}.ts`;
  }

  /** The text of the entries; undefined if the list has another form. */
  private entries(): string | undefined {
    return LIST.exec(this.text)?.[2];
  }
}

const wordsOf = (text: string): string[] => text.split(/[^\p{ID_Continue}$\u200c\u200d]+/u);
