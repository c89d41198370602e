/** Finds out how a document writes errors, and how to fill such a body. */
import { isObject, type OpenApiDocument, samples, type SchemaView, viewSchemas } from '../../src/contract';

/** What the body of an error can say. */
export interface Facts {
  readonly message: string;
  readonly kind: string;
  readonly status: number;
  readonly number: number;
}

/** A part of the body of an error: a fact, a constant, or an object or list of parts. */
export type Part =
  | { readonly fact: keyof typeof FACTS }
  | { readonly constant: unknown }
  | { readonly members: readonly (readonly [name: string, part: Part])[] }
  | { readonly item: Part };

/** Each fact as code, and as a value. */
const FACTS = {
  message: { code: 'message', value: ({ message }: Facts): unknown => message },
  kind: { code: 'kind', value: ({ kind }: Facts): unknown => kind },
  status: { code: 'ERRORS[kind].status', value: ({ status }: Facts): unknown => status },
  statusText: { code: 'String(ERRORS[kind].status)', value: ({ status }: Facts): unknown => String(status) },
  number: { code: 'ERRORS[kind].number', value: ({ number }: Facts): unknown => number },
  // An integer of 64 bits is a bigint in an answer.
  status64: { code: 'BigInt(ERRORS[kind].status)', value: ({ status }: Facts): unknown => BigInt(status) },
  number64: { code: 'BigInt(ERRORS[kind].number)', value: ({ number }: Facts): unknown => BigInt(number) },
  title: { code: "STATUS_CODES[ERRORS[kind].status] ?? 'Error'", value: (): unknown => 'A title' },
  now: { code: 'new Date().toISOString()', value: (): unknown => new Date().toISOString() },
} as const;

const MESSAGE = /^(message|msg|detail|description|error_?message|error_?description|reason)$/i;
const STATUS = /^(http_?)?status(_?code)?$/i;
const CODE = /^(error_?)?(code|number)$/i;
/** Objects and lists that repeat the error inside the body. */
const NESTED = /^(errors?|problem|fault|details|meta)$/i;

/** The body of an error with the schema at `pointer`; undefined if no part of it can say what is wrong. */
export function errorBodyOf(document: OpenApiDocument, pointer: string): Part | undefined {
  const part = partOf(document, [pointer], '', [], 0, true);
  return part && says(part) ? part : undefined;
}

/** Whether a part of the body has the message. */
const says = (part: Part): boolean =>
  'fact' in part
    ? part.fact === 'message'
    : 'members' in part
      ? part.members.some(([, member]) => says(member))
      : 'item' in part && says(part.item);

/** @param beside the names of the properties beside this one */
function partOf(
  document: OpenApiDocument,
  pointers: readonly string[],
  name: string,
  beside: readonly string[],
  depth: number,
  required: boolean,
): Part | undefined {
  const view = viewSchemas(document, [...pointers], 'response');
  const constant = (): Part | undefined => {
    const [sample] = pointers.flatMap((pointer) => [...samples(document, pointer, 'response')].slice(0, 1));
    if (!required || sample === undefined) return undefined;
    return {
      constant: view.formats.has('int64') && Number.isInteger(sample) ? BigInt(Number(sample)) : sample,
    };
  };
  if (depth > 4) return constant();
  // The first branch of each union: `otherBodies` sees whether the body conforms.
  const branches = view.unions
    .flatMap((union) => union.slice(0, 1))
    .filter((branch) => !pointers.includes(branch));
  if (branches.length > 0)
    return partOf(document, [...pointers, ...branches], name, beside, depth + 1, required);
  if (view.values) return required || STATUS.test(name) || CODE.test(name) ? constant() : undefined;
  const type: string =
    ['object', 'array', 'string', 'integer', 'fraction'].find(
      (candidate) => view.types.has(candidate) && (view.types.size < 5 || candidate === guess(view)),
    ) ?? '';
  switch (type) {
    case 'object':
      return required || NESTED.test(name) ? objectOf(document, view, depth) : undefined;
    case 'array': {
      if (!required && !NESTED.test(name)) return undefined;
      const item =
        view.items.length > 0 ? partOf(document, view.items, name, beside, depth + 1, true) : undefined;
      if (item && says(item) && !beside.some((other) => MESSAGE.test(other))) return { item };
      return required ? (view.least.has('Items') ? constant() : { constant: [] }) : undefined;
    }
    case 'string':
      return textOf(view, name, beside) ?? constant();
    case 'integer':
    case 'fraction': {
      const isInt64 = view.formats.has('int64');
      if (STATUS.test(name)) return { fact: isInt64 ? 'status64' : 'status' };
      if (!CODE.test(name) && !/^error$/i.test(name)) return constant();
      const isSmall = Number(view.most.get('imum')?.value ?? Infinity) < 59_999;
      return { fact: isSmall ? (isInt64 ? 'status64' : 'status') : isInt64 ? 'number64' : 'number' };
    }
    default:
      return constant();
  }
}

const guess = (view: SchemaView): string =>
  view.properties.size > 0 ? 'object' : view.items.length > 0 ? 'array' : 'string';

function textOf(view: SchemaView, name: string, beside: readonly string[]): Part | undefined {
  const isExplained = beside.some((other) => MESSAGE.test(other));
  const isUri = [...view.formats].some((format) => format.startsWith('uri'));
  if (MESSAGE.test(name) || name === '') return { fact: 'message' };
  if (/^(title|error|summary)$/i.test(name)) return { fact: isExplained ? 'title' : 'message' };
  // RFC 9457 section 4.2.1: the type of a problem that has no semantics beyond its status.
  if (/^type$/i.test(name) && (isUri || beside.some((other) => /^(title|status|detail)$/i.test(other))))
    return { constant: 'about:blank' };
  if (CODE.test(name) || /^type$/i.test(name)) return { fact: 'kind' };
  if (STATUS.test(name)) return { fact: 'statusText' };
  return view.formats.has('date-time') && /^(time|timestamp|date)$/i.test(name) ? { fact: 'now' } : undefined;
}

function objectOf(document: OpenApiDocument, view: SchemaView, depth: number): Part {
  const names = [...new Set([...view.properties.keys(), ...view.required])];
  const members = names.flatMap((name): [string, Part][] => {
    if (view.withheld.has(name)) return [];
    const pointers = view.properties.get(name) ?? view.otherProperties;
    const beside = names.filter((other) => other !== name);
    const part = partOf(document, pointers, name, beside, depth + 1, view.required.has(name));
    return part ? [[name, part]] : [];
  });
  return { members };
}

/** The value of a body. */
export function valueOf(part: Part, facts: Facts): unknown {
  if ('fact' in part) return FACTS[part.fact].value(facts);
  if ('item' in part) return [valueOf(part.item, facts)];
  if ('constant' in part) return part.constant;
  return Object.fromEntries(part.members.map(([name, member]) => [name, valueOf(member, facts)]));
}

/** The TypeScript expression of a body, in terms of `kind` and `message`. */
export function codeOf(part: Part): string {
  if ('fact' in part) return FACTS[part.fact].code;
  if ('item' in part) return `[${codeOf(part.item)}]`;
  if ('constant' in part) return literal(part.constant);
  const members = part.members.map(([name, member]) => {
    const code = codeOf(member);
    return code === name ? name : `${propertyName(name)}: ${code}`;
  });
  return `{ ${members.join(', ')} }`;
}

export const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

export const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** A value of a document as TypeScript. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value instanceof Uint8Array)
    return `Buffer.from(${quoted(Buffer.from(value).toString('base64'))}, 'base64')`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${propertyName(name)}: ${literal(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
