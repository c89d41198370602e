import { join } from 'node:path';
import { readSource } from '../../src/document/source/source';
import type { JsonObject } from 'contract-first-server';
import { describeFailure, INTEGER_FORMATS, STRING_FORMATS } from 'contract-first-prover';
import { buildDocument, json } from '../../../../scripts/testing/service';
import { proveMock } from '../support/prove-mock';

/** Runs the prover against the mock of a document; neither may be wrong about it. */
async function agree(document: JsonObject, generated = 5) {
  const { mock, failures, obligations } = await proveMock(document, generated);
  expect(failures.map(describeFailure)).toEqual([]);
  const open = obligations.filter(({ state }) => state === 'BLOCKED' || state === 'UNPROVEN');
  expect(open.filter(({ reason = '' }) => reason === '')).toEqual([]);
  return { mock, obligations, open: open.map(({ key, reason }) => `${key}: ${reason ?? ''}`) };
}

/** Documents that others wrote, of an npm package. `make documents` has more. */
const DOCUMENTS: readonly [name: string, served: number, total: number][] = [
  ['3.1/json/petstore.json', 20, 20], // OAuth2 and keys, forms, XML beside JSON, operations without a success
  ['3.1/json/security.json', 14, 15], // every kind of scheme
  ['3.0/json/security-multiple.json', 2, 4], // schemes by and, or
  ['3.1/json/parameters-style.json', 17, 25], // every style, open objects in a query
  ['3.0/json/schema-validation.json', 4, 5], // every format, an invalid pattern
  ['3.0/json/response-multiple-mediatypes.json', 4, 4],
  ['3.0/json/circular-paths.json', 2, 3], // a left-out operation of a served path
  ['3.0/json/form-data.json', 1, 1],
  ['3.0/json/parameters-cookies.json', 1, 1],
  ['3.1/json/train-travel.json', 7, 7], // webhooks, media types that are not served
];

it.each(DOCUMENTS)(
  'agree on %s, of which at least %i of %i operations are served',
  async (name, served, total) => {
    const { document } = readSource(join(__dirname, '../../../../node_modules/@readme/oas-examples', name));
    const { mock, obligations } = await agree(document);
    expect(mock.total).toBe(total);
    expect(mock.operations.length).toBeGreaterThanOrEqual(served);
    expect(obligations.filter(({ state }) => state === 'PROVEN').length).toBeGreaterThan(0);
  },
);

const NO_CONTENT = { 204: { description: '' } };

/** Paths with an operation for each of these, with its fields: POST with a body, else GET. */
const paths = <T>(name: string, all: readonly T[], fieldsOf: (one: T) => object): object =>
  Object.fromEntries(
    all.map((one, i) => {
      const operation = { operationId: `${name}${i}`, responses: NO_CONTENT, ...fieldsOf(one) };
      return [`/${name}/${i}`, { ['requestBody' in operation ? 'post' : 'get']: operation }];
    }),
  );

/** Paths with an operation for each body. */
const bodies = (contents: readonly object[]): object =>
  paths('body', contents, (content) => ({ requestBody: { required: true, content } }));
/** The same for each schema, of a member of its body. */
const members = (all: readonly object[]): object =>
  bodies(all.map((a) => json({ type: 'object', properties: { a }, required: ['a'] })));

/** The same for each schema of a query parameter, too. */
const schemas = (all: readonly object[]): object => ({
  ...members(all),
  ...paths('query', all, (schema) => ({ parameters: [parameter('q', 'query', schema)] })),
});
const parameter = (name: string, place: string, schema: object) => ({
  name,
  in: place,
  required: true,
  schema,
});

/** The open obligations of a document of these paths. */
const openOf = async (all: object, generated?: number): Promise<string[]> =>
  (await agree(buildDocument({ paths: all }), generated)).open;

it('agree on every format', async () => {
  const texts = [...STRING_FORMATS.keys(), 'binary', 'password', 'url', 'unknown'];
  const numbers = [...INTEGER_FORMATS.keys(), 'float', 'double', 'unknown'];
  const all = [
    ...texts.map((format) => ({ type: 'string', format })),
    ...numbers.map((format) => ({ type: format === 'float' ? 'number' : 'integer', format })),
  ];
  const others = [
    ...texts.map((format) => ({ type: 'string', format, minLength: 2, maxLength: 40 })),
    ...numbers.map((format) => ({ type: ['number', 'string'], format })),
  ];
  expect(await openOf(schemas(all), 2)).toEqual([]);
  await openOf(members(others), 2);
});

