import { ofSchema, type Subject } from './adversary';
import { listOf, numbered, type Text } from './inputs';
import { DEPTH } from './json';

/** Branches of a wide schema. */
const WIDTH = 40;
const wide = <T>(make: (index: number) => T): T[] => Array.from({ length: WIDTH }, (_, i) => make(i));

const list = (name: string, item: string, last = item): Text => ({
  name,
  make: (size) => `[${listOf(item, size - last.length)},${last}]`,
});
const series = (name: string, item: (index: number) => string, last = ''): Text => ({
  name,
  make: (size) => `[${numbered(item, size)}${last === '' ? '' : `,${last}`}]`,
});
const record = (name: string, member: (index: number) => string): Text => ({
  name,
  make: (size) => `{${numbered(member, size)}}`,
});

/** Objects and lists that every keyword meets: right, wrong at the end, wrong everywhere, alike but for the end. */
const ITEMS: readonly Text[] = [
  list('equal numbers', '7'),
  series('different numbers', String),
  series('different numbers, one twice', String, '0'),
  list('equal strings', '"abcdefgh"', '"abcdefgi"'),
  list('equal objects', '{"kind":"k39","value":1}', '{"kind":"k39","value":"wrong"}'),
  list('objects of no kind', '{"kind":"none","value":"wrong"}'),
  series(
    'objects of all kinds',
    (i) => `{"kind":"k${i % WIDTH}","value":${i}}`,
    '{"kind":"k0","value":"wrong"}',
  ),
  series('lists that differ at the end', (i) => `[[1,2,3,4,5,6,7,8],[1,2,3,4,5,6,7,${i}]]`),
  {
    name: 'lists of lists of different items',
    make: (size) => `[${numbered((i) => `[${numbered((j) => `[${i},${j}]`, 300)}]`, size)}]`,
  },
  list('empty objects', '{}'),
];
const MEMBERS: readonly Text[] = [
  record('different names', (i) => `"n${i}":${i}`),
  record('different names, wrong values', (i) => `"n${i}":"wrong"`),
  record('long names', (i) => `"${'abcdefgh'.repeat(8)}${i}":1`),
  record('names of triggers', (i) => `"k${i}":1`),
];

const kind = (i: number) => ({
  type: 'object',
  required: ['kind', 'value'],
  properties: { kind: { const: `k${i}` }, value: { type: 'integer', format: 'int64' } },
});
const unnamed = (i: number) => ({
  type: 'object',
  properties: { value: { type: 'integer', format: 'int64' }, [`p${i}`]: {} },
});
const literal = (i: number) => ({ a: Array.from({ length: 20 }, (_, n) => n), b: { c: 'abcdefgh', d: i } });
const discriminated = {
  oneOf: wide((i) => ({ $ref: `#/components/schemas/K${i}` })),
  discriminator: {
    propertyName: 'kind',
    mapping: Object.fromEntries(wide((i) => [`k${i}`, `#/components/schemas/K${i}`])),
  },
};

/** Each keyword that looks at more than one value, with a schema that gives it the most to do. */
const ARRAYS: Readonly<Record<string, unknown>> = {
  enum: { items: { enum: [...wide((i) => `k${i}`), ...wide(literal)] } },
  const: { items: { const: literal(0) } },
  uniqueItems: { uniqueItems: true, items: { uniqueItems: true, items: { uniqueItems: true } } },
  contains: { contains: { type: 'object', required: ['never'] }, minContains: 2, maxContains: 3 },
  'contains of lists': { items: { contains: { contains: { const: -1 } } } },
  'anyOf, wide': { items: { anyOf: wide(kind) } },
  'anyOf, wide, all alike': { items: { anyOf: wide(unnamed) } },
  'oneOf, wide': { items: { oneOf: wide(kind) } },
  'oneOf, wide, all alike': { items: { oneOf: wide(unnamed) } },
  'allOf, wide': { items: { allOf: wide(unnamed) } },
  'not, wide': { items: { not: { anyOf: wide(kind) } } },
  'if, wide': {
    items: {
      allOf: wide((i) => ({ if: { properties: { kind: { const: `k${i}` } } }, then: kind(i), else: true })),
    },
  },
  'discriminator, wide': { items: discriminated },
  unevaluatedItems: {
    anyOf: wide((i) => ({ prefixItems: [{ const: i }] })),
    unevaluatedItems: { type: 'integer' },
  },
  'unevaluatedProperties of items': { items: { anyOf: wide(unnamed), unevaluatedProperties: false } },
  prefixItems: {
    prefixItems: wide(() => ({ type: 'integer', format: 'int64' })),
    items: { type: 'integer', format: 'int64' },
  },
};
const OBJECTS: Readonly<Record<string, unknown>> = {
  properties: {
    properties: Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`n${i}`, { type: 'integer', format: 'int64' }]),
    ),
  },
  required: { required: Array.from({ length: 1000 }, (_, i) => `missing${i}`) },
  patternProperties: {
    patternProperties: Object.fromEntries(wide((i) => [`^[a-z]+${i}`, { type: 'integer', format: 'int64' }])),
  },
  additionalProperties: { properties: { a: {} }, additionalProperties: { type: 'integer', format: 'int64' } },
  propertyNames: { propertyNames: { anyOf: wide((i) => ({ pattern: `^x${i}[a-z]*$` })) } },
  dependentRequired: { dependentRequired: Object.fromEntries(wide((i) => [`k${i}`, wide((n) => `k${n}`)])) },
  dependentSchemas: {
    dependentSchemas: Object.fromEntries(
      wide((i) => [`k${i}`, { additionalProperties: { type: 'integer', format: 'int64' } }]),
    ),
  },
  unevaluatedProperties: {
    anyOf: wide(unnamed),
    unevaluatedProperties: { type: 'integer', format: 'int64' },
  },
  minProperties: { minProperties: 1_000_000 },
};

