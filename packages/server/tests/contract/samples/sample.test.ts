import { parse } from 'yaml';
import { OpenApiDocument } from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';
import { samples } from '../../../src/contract/samples/sample';
import { buildDocument } from '../../../../../scripts/testing/service';

/** A schema and its first sample. */
const TABLE = `
type: string                                         -> "text"
{type: string, minLength: 6}                         -> "text.."
{type: string, maxLength: 2}                         -> "xt"
{type: string, maxLength: 0}                         -> ""
{type: string, format: date-time}                    -> "2024-01-01T12:00:00Z"
{type: string, format: uuid}                         -> "00000000-0000-4000-8000-000000000001"
{type: string, enum: [b, a]}                         -> "b"
{const: 7}                                           -> 7
type: integer                                        -> 1
{type: integer, minimum: 5}                          -> 5
{type: integer, exclusiveMinimum: 5}                 -> 6
{type: integer, maximum: -5}                         -> -5
{type: integer, minimum: 5, multipleOf: 4}           -> 8
{type: number, exclusiveMinimum: 0, exclusiveMaximum: 1} -> 0.5
type: boolean                                        -> true
type: "null"                                         -> null
{type: [string, "null"]}                             -> "text"
{type: array, items: {type: integer}}                -> [1]
{items: {type: integer}, minItems: 3, uniqueItems: true} -> [1, 2, 3]
{items: {enum: [a, b]}, minItems: 2, uniqueItems: true}  -> ["a", "b"]
{type: array, maxItems: 0}                           -> []
{prefixItems: [{type: string}, {type: integer}], items: false} -> ["text", 1]
{type: array, contains: {const: 3}}                  -> [3]
{properties: {a: {type: string}, b: {type: integer}}} -> {"a": "text", "b": 1}
{type: object, required: [x], additionalProperties: {type: integer}} -> {"x": 1}
{type: object, additionalProperties: {type: integer}, minProperties: 2} -> {"property1": 1, "property2": 1}
{type: object, minProperties: 1, propertyNames: {enum: [k]}, additionalProperties: true} -> {"k": "text"}
{type: object, required: [xa, b], patternProperties: {"^x": {type: integer}, "^b": {type: boolean}}} -> {"xa": 1, "b": true}
{properties: {a: {type: string, writeOnly: true}}}   -> {}
{allOf: [{properties: {a: {type: string}}}, {properties: {b: {type: integer}}}]} -> {"a": "text", "b": 1}
{oneOf: [{const: 1}, {const: 2}]}                    -> 1
{type: object, properties: {a: {type: integer, example: 42}}} -> {"a": 42}
{type: integer, examples: [42]}                      -> 42
`;

/** The JSON of a schema in YAML, with every digit. */
const json = (yaml: string) => yaml.replace(/([a-z]\w*)/gi, '"$1"');

const firstOf = (schema: unknown, schemas: object = {}) => all(schema, schemas)[0];
const all = (schema: unknown, schemas: object = {}) => {
  const document = new OpenApiDocument(
    buildDocument({ components: { schemas: { It: schema, ...schemas } } }),
  );
  return [...samples(document, '/components/schemas/It', 'response')];
};

it.each(
  TABLE.trim()
    .split('\n')
    .map((line) => line.split(' -> ').map((cell) => cell.trim())),
)('the first sample of %s is %s', (schema = '', want = '') => {
  expect(firstOf(parse(schema))).toEqual(JSON.parse(want));
});

it.each([
  ['{type: integer, minimum: 9007199254740993}', 9007199254740993n],
  ['{type: integer, exclusiveMinimum: 9007199254740993}', 9007199254740994n],
  ['{type: integer, minimum: 9007199254740993, multipleOf: 10}', 9007199254741000n],
  ['{type: integer, maximum: 9223372036854775807}', 1],
  ['{type: integer, maximum: -9223372036854775807, multipleOf: 9223372036854775807}', -9223372036854775807n],
  ['{const: 9007199254740993}', 9007199254740993n],
  ['{type: integer, enum: [9007199254740993]}', 9007199254740993n],
  ['{type: integer, default: 9007199254740993}', 9007199254740993n],
])('the first sample of %s is exactly %s', (schema, want) => {
  const { a } = readDocument(JSON.stringify({ a: 0 }).replace('0', json(schema)));
  expect(firstOf(a)).toBe(want);
});