it('agree on patterns with assertions, modifiers, properties and bounds', async () => {
  const patterns = [
    '^(?=.*\\d)(?=.*[a-z])[a-z\\d]{8,12}$',
    '^(?!000|666)\\d{3}-(?!00)\\d{2}$',
    '^(?!\\s*$).+',
    '^[A-Za-z]{1,3}(?<!x)$',
    '(?<=a)b$',
    '^\\bfoo\\b',
    '^\\p{Lu}\\p{Ll}+$',
    '^(?i:yes|no)$',
    '^[a-z]+(-[a-z]+)*$',
    '^(GET|POST)( [A-Z]+)?$',
    '^$|^[0-9]{9}$',
  ];
  const all = patterns.map((pattern) => ({ type: 'string', pattern }));
  const open = await openOf(schemas([...all, { ...all[8], minLength: 9, maxLength: 11 }]));
  expect(open.filter((line) => !line.includes(': the search for a value that violates'))).toEqual([]);
});

it('agree on numbers of every kind of bound', async () => {
  const number = { type: 'number' };
  const integer = { type: 'integer' };
  const open = await openOf(
    schemas([
      { ...integer, minimum: 5, maximum: 5 },
      { ...integer, exclusiveMinimum: 5, exclusiveMaximum: 7 },
      { ...integer, minimum: 0.5, maximum: 1.5 },
      { ...integer, multipleOf: 2.5, minimum: 1, maximum: 11 },
      { ...integer, multipleOf: 1_000_000 },
      { ...integer, maximum: -3 },
      { ...number, minimum: 0.1, maximum: 0.1 },
      { ...number, exclusiveMinimum: 0, exclusiveMaximum: 1e-9 },
      { ...number, multipleOf: 1e-7, minimum: 0 },
      { ...number, multipleOf: 0.01, exclusiveMinimum: 0 },
      { ...number, allOf: [{ multipleOf: 0.4 }, { multipleOf: 0.6 }], minimum: 1, maximum: 3 },
      { ...number, minimum: -1e300, maximum: 1e300 },
      { ...integer, minimum: -9007199254740993, maximum: 9007199254740993 },
    ]),
  );
  expect(open.filter((line) => !line.includes(': the search for a value that violates'))).toEqual([]);
});

it('agree on media types with parameters and ranges', async () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };
  const content = (name: string, described: object = { schema }) => ({ [name]: described });
  const open = await openOf(
    bodies([
      content('application/json; charset=utf-8'),
      content('application/json; version="1;2"'),
      { ...content('application/json; v=1'), ...content('application/json; v=2') },
      content('application/*+json'),
      content('application/*'),
      content('*/*'),
      content('application/vnd.api+json;charset=UTF-8'),
      content('text/*', { schema: { type: 'string' } }),
      content('text/plain;charset=utf-8', { schema: { type: 'string', maxLength: 9 } }),
      content('image/*', {}),
      content('image/svg+xml; charset=utf-8', { schema: { type: 'string' } }),
      content('application/octet-stream', { schema: { type: 'string', format: 'binary' } }),
      content('application/x-www-form-urlencoded; charset=utf-8'),
    ]),
  );
  expect(open).toEqual([]);
});

it('agree on directions in branches, and on objects that become parameters', async () => {
  const id = { type: 'integer', readOnly: true };
  const named = { type: 'object', properties: { id, name: { type: 'string' } }, required: ['id'] };
  const body = bodies(
    [
      { anyOf: [named, { type: 'object', properties: { id: { type: 'string' }, b: { type: 'string' } } }] },
      {
        oneOf: [
          { ...named, required: ['name'] },
          { type: 'array', items: { type: 'string' } },
        ],
      },
      { allOf: [named, { anyOf: [{ required: ['name'] }, { properties: { name: id } }] }] },
      {
        type: 'object',
        properties: { a: { anyOf: [{ type: 'string', readOnly: true }, { maxLength: 3 }] } },
      },
    ].map(json),
  );
  const properties = { a: { type: 'string' }, b: { type: 'integer' } };
  const parameters = [{ explode: true }, { explode: false }, { style: 'deepObject' }].flatMap((style) =>
    ['query', 'cookie'].flatMap((place) =>
      [{}, { additionalProperties: false }].map((more) => ({
        name: 'p',
        in: place,
        schema: { type: 'object', properties, ...more },
        ...(place === 'query' || !('style' in style) ? style : {}),
      })),
    ),
  );
  await openOf({ ...body, ...paths('object', parameters, (one) => ({ parameters: [one] })) });
});