/** A schema that comes back to itself twice through an applicator, so that a naive judge takes both ways at each level. */
const Node = { $ref: '#/components/schemas/Node' };
const leaf = { properties: { leaf: { type: 'integer' } } };
const next = { properties: { next: Node } };
/** A node, and what its next one is. */
const leading = (schema: object) => ({ properties: { ...leaf.properties, next: schema } });
const DIFFERENT = [
  { ...next, required: ['a'] },
  { ...next, required: ['b'] },
  { ...leaf, required: ['leaf'] },
];
const ALIKE = [{ properties: { next: Node, a: {} } }, { properties: { next: Node, b: {} } }];
const RECURSIVE: Readonly<Record<string, unknown>> = {
  anyOf: { anyOf: DIFFERENT },
  'anyOf, all alike': { ...leaf, anyOf: ALIKE },
  oneOf: { oneOf: DIFFERENT },
  'oneOf, all alike': { ...leaf, oneOf: ALIKE },
  allOf: { ...leaf, allOf: [next, next] },
  not: { not: { properties: { next: { not: Node } }, required: ['next'] }, ...next },
  if: { ...leaf, if: next, then: next, else: next },
  dependentSchemas: { dependentSchemas: { next, leaf: true }, ...next },
  properties: leading({ allOf: [Node, Node] }),
  patternProperties: { ...leaf, patternProperties: { '^n': Node, t$: Node } },
  additionalProperties: { ...leaf, additionalProperties: { anyOf: [Node, { allOf: [Node] }] } },
  unevaluatedProperties: {
    ...leaf,
    allOf: [{ properties: { other: {} } }],
    unevaluatedProperties: { anyOf: [Node, { allOf: [Node] }] },
  },
  items: leading({ anyOf: [{ items: Node }, Node] }),
  contains: leading({ anyOf: [{ contains: Node, type: 'array' }, Node] }),
  prefixItems: leading({ anyOf: [{ prefixItems: [Node], type: 'array' }, Node] }),
  'prefixItems and items': leading({
    oneOf: [{ allOf: [Node] }, { type: 'array', prefixItems: [Node] }, { type: 'array', items: Node }],
  }),
};

const chain = (open: string, close: string, end: string): Text => {
  const one = open.repeat(DEPTH / 2) + end + close.repeat(DEPTH / 2);
  return { name: `${open} deep around ${end}`, make: (size) => `[${listOf(one, size)}]` };
};
const CHAINS: readonly Text[] = [
  chain('{"next":', '}', '{"leaf":1}'),
  chain('{"next":', '}', '{"leaf":"wrong"}'),
  chain('{"a":1,"b":1,"next":', '}', '{"leaf":1}'),
  chain('{"a":1,"next":', '}', '{"leaf":1}'),
  chain('{"a":1,"next":', '}', '{"leaf":"wrong"}'),
  chain('{"a":1,"b":1,"next":', '}', '{"leaf":"wrong"}'),
  chain('{"next":[', ']}', '{"leaf":1}'),
  chain('{"next":[', ']}', '{"leaf":"wrong"}'),
];

/** Every keyword of a schema that can make much of a value. */
export const keywordSubjects = (): Subject[] => [
  ...Object.entries(ARRAYS).flatMap(([about, schema]) =>
    ofSchema(about, schema, ITEMS, Object.fromEntries(wide((i) => [`K${i}`, kind(i)]))),
  ),
  ...Object.entries(OBJECTS).flatMap(([about, schema]) => ofSchema(about, schema, MEMBERS)),
  ...Object.entries(RECURSIVE).flatMap(([about, schema]) =>
    ofSchema(`recursive ${about}`, { type: 'array', items: Node }, CHAINS, {
      Node: { type: 'object', ...(schema as object) },
    }),
  ),
];
