import express from 'express';
import request from 'supertest';
import { createMock } from '../../src/mock/service';
import { InvalidContract, type JsonObject } from 'contract-first-server';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

jest.setTimeout(600_000);

// Each keyword for which the code of a validator grows with the schema, at growing sizes. A service serves them or does not
// start; a mock serves them or answers 501. No request is 500.

const names = (size: number) => Array.from({ length: size }, (_, i) => `p${i}`);
const list = (size: number, of: (name: string) => unknown) => names(size).map(of);
const each = (size: number, of: (name: string) => unknown) =>
  Object.fromEntries(names(size).map((name) => [name, of(name)]));
const nested = (size: number, around: (inner: JsonObject) => JsonObject) =>
  names(size).reduce<JsonObject>((inner) => around(inner), { type: 'string' });
const text = { type: 'string' };
const having = (name: string) => ({ type: 'object', required: [name] });

interface Case {
  readonly schemaOf: (size: number) => JsonObject;
  /** A value that conforms at each size, and another. */
  readonly valid: (size: number) => unknown;
  readonly invalid: unknown;
}
const all = (size: number) => each(size, () => 'a');
const few = () => ({ p1: 'a' });
const none = () => ({});
const CASES = {
  properties: {
    schemaOf: (size) => ({ type: 'object', properties: each(size, () => text) }),
    valid: few,
    invalid: { p1: 1 },
  },
  'properties of objects': {
    schemaOf: (size) => ({ properties: each(size, () => ({ ...having('a'), properties: { a: text } })) }),
    valid: none,
    invalid: { p1: { a: 1 } },
  },
  'properties with defaults': {
    schemaOf: (size) => ({ properties: each(size, () => ({ ...text, default: 'a' })) }),
    valid: none,
    invalid: { p1: 1 },
  },
  'properties of one direction': {
    schemaOf: (size) => ({ properties: each(size, () => ({ ...text, readOnly: true })) }),
    valid: none,
    invalid: { p1: 1 },
  },
  'properties of several types': {
    schemaOf: (size) => ({ properties: each(size, () => ({ type: ['string', 'integer'], maximum: 5 })) }),
    valid: few,
    invalid: { p1: 7 },
  },
  additionalProperties: {
    schemaOf: (size) => ({ properties: each(size, () => text), additionalProperties: false }),
    valid: few,
    invalid: { q: 1 },
  },
  unevaluatedProperties: {
    schemaOf: (size) => ({ properties: each(size, () => text), unevaluatedProperties: false }),
    valid: few,
    invalid: { q: 1 },
  },
  dependentRequired: {
    schemaOf: (size) => ({ dependentRequired: each(size, () => ['q']) }),
    valid: none,
    invalid: { p1: 1 },
  },
  dependentSchemas: {
    schemaOf: (size) => ({ dependentSchemas: each(size, () => having('q')) }),
    valid: none,
    invalid: { p1: 1 },
  },
  patternProperties: {
    schemaOf: (size) => ({ patternProperties: each(size, () => text) }),
    valid: few,
    invalid: { p1: 1 },
  },
  propertyNames: {
    schemaOf: (size) => ({ propertyNames: { enum: names(size) } }),
    valid: few,
    invalid: { q: 1 },
  },
  required: {
    schemaOf: (size) => ({ type: 'object', required: names(size) }),
    valid: all,
    invalid: {},
  },
  allOf: {
    schemaOf: (size) => ({ allOf: list(size, (name) => ({ properties: { [name]: text } })) }),
    valid: few,
    invalid: { p1: 1 },
  },
  anyOf: { schemaOf: (size) => ({ anyOf: list(size, having) }), valid: few, invalid: {} },
  oneOf: { schemaOf: (size) => ({ oneOf: list(size, having) }), valid: few, invalid: {} },
  'oneOf of constants': {
    schemaOf: (size) => ({ oneOf: list(size, (name) => ({ const: name })) }),
    valid: () => 'p1',
    invalid: 'q',
  },
  not: {
    schemaOf: (size) => ({ allOf: list(size, (name) => ({ not: having(name) })) }),
    valid: none,
    invalid: { p1: 1 },
  },
  if: {
    schemaOf: (size) => ({ allOf: list(size, (name) => ({ if: having(name), then: having('q') })) }),
    valid: none,
    invalid: { p1: 1 },
  },
  enum: { schemaOf: (size) => ({ enum: names(size) }), valid: () => 'p1', invalid: 'q' },
  'enum of objects': {
    schemaOf: (size) => ({ enum: list(size, (name) => ({ [name]: 1 })) }),
    valid: () => ({ p1: 1 }),
    invalid: { q: 1 },
  },
  prefixItems: {
    schemaOf: (size) => ({ type: 'array', prefixItems: list(size, () => text) }),
    valid: () => ['a'],
    invalid: [1],
  },
  'nested properties': {
    schemaOf: (size) => nested(size, (a) => ({ type: 'object', properties: { a } })),
    valid: none,
    invalid: { a: 1 },
  },
  'nested items': {
    schemaOf: (size) => nested(size, (items) => ({ type: 'array', items })),
    valid: () => [],
    invalid: [1],
  },
  'nested allOf': {
    schemaOf: (size) => nested(size, (inner) => ({ allOf: [inner] })),
    valid: () => 'a',
    invalid: 1,
  },
  'nested anyOf': {
    schemaOf: (size) => nested(size, (inner) => ({ anyOf: [inner, { type: 'integer' }] })),
    valid: () => 'a',
    invalid: true,
  },
  'nested not': {
    schemaOf: (size) => nested(size, (inner) => ({ not: inner })),
    valid: () => 'a',
    invalid: 1,
  },
} as const satisfies Readonly<Record<string, Case>>;

