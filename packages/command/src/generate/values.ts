import ts from 'typescript';
import { isInt64, isObject, lastStep, type OpenApiDocument } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { quoted } from './handler-names';

/** The first line of src/values.ts, by which it is known. */
const HEADER =
  '/** The values of the enums of openapi/, with a guard for each. Do not edit: `contract-first generate` writes it. */';

type Value = string | number | bigint | boolean | null;

/** The text of src/values.ts; empty if the document has no enum. */
export function valuesFile(document: OpenApiDocument): string {
  const text = valuesText(document);
  return text === '' ? '' : `${HEADER}\n\n${text}`;
}

/** Whether a text is that of another file, which must not be overwritten. */
export const isForeign = (text: string): boolean => text !== '' && !text.startsWith(HEADER);

/**
 * A list and a guard for each enum of a document: its types do not exist at run time. Enums with lists or objects are left
 * out, because `===` does not compare these.
 *
 * @param taken whether the file uses a name for something else
 */
export function valuesText(
  document: OpenApiDocument,
  taken: (name: string) => boolean = () => false,
): string {
  const named = new Map<string, string>();
  const exported = new Set<string>();
  for (const { pointer, value } of document.references.objects('Schema')) {
    const values = valuesOf(value);
    if (!values) continue;
    const list = values.map((one) => `  ${literal(one)},\n`).join('');
    const base = nameAt(document, pointer);
    const isFree = (name: string) =>
      named.get(name) === list || !namesOf(name).some((one) => exported.has(one) || taken(one));
    let name = base;
    for (let n = 2; !isFree(name); n++) name = `${base}${n}`;
    named.set(name, list);
    for (const one of namesOf(name)) exported.add(one);
  }
  if (named.size === 0) return '';
  const parts = [...named].map(
    ([name, list]) =>
      `export const ${listName(name)} = [\n${list}] as const;\n` +
      `export const is${name} = (value: unknown): value is (typeof ${listName(name)})[number] =>\n` +
      `  hasValue(${listName(name)}, value);\n`,
  );
  return `${parts.join('\n')}\n${GUARD}`;
}

const GUARD = `function hasValue<T>(values: readonly T[], value: unknown): value is T {
  return values.some((one) => one === value);
}
`;

/** What is exported for an enum. The list of `IsColor` has the name of the guard of `ColorValues`. */
const namesOf = (name: string): [guard: string, list: string] => [`is${name}`, listName(name)];
const listName = (name: string): string => `${withFirst(name, (letter) => letter.toLowerCase())}Values`;

/** Letters may have two code units. */
const withFirst = (word: string, change: (letter: string) => string): string => word.replace(/^./u, change);

/** The values of an enum that its type admits, as handlers and clients receive them. */
function valuesOf(schema: JsonObject): readonly Value[] | undefined {
  const all: unknown = schema['enum'];
  if (!Array.isArray(all)) return undefined;
  const types = 'type' in schema ? [schema['type']].flat() : undefined;
  const asBigint = isInt64(schema);
  const values: Value[] = [];
  for (const one of all as unknown[]) {
    if (types && !typesOf(one).some((type) => types.includes(type))) continue;
    if (one !== null && !['string', 'number', 'bigint', 'boolean'].includes(typeof one)) return undefined;
    const value = one as Value;
    if (typeof value === 'bigint' && !asBigint) return undefined; // handlers get it rounded
    values.push(asBigint && typeof value === 'number' ? BigInt(value) : value);
  }
  return values.length === 0 ? undefined : values;
}

/** The names that JSON Schema has for the type of a value. */
function typesOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (isObject(value)) return ['object'];
  if (typeof value === 'bigint' || Number.isInteger(value)) return ['integer', 'number'];
  return [typeof value];
}

const literal = (value: Value): string =>
  typeof value === 'string' ? quoted(value) : typeof value === 'bigint' ? `${value}n` : String(value);

/** Keywords whose members have names that say nothing. */
const UNNAMED = new Set('content allOf anyOf oneOf encoding dependentSchemas patternProperties'.split(' '));
/** Keywords whose members are called by their names. */
const NAMED = new Set('properties $defs headers callbacks'.split(' '));
/** Keywords that lead to a part that is called by a word. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['requestBody', 'Body'],
  ['items', 'Item'],
  ['prefixItems', 'Item'],
  ['itemSchema', 'Item'],
  ['additionalProperties', 'Value'],
]);

/** A name for the schema at a pointer: that of its component or operation, and those of what leads from there to it. */
function nameAt(document: OpenApiDocument, pointer: string): string {
  const steps = pointer.slice(1).split('/');
  const [first, second = '', third = ''] = steps;
  // components/schemas/NAME, or paths/PATH and webhooks/NAME
  const begin = first === 'components' ? 3 : 2;
  const words = [lastStep(first === 'components' ? third : second)];
  for (let i = begin; i < steps.length; i++) {
    const step = lastStep(steps[i] ?? '');
    const place = `/${steps.slice(0, i + 1).join('/')}`;
    const next = steps[i + 1] ?? '';
    const word = WORDS.get(step);
    if (document.references.kindAt(place) === 'Operation') {
      const { operationId } = document.follow(place).value;
      if (typeof operationId === 'string') words.splice(0, words.length, operationId);
    } else if (step === 'parameters') {
      words.push(String(document.follow(`${place}/${next}`).value['name']));
      i++;
    } else if (step === 'responses') {
      words.push('Response', lastStep(next));
      i++;
    } else if (NAMED.has(step)) {
      words.push(lastStep(next));
      i++;
    } else if (UNNAMED.has(step)) i++;
    else if (word !== undefined) words.push(word);
  }
  return pascalCase(words.join(' '));
}

/** An identifier in words that begin with a capital letter. */
function pascalCase(text: string): string {
  // The tables of Unicode that the compiler has decide, not those of this Node.
  const isPart = (letter: string) =>
    /[\p{L}\p{Nd}]/u.test(letter) && ts.isIdentifierPart(letter.codePointAt(0) ?? 0, ts.ScriptTarget.ESNext);
  const words = Array.from(text.normalize('NFC'), (letter) => (isPart(letter) ? letter : ' '))
    .join('')
    .split(/ +/)
    .filter((word) => word !== '');
  const name = (words.length === 0 ? ['Enum'] : words)
    .map((word) => (/\p{Ll}/u.test(word) ? word : word.toLowerCase()))
    .map((word) => withFirst(word, (letter) => letter.toUpperCase()))
    .join('');
  return /^\p{L}/u.test(name) ? name : `_${name}`;
}
