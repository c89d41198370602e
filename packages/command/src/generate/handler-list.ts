/** Reads and extends src/handlers/index.ts, the list of handlers. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../paths';
import { handlerName, type HandlerName, quoted } from './handler-names';

export const FOLDER = 'src/handlers';
export const INDEX = `${FOLDER}/index.ts`;

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

  /** The list of the project; undefined if there is none. */
  static read(): HandlerList | undefined {
    const file = path.join(root, INDEX);
    return existsSync(file) ? new HandlerList(readFileSync(file, 'utf8')) : undefined;
  }

  /** What its imports of files end with: `.js` or `.ts` in a service of ES modules, where Node needs it; else nothing. */
  get ending(): string {
    return /from '\.[^']*?(\.[jt]s)?'/.exec(this.text)?.[1] ?? '';
  }

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
      (name) =>
        !this.imports(name) && (used.has(name.identifier) || files.has(`./${name.file}${this.ending}`)),
    );
  }

  /** Whether a handler is imported from its file, without an entry. */
  private imports(name: HandlerName): boolean {
    const isEntry = [...this.named().values()].includes(name.identifier);
    return !isEntry && this.text.includes(this.importOf(name));
  }

  private importOf({ identifier, file }: HandlerName): string {
    return `import { ${identifier} } from './${file}${this.ending}';`;
  }

  /** The two lines of an operation: its import and its entry. */
  lines(operationId: string, name: HandlerName): [string, string] {
    // `__proto__: value` in an object literal sets its prototype.
    const key = /^(?!__proto__$)[A-Za-z_$][\w$]*$/.test(operationId) ? operationId : quoted(operationId);
    return [
      this.importOf(name),
      `${operationId === '__proto__' ? `[${key}]` : key}: ${name.identifier}(${this.parameters}),`,
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

  /** The file that an import names for the handler of an operation; undefined if no import has its name. */
  fileOf(operationId: string): string | undefined {
    const name = this.identifierOf(operationId);
    const line = [...this.text.matchAll(IMPORT)].find(([, imported = '']) =>
      wordsOf(imported).includes(name),
    );
    return line && `${path.posix.join(FOLDER, line[2] ?? '').replace(/\.[jt]s$/, '')}.ts`;
  }

  /** The file that exports the handler of an operation; undefined if it is not there. */
  sourceOf(operationId: string): string | undefined {
    const file = this.fileOf(operationId);
    return file !== undefined && existsSync(path.join(root, file)) ? file : undefined;
  }

  /** The text of the entries; undefined if the list has another form. */
  private entries(): string | undefined {
    return LIST.exec(this.text)?.[2];
  }
}

const wordsOf = (text: string): string[] => text.split(/[^\p{ID_Continue}$\u200c\u200d]+/u);

/** A handler that does nothing but call `stub`, as `make generate` writes it. */
const STUB =
  /^import\{stub\}from'[^']*';importtype\{CreateHandler\}from'\.\/types(?:\.[jt]s)?';exportconst[^:]*:CreateHandler<'(?:[^'\\]|\\.)*'>=\(\)=>stub\('(?:[^'\\]|\\.)*'\);$/u;

/** Whether nobody has changed a stub since `make generate` wrote it, except its format. */
export function isStubFile(file: string): boolean {
  const text = readFileSync(path.join(root, file), 'utf8');
  return STUB.test(text.replace(/\/\*\* [A-Z]+ \/[^\n]*\*\/\n/, '').replace(/\s+/g, ''));
}

/** The text of what stands between quotes in code. */
export function unquoted(code: string): string {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, `'${code}'`);
  scanner.scan();
  return scanner.getTokenValue();
}