/** Bounds beyond what any value has, and texts that no search may build. */
const BOUNDS: readonly JsonObject[] = [
  { type: 'object', minProperties: 1e7 },
  { type: 'object', minProperties: 1e7, patternProperties: { '^a{1,9}$': text } },
  { type: 'array', minItems: 1e9, uniqueItems: true },
  { type: 'array', contains: { const: 1 }, minContains: 1e9 },
  {
    type: 'array',
    minItems: 1e4,
    items: { type: 'array', minItems: 1e4, items: { type: 'array', minItems: 1e4 } },
  },
  { type: 'string', minLength: 1e9 },
  { type: 'string', pattern: '^a{100000}$' },
  { type: 'number', multipleOf: 1e-300, minimum: 1e300 },
  { type: 'string', minLength: 1e9, default: 'a' },
];

const bodyOf = (schema: JsonObject) => ({ requestBody: { required: true, content: json(schema) } });
const component = { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } };
/** The document of a schema at each place, and a body there. */
const PLACES = {
  body: {
    document: (schema: JsonObject) => buildDocument({ operation: bodyOf(schema) }),
    body: (value: unknown) => value,
  },
  component: {
    document: (A: JsonObject) =>
      buildDocument({ operation: bodyOf(component), components: { schemas: { A } } }),
    body: (a: unknown) => ({ a }),
  },
};

const post = (app: express.Express, value: unknown) =>
  request(app).post('/things').type('application/json').send(JSON.stringify(value));

/** The statuses of requests to a service, or what stops its start. */
async function served(
  document: JsonObject,
  values: readonly unknown[],
): Promise<number[] | 'too large' | 'too deep'> {
  try {
    const handlers = { postThing: () => Promise.resolve({ status: 204 }) };
    const { app } = buildService({ document, bodyLimit: 1e7, handlers });
    const statuses: number[] = [];
    for (const value of values) statuses.push((await post(app, value)).status);
    return statuses;
  } catch (error) {
    if (!(error instanceof InvalidContract)) throw error;
    expect(error.message).toMatch(
      /^#\/paths.* (too many properties, items or branches|so deep)|^#\/components/m,
    );
    return error.message.includes('so deep') ? 'too deep' : 'too large';
  }
}

async function mocked(document: JsonObject, values: readonly unknown[]): Promise<number[]> {
  const { service, operations } = createMock(document, {
    tokens: ['a'],
    bodyLimit: 1e7,
    maxRequests: 10,
    report: () => undefined,
    extensions: {},
  });
  if (operations.length === 0) return [];
  const app = express().use(service);
  const statuses: number[] = [];
  for (const value of values) statuses.push((await post(app, value)).status);
  return statuses;
}

const AT: readonly (readonly [place: keyof typeof PLACES, size: number])[] = [
  ['body', 100],
  ['body', 240],
  ['body', 1_000],
  ['body', 10_000],
];
/** A component is compiled as a body is: some of them show it. */
const OF_COMPONENTS = ['properties', 'allOf', 'prefixItems', 'nested properties'];

it.each(
  Object.entries<Case>(CASES).flatMap(([keyword, each]) =>
    (OF_COMPONENTS.includes(keyword) ? [...AT, ['component', 2_000] as const] : AT).map(
      ([place, size]): [string, keyof typeof PLACES, number, Case] => [keyword, place, size, each],
    ),
  ),
)(
  '%s in a %s, %i of them, are served or stop the start',
  async (_, place, size, { schemaOf, valid, invalid }) => {
    const { document, body } = PLACES[place];
    const values = [body(valid(size)), body(invalid), body(invalid)];
    const statuses = await served(document(schemaOf(size)), values);
    if (size === 100 || Array.isArray(statuses)) expect(statuses).toEqual([204, 400, 400]);
    // What a mock reads is less deep: the reader of its document has a bound.
    else if (statuses === 'too large')
      for (const status of await mocked(document(schemaOf(size)), values))
        expect([204, 400, 501]).toContain(status);
  },
);

it.each(BOUNDS)('%j is served or stops the start within seconds', (schema) => {
  const began = process.cpuUsage();
  for (const document of [
    buildDocument({ operation: bodyOf(schema) }),
    buildDocument({ operation: { responses: { 200: { description: '', content: json(schema) } } } }),
  ])
    try {
      buildService({ document });
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidContract);
    }
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1e6).toBeLessThan(5);
});
