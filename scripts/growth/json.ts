import { ofSchema, type Subject } from './adversary';
import { listOf, nested, numbered, repeat, texts, within, type Text } from './inputs';

/** Deeper values are refused by the reader of JSON. */
export const DEPTH = 56;

/** Every way to write a long number; one at a time, and many of a moderate length. */
export const numbers: readonly Text[] = [
  ...texts(['0', '9', '1'], {
    starts: ['1', '-1', '0.', '1.', '1e', '1e-', '1.5e+0'],
    ends: ['', '1', '.', 'e'],
  }),
  ...texts(['0', '9'], { starts: ['1', '0.', '1.', '-1e-', '1e'], ends: ['', '1'] }).map(
    ({ name, make }) => ({
      name: `many of ${name}`,
      make: (size: number) => `[${listOf(make(200), size)}]`,
    }),
  ),
];

/** Numbers at the edges of the doubles, alike and different. */
const extremes: readonly Text[] = [
  { name: 'small steps', make: (size) => `[${listOf('1e-300', size)}]` },
  { name: 'great numbers', make: (size) => `[${listOf('1.5e300', size)}]` },
  { name: 'great integers', make: (size) => `[${listOf('9007199254740993', size)}]` },
  { name: 'different small steps', make: (size) => `[${numbered((i) => `${i}e-300`, size)}]` },
  { name: 'different great numbers', make: (size) => `[${numbered((i) => `1.${i}e300`, size)}]` },
  { name: 'different great integers', make: (size) => `[${numbered((i) => `9007199254740993${i}`, size)}]` },
];

const PIECES = ['a', '\\n', '\\u0041', '\\ud83d\\ude00', 'é', '\u{1f331}', '\\"', ' '];

/** Strings of every kind of piece; the last end is half of a surrogate pair. */
export const strings: readonly Text[] = [
  ...within(texts(PIECES, { ends: ['', '\\ud800'] }), (text) => `"${text}"`),
  ...within(texts(PIECES), (text) => `"${text}`),
  ...texts(['"a",', '"",', '"\\u0041",'], { starts: ['['], ends: ['""]', '"\\ud800"]'] }),
];

export const nesting: readonly Text[] = [
  ...texts(['[', '{"a":', '[{"a":'], { ends: ['', '1'] }),
  ...[
    ['[', ']'],
    ['{"a":', '}'],
    ['[[],', ']'],
    ['{"b":{},"a":', '}'],
  ].map(([open = '', close = '']) => nested(open, '1', close, DEPTH)),
];

const members = (name: (index: number) => string, end = ''): Text => ({
  name: `members ${JSON.stringify(name(0))}, ${JSON.stringify(name(1))}, ...${end === '' ? '' : ` and ${end}`}`,
  make: (size) => `{${numbered((i) => `"${name(i)}":1`, size)}${end}}`,
});

export const names: readonly Text[] = [
  members((i) => `n${i}`),
  members((i) => `n${i}`, ',"n0":1'),
  members((i) => String(i)),
  members((i) => String(4_000_000_000 - 7919 * i)),
  members((i) => `${'x'.repeat(100)}${i}`),
  members((i) => `\\u006e${i}`),
  members((i) => `n${i}`, ',"__proto__":1'),
  ...within(texts(['a', '\\u0061', '\u{1f331}']), (text) => `{"${text}":1}`),
];

export const space: readonly Text[] = texts([' ', '\t', '\r\n'], { starts: ['', '['], ends: ['1', 'x'] });

/** The reader of JSON, whatever the schema: a number is where a number is expected, and where anything is. */
export const jsonSubjects = (): Subject[] => [
  ...ofSchema('JSON numbers', {}, numbers),
  ...ofSchema(
    'JSON numbers: int64',
    { type: ['integer', 'array'], format: 'int64', items: { $ref: '#/components/schemas/Id' } },
    numbers,
    {
      Id: { type: 'integer', format: 'int64' },
    },
  ),
  ...ofSchema('multipleOf', { multipleOf: 0.01, items: { multipleOf: 0.01 } }, [...numbers, ...extremes]),
  ...ofSchema('numbers, compared', { items: { minimum: -1e300, maximum: 1.7e308, not: { const: 5 } } }, [
    ...numbers,
    ...extremes,
  ]),
  ...ofSchema('numbers, unique', { uniqueItems: true }, extremes),
  ...ofSchema('JSON strings', {}, strings),
  ...ofSchema('JSON nesting', {}, nesting),
  ...ofSchema('JSON names', {}, names),
  ...ofSchema(
    'JSON names, of a closed object',
    { type: 'object', properties: { a: {} }, additionalProperties: false },
    names,
  ),
  ...ofSchema('JSON names, of a listed object', { type: 'object', properties: { a: {} } }, names),
  ...ofSchema('JSON white space', {}, space),
  ...ofSchema('messages', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, [
    { name: 'many violations', make: (size) => `[${listOf('1', size)}]` },
    { name: 'one long value', make: (size) => `["${repeat('\u{1f331}', size)}"]` },
    { name: 'a long name', make: (size) => `{"${repeat('a', size)}":1}` },
  ]),
];