it.each(['^[A-Z]{3}-\\d{4}$', '^\\+?[1-9]\\d{6,14}$', '^(cat|dog)s?$', '[a-f0-9]{32}'])(
  'a sample of the pattern %s matches it',
  (pattern) => {
    expect(firstOf({ type: 'string', pattern })).toMatch(new RegExp(pattern, 'u'));
  },
);

it('no sample is Infinity or NaN, whatever its bounds', () => {
  const sizes = [-1e308, -1e-300, 0, 5e-324, 0.1, 1e21, 1e300, 1.7e308];
  const steps = [undefined, 5e-324, 1e-300, 0.1, 1e21, 1.7e308];
  const numbers = sizes.flatMap((minimum) =>
    steps.flatMap((multipleOf) =>
      ['number', 'integer'].flatMap((type) => all({ type, minimum, ...(multipleOf && { multipleOf }) })),
    ),
  );
  expect(numbers.length).toBeGreaterThan(100);
  expect(numbers.filter((one) => typeof one !== 'bigint' && !Number.isFinite(one))).toEqual([]);
});

it.each(Object.getOwnPropertyNames(Object.prototype))('the format %s is one that nobody knows', (format) => {
  expect(all({ type: 'string', format })).toEqual(all({ type: 'string', format: 'foo' }));
});

it('is deterministic', () => {
  const schema = {
    properties: { a: { type: 'string', pattern: '^[a-z]{5}\\d+$' }, b: { items: { type: 'number' } } },
  };
  expect(all(schema)).toEqual(all(schema));
});

it('ends recursion at optional properties, and fails at required ones', () => {
  const node = (required: string[]) => ({
    properties: { value: { type: 'integer' }, next: { $ref: '#/components/schemas/Node' } },
    required,
  });
  const depth = (value: unknown): number =>
    typeof value === 'object' && value !== null && 'next' in value ? 1 + depth(value.next) : 0;
  expect(depth(firstOf({ $ref: '#/components/schemas/Node' }, { Node: node(['value']) }))).toBeGreaterThan(0);
  expect(all({ $ref: '#/components/schemas/Node' }, { Node: node(['next']) })).toEqual([]);
  expect(all(false)).toEqual([]);
  expect(all({ type: 'object', minProperties: 3, propertyNames: { enum: ['a', 'b'] } })).toEqual([]);
});

it('takes each branch in turn, and omits more and more', () => {
  const values = all({ oneOf: [{ properties: { a: true } }, { const: 2 }] });
  expect(values.slice(0, 2)).toEqual([{ a: 'text' }, 2]);
  expect(values.at(-2)).toEqual({});
});

const PET = { type: 'object', properties: { kind: { type: 'string' } } };
const pets = (required: readonly string[], mapping = {}) => ({
  Pet: { ...PET, required, discriminator: { propertyName: 'kind', mapping } },
  Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { claws: { type: 'integer' } } }] },
  Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }] },
});

it('a property that a discriminator reads is in every sample, though no schema requires it', () => {
  for (const value of all({ $ref: '#/components/schemas/Pet' }, pets([])))
    expect(value).toHaveProperty('kind', expect.stringMatching(/^(Cat|Dog)$/));
});

it.each([
  [{}, ['Cat', 'Dog']],
  [{ feline: 'Cat' }, ['Cat', 'feline', 'Dog']],
])(
  'a branch of oneOf has a name of its own in the discriminator that it inherits: mapping %j',
  (mapping, names) => {
    const branches = ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const found = all({ oneOf: branches }, pets(['kind'], mapping)) as { kind: string; claws?: number }[];
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(names));
    for (const { kind, claws } of found.slice(0, 8)) expect(claws !== undefined).toBe(kind !== 'Dog');
  },
);