it('agree on the rest of a document, beside remote references and operations without responses', async () => {
  const remote = { $ref: 'https://example.com/schemas/pet.json' };
  const get = (operationId: string, more: object) => ({ get: { operationId, ...more } });
  const ok = (schema: object) => ({ responses: { 200: { description: '', content: json(schema) } } });
  const { obligations } = await agree(
    buildDocument({
      paths: {
        '/remote': get('remote', ok(remote)),
        '/{id}/undescribed': get('undescribed', ok({ type: 'string' })),
        '/nowhere': get('nowhere', ok({ $ref: '#/components/schemas/Missing' })),
        '/parameter': get('parameter', { parameters: [remote], responses: NO_CONTENT }),
        '/fine': get('fine', ok({ type: 'integer' })),
        '/none': get('none', { responses: {} }),
        '/errors': get('errors', { responses: { 404: { description: 'none' } } }),
        '/empty': get('empty', {
          responses: { 204: { description: '', content: json({ type: 'object' }) } },
        }),
      },
    }),
  );
  const states = (operation: string) => [
    ...new Set(obligations.filter((one) => one.operation === operation).map(({ state }) => state)),
  ];
  for (const operation of ['remote', 'undescribed', 'nowhere', 'parameter'])
    expect([operation, ...states(operation)]).toEqual([operation, 'OUT OF REACH']);
  for (const operation of ['fine', 'none', 'errors', 'empty']) expect(states(operation)).toContain('PROVEN');
});

it('agree on names, templates and credentials of every kind', async () => {
  const names = ['filter[name]', 'a b', 'a&b', 'a+b', '\u00e4', '$top', 'constructor', "it's", '100%'];
  const templates = [
    ['/files/{name}.{ext}', ['name', 'ext']],
    ['/a/{id}:act', ['id']],
    ['/\u00e4/{\u00ef}', ['\u00ef']],
  ] as const;
  const templated = templates.map(([path, parts], i) => {
    const parameters = parts.map((name) => parameter(name, 'path', { type: 'string' }));
    return [path, { get: { operationId: `path${i}`, parameters, responses: NO_CONTENT } }];
  });
  const securitySchemes = {
    query: { type: 'apiKey', in: 'query', name: 'a key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
    header: { type: 'apiKey', in: 'header', name: 'Authorization' },
    basic: { type: 'http', scheme: 'basic' },
    bearer: { type: 'http', scheme: 'Bearer' },
    oauth: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://x.example', scopes: { r: '' } } },
    },
  };
  const requirements = [
    ...Object.keys(securitySchemes).map((name) => [{ [name]: name === 'oauth' ? ['r'] : [] }]),
    [{ query: [], cookie: [] }, { basic: [] }],
    [{}, { bearer: [] }],
    [{ bearer: [] }, { oauth: ['r'] }],
    [{ bearer: [], query: [] }, { oauth: ['r'] }],
  ];
  const requestBody = { content: json({ type: 'object' }) };
  const all = {
    ...paths('name', names, (name) => ({ parameters: [parameter(name, 'query', { type: 'integer' })] })),
    ...(Object.fromEntries(templated) as object),
    ...paths('secured', requirements, (security) => ({ security, requestBody })),
  };
  const { open, mock } = await agree(buildDocument({ paths: all, components: { securitySchemes } }));
  expect([mock.leftOut, open]).toEqual([[], []]);
});

