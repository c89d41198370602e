/** Makes the names that an operation has in code: of a variable, and of a file. The operationId itself never changes. */

export interface HandlerName {
  /** Of the exported handler. */
  readonly identifier: string;
  /** Of its file, without `.ts`. */
  readonly file: string;
}

/** Characters of a name: file systems have at most 255 bytes, and a character has up to four. Paths on Windows have 260 characters. */
export const LONGEST = 60;

/** Names that no file or folder has on Windows, with any extension: devices. */
export const DEVICES: readonly string[] = [
  ...['con', 'prn', 'aux', 'nul', 'conin', 'conout'],
  ...Array.from({ length: 10 }, (_, n) => [`com${n}`, `lpt${n}`]).flat(),
];

/** Also the other files of the folder. */
const NO_FILES = new Set([...DEVICES, 'index', 'types']);

/** Words that cannot name a variable of a module (ECMA-262, 12.7.2 and 13.1.1). */
const KEYWORDS = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if ' +
    'implements import in instanceof interface let new null package private protected public return static super switch this ' +
    'throw true try typeof var void while with yield'
  ).split(' '),
);

/** Names that a module cannot export or that its compiled form uses (TypeScript: CommonJS), and those that generated files import. */
const TAKEN =
  'async exports module require __dirname __filename __esModule __proto__ then ' +
  'stub dependencies createHandlers CreateHandler Handlers store tokens passwords errorBody randomUUID Problem OwnKind';
const RESERVED = new Set([...TAKEN.split(' '), ...Object.getOwnPropertyNames(globalThis)]);

/**
 * The names of the handler of an operation: those closest to its operationId that are not taken.
 *
 * @param isTaken whether a name, or one that differs in case only, belongs to something else
 */
export function handlerName(
  operationId: string,
  isTaken: (name: HandlerName) => boolean = () => false,
): HandlerName {
  const [identifier, file] = [identifierOf(operationId), fileOf(operationId)];
  for (let n = 1; ; n++) {
    const name = n === 1 ? { identifier, file } : { identifier: `${identifier}${n}`, file: `${file}-${n}` };
    if (!isTaken(name)) return name;
  }
}

/** Splits an operationId into words. */
const words = (operationId: string): string[] =>
  operationId
    .slice(0, 4 * LONGEST)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** `createBook` -> `create-book`. */
function fileOf(operationId: string): string {
  const plain = operationId.normalize('NFKD').replace(/\p{M}/gu, '');
  const name = shortened(words(plain).join('-').toLowerCase()) || 'operation';
  return NO_FILES.has(name) ? `${name}-operation` : name;
}

/** The operationId, or the closest identifier. */
function identifierOf(operationId: string): string {
  if (isFree(operationId) && operationId.length <= LONGEST) return operationId;
  const [first = 'operation', ...others] = words(operationId);
  const name = shortened(
    [first, ...others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join(''),
  );
  return isFree(name) ? name : `_${name}`;
}

/** Cut between characters, not inside of one. */
const SHORT = new RegExp(`^.{0,${LONGEST}}`, 'u');
const shortened = (text: string): string => (SHORT.exec(text)?.[0] ?? '').replace(/-$/, '');

const isFree = (name: string): boolean => isIdentifier(name) && !RESERVED.has(name);

/** Whether a text can name a variable: `delete`, `package` and `arguments` cannot. */
export const isIdentifier = (text: string): boolean =>
  /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(text) && !KEYWORDS.has(text);

/** A text as a string of TypeScript on one line. */
export const quoted = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replace(
      /[\u007f-\u009f\u2028\u2029\ufeff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}'`;
