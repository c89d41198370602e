import type { Findings } from './finding';
import { isObject, joinPointer, type JsonObject, members } from './json-pointer';
import { keywordAt, type Walked } from './walk';

const DATE = 'a date such as 2027-01-31, or a date-time in UTC such as 2027-01-31T12:00:00Z';

/** The first instant of a date in UTC, or the instant of a date-time: milliseconds since 1970. Undefined for another value. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(value)) return undefined;
  const instant = Date.parse(value);
  // Date.parse takes February 30 for March 2.
  const isDate = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(value.replace('Z', ''));
  return isDate ? instant : undefined;
}

/** Whether a member of `x-mcp` has a known name, and a text. */
const isToolText = ([name, text]: [string, unknown]): boolean =>
  typeof text === 'string' &&
  (name === 'name'
    ? /^[\w-]{1,60}$/.test(text)
    : ['title', 'description'].includes(name) && text.trim() !== '');

/** The fields whose values no schema of OpenAPI judges, such as those that this server adds: what the values must be. */
const EXTENSIONS: readonly {
  readonly kind: Walked['kind'];
  readonly name: string;
  readonly expected: string;
  readonly holds: (value: unknown, owner: JsonObject) => boolean;
}[] = [
  {
    kind: 'MediaType',
    name: 'x-item-schema',
    expected: 'the schema of each item of a stream',
    holds: (value) => typeof value === 'boolean' || isObject(value),
  },
  {
    kind: 'MediaType',
    name: 'x-stream',
    expected: 'true, for a body that its handler reads piece by piece, or false',
    holds: (value) => typeof value === 'boolean',
  },
  {
    kind: 'Operation',
    name: 'x-body-limit',
    expected: 'the maximum size of the whole body in bytes, an integer from 1 to 9007199254740991',
    holds: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  },
  {
    kind: 'Operation',
    name: 'x-mcp',
    expected:
      'true, false, or an object of name (at most 60 letters, digits, - and _), title and description, each a text that is not empty',
    holds: (value) => typeof value === 'boolean' || (isObject(value) && members(value).every(isToolText)),
  },
  {
    kind: 'Operation',
    name: 'x-deprecated-since',
    expected: `${DATE}, of an operation that is deprecated`,
    holds: (value, { deprecated }) => instantOf(value) !== undefined && deprecated === true,
  },
  {
    kind: 'Operation',
    name: 'x-sunset',
    expected: `${DATE}, of an operation that is deprecated, and not before x-deprecated-since`,
    holds: (value, { deprecated, 'x-deprecated-since': since = value }) =>
      (instantOf(value) ?? NaN) >= (instantOf(since) ?? -Infinity) && deprecated === true,
  },
  {
    kind: 'XML',
    name: 'nodeType',
    expected:
      'element, attribute, text, cdata or none, without attribute and wrapped (OpenAPI 3.2 section 4.26.1)',
    holds: (value, { attribute, wrapped }) =>
      ['element', 'attribute', 'text', 'cdata', 'none'].includes(String(value)) &&
      attribute === undefined &&
      wrapped === undefined,
  },
];

/** The object whose field an extension of this server is; undefined for other extensions. */
export const ownerOf = (name: string): Walked['kind'] | undefined =>
  name.startsWith('x-') ? EXTENSIONS.find((one) => one.name === name)?.kind : undefined;

/** Adds a finding for each of these fields that has another value. */
export function checkExtensions(document: Findings, { kind, pointer, value, version }: Walked): void {
  for (const { name, expected, holds } of EXTENSIONS.filter((one) => one.kind === kind))
    if (keywordAt(kind, name, version) && Object.hasOwn(value, name) && !holds(value[name], value))
      document.addFinding(joinPointer(pointer, name), `expected ${expected}`);
}