it('agree on keywords of schemas that contradict what the prover expects', async () => {
  const integer = { type: 'integer' };
  const text = { type: 'string' };
  const open = await openOf(
    members([
      { not: text },
      { enum: [1, 'a', null, true] },
      { if: text, then: { minLength: 3 }, else: integer },
      { type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 2 },
      { type: 'array', uniqueItems: true, minItems: 2, items: integer },
      { type: 'array', contains: integer, minContains: 2 },
      { type: 'array', prefixItems: [integer], items: false },
      { type: 'object', patternProperties: { '^x-': integer }, additionalProperties: false },
      {
        oneOf: [
          { ...integer, minimum: 5 },
          { ...integer, maximum: 2 },
        ],
      },
      { ...text, maxLength: 0 },
      { type: 'object', unevaluatedProperties: false, allOf: [{ properties: { a: integer } }] },
      {},
    ]),
  );
  expect(open.filter((line) => line.includes('found none'))).toEqual([]);
});

/** Schemas with discriminators, whose first one is asked for and sent. */
const DISCRIMINATORS: Readonly<Record<string, Readonly<Record<string, object>>>> = (() => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const kind = { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] };
  const optional = { type: 'object', properties: { kind: { type: 'string' }, next: ref('It') } };
  const by = (mapping: object) => ({ discriminator: { propertyName: 'kind', mapping } });
  const child = (parent: string, name: string, ...required: string[]) => ({
    allOf: [ref(parent), { type: 'object', properties: { [name]: { type: 'integer' } }, required }],
  });
  const family = { Cat: child('It', 'claws'), Dog: child('It', 'bark'), Pup: child('Dog', 'age') };
  const alternatives = { oneOf: [ref('Cat'), ref('Dog')] };
  const own = { Cat: { ...kind, minProperties: 1 }, Dog: kind };
  return {
    'a family': { It: { ...kind, ...by({}) }, ...family },
    'a family with further names': { It: { ...kind, ...by({ feline: 'Cat', '': 'Pup' }) }, ...family },
    'a family whose property is optional': { It: { ...optional, ...by({}) }, ...family },
    'a list of a family': {
      It: { type: 'array', items: ref('Pet'), minItems: 1 },
      Pet: { ...kind, ...by({ c: 'Cat' }) },
      Cat: child('Pet', 'claws'),
    },
    'alternatives with names of their own': { It: { ...alternatives, ...by({ feline: 'Cat' }) }, ...own },
    'alternatives that inherit it': {
      It: { oneOf: [ref('Cat'), ref('Pup')] },
      Pet: { ...kind, ...by({ feline: 'Cat' }) },
      Cat: child('Pet', 'claws', 'claws'),
      Pup: child('Pet', 'age', 'age'),
    },
    'names without a family': { It: { ...kind, ...by({ a: 'It', b: 'It' }) } },
    'names inside another schema': { It: { allOf: [{ ...kind, ...by({ a: 'Cat' }) }] }, Cat: kind },
    'a mapping with odd names': { It: { ...alternatives, ...by({ $ref: 'Cat', 'a/b': 'Dog' }) }, ...own },
  };
})();

it.each(Object.keys(DISCRIMINATORS))('agree on discriminators: %s', async (name) => {
  const content = json({ $ref: '#/components/schemas/It' });
  const { open } = await agree(
    buildDocument({
      paths: {
        '/it': {
          get: { operationId: 'getIt', responses: { 200: { description: '', content } } },
          post: { operationId: 'postIt', requestBody: { required: true, content }, responses: NO_CONTENT },
        },
      },
      components: { schemas: DISCRIMINATORS[name] },
    }),
  );
  expect(open.filter((line) => line.includes('minimal request'))).toEqual([]);
});

it('agree on plain text of each type, and on parameters of one value or a list', async () => {
  const int64 = { type: 'integer', format: 'int64' };
  const texts = [
    int64,
    { type: 'boolean' },
    { type: 'integer', enum: [1, 2] },
    { type: 'number', minimum: 0.5 },
  ];
  const unions = [{ type: 'string', maxLength: 5 }, int64].map((one) => ({
    anyOf: [one, { type: 'array', minItems: 2, items: one }],
  }));
  const open = await openOf({
    ...paths('text', texts, (schema) => {
      const content = { 'text/plain': { schema } };
      return {
        requestBody: { required: true, content },
        responses: { 200: { description: '', content } },
      };
    }),
    ...paths('either', unions, (schema) => ({
      parameters: [
        parameter('a', 'query', schema),
        { ...parameter('b', 'query', schema), explode: false },
        parameter('c', 'header', schema),
      ],
    })),
  });
  expect(open.filter((line) => !line.includes(' violates: no value was found'))).toEqual([]);
});
