import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import { parse } from 'yaml';
import type { JsonObject } from 'contract-first-server';
import { typesOfAll } from '../../../../scripts/testing/compile';
import { useFolder } from '../../../../scripts/testing/folder';

const get = (operationId: string, answer: object) => ({ get: { operationId, responses: { 200: answer } } });
const buildDocument = (schemas: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'A', version: '1' },
  paths: { '/a': get('getA', response(A)) },
  components: { schemas },
  ...more,
});
const A = { $ref: '#/components/schemas/A' };
const response = (schema: unknown, more: object = {}) => ({
  description: '',
  content: { 'application/json': { schema, ...more } },
});

const kind = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };
const branches = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/My.Dog' }];
const pets = (mapping: object, keyword = 'oneOf') =>
  buildDocument({
    A: { [keyword]: branches, discriminator: { propertyName: 'kind', mapping } },
    Cat: kind,
    'My.Dog': kind,
    'Dog.json': { $ref: '#/components/schemas/My.Dog' },
  });
const LINKS = 200;
const row = Array.from(
  { length: LINKS },
  (_, i) => [`A${i}`, { $ref: `#/components/schemas/A${i + 1}` }] as const,
);
const PROTO = buildDocument({
  A: { oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: '__proto__' } },
  Cat: { type: 'object' },
});
/** No schema, so that a part has no types. */
const WRONG = { properties: { a: [] } };

/** Schemas, and what else a document has. */
const PARTS = parse(String.raw`
a mapping of a parent:
  schemas:
    A: { type: object, required: [kind], properties: { kind: { type: string } }, discriminator: { propertyName: kind, mapping: { cat: Cat } } }
    Cat: { allOf: [&A { $ref: '#/components/schemas/A' }] }
a mapping in a webhook:
  schemas: { A: { type: string }, Cat: &kind { type: object, required: [kind], properties: { kind: { type: string } } } }
  webhooks:
    w: { post: { responses: { 200: { description: '', content: { application/json: { schema: {
      oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: kind, mapping: { cat: Cat } } } } } } } } }
a reference in an extension:
  schemas: { A: { type: string, x-own: { $ref: none.json } } }
  x-host: { $ref: 'http://127.0.0.1:9/none' }
a reference in an example:
  schemas: { A: { type: object, example: { $ref: none.json }, examples: [{ $ref: '#/none' }], default: { $ref: '#/none' } } }
  paths:
    /a: { get: { operationId: getA, responses: { 200: { description: '', content: { application/json: {
      schema: { type: object }, examples: { a: { value: { $ref: '#/none' } } } } } } } } }
data like a schema:
  schemas: { A: { enum: [{ allOf: [1] }], const: { discriminator: { propertyName: a }, oneOf: [2] } } }
data like a schema, in keywords that are no annotations:
  schemas: { A: { type: object, dependentRequired: { allOf: [b], discriminator: [b] } } }
  paths:
    /a: { get: { operationId: getA, security: [{ allOf: ['a:read'] }], responses: { 200: { description: '',
      content: { application/json: { schema: *A } }, links: { self: { operationId: getA, parameters: { allOf: [1] } } } } } } }
headers by reference:
  schemas: { A: { type: string } }
  components:
    schemas: { A: { type: string } }
    headers: { Given: { required: true, schema: &S { $ref: '#/components/schemas/A' } }, Spared: { schema: *S }, Alias: { $ref: '#/components/headers/Spared' } }
  paths:
    /a: { get: { operationId: getA, responses: { 200: { description: '', headers: {
      X-Given: { $ref: '#/components/headers/Given' }, X-Spared: { $ref: '#/components/headers/Spared' }, X-Alias: { $ref: '#/components/headers/Alias' } } } } } }
percent signs:
  schemas: { A: { type: object, properties: { '%': { type: string, description: 100% } } } }
  paths:
    /%: { get: { operationId: /%, responses: &answers { 200: { description: '', content: { application/json: { schema: *A } } } } } }
    /%25: { get: { operationId: /%25, responses: *answers } }
    /%2: { get: { operationId: /%2, responses: *answers } }
    /a%20b: { get: { operationId: /a%20b, responses: *answers } }
  webhooks: { '%': { $ref: '#/paths/~1a%2520b' } }
a percent-encoded reference:
  paths:
    /{id}:
      parameters: [{ $ref: '#/components/parameters/%69d' }]
      get: { operationId: getOne, responses: { 200: { description: '', content: { application/json: { schema: { type: string } } } } } }
  components:
    schemas: { A: { $ref: '#/paths/~1%7Bid%7D/get/responses/200/content/application~1json/schema' } }
    parameters: { id: { name: id, in: path, required: true, schema: { type: string } } }
an anchor: { schemas: { A: { $ref: '#b' }, B: { $anchor: b, type: string } } }
boolean schemas: { schemas: { A: { allOf: [true], oneOf: [true, false], $defs: { a: true }, properties: { a: true, b: false } } } }
a reference into a list: { schemas: { A: { type: array, items: { type: string } }, B: { $ref: '#/components/schemas/A/items' } } }
a reference into a branch: { schemas: { A: { allOf: [*kind] }, B: { properties: { a: { $ref: '#/components/schemas/A/allOf/0' } } } } }
a reference into an operation:
  schemas: { A: { $ref: '#/paths/~1a/post/requestBody/content/application~1json/schema' } }
  paths:
    /a:
      get: { operationId: getA, responses: *answers }
      post:
        operationId: postA
        requestBody: { description: '', content: { application/json: { schema: { properties: { self: *A } } } } }
        responses: { 200: { description: '' } }
a comment that ends: { schemas: { A: { type: string, description: a */ b, default: '*/', title: '*/' } } }
`) as Readonly<Record<string, JsonObject & { readonly schemas?: JsonObject }>>;

/** Each makes openapi-typescript 7.13 throw, read a file, ask a host or write what does not compile. */
const DOCUMENTS: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(
    Object.entries(PARTS).map(([name, { schemas = {}, ...more }]) => [name, buildDocument(schemas, more)]),
  ),
  'a mapping with names': pets({ cat: 'Cat' }),
  'a mapping with a name that has a dot': pets({ dog: 'My.Dog' }),
  'a mapping with a name like a file': pets({ dog: 'Dog.json' }),
  'a mapping with the name $ref': pets({ $ref: 'Cat', b: '#/components/schemas/Cat' }),
  'a mapping of anyOf': pets({ cat: 'Cat' }, 'anyOf'),
  'a discriminator with a name of all objects': PROTO,
  'a mapping that no operation uses': { ...pets({ cat: 'Cat' }), paths: {} },
  'a long chain': buildDocument({
    A: { allOf: [{ $ref: '#/components/schemas/A0' }], required: ['a'] },
    ...Object.fromEntries(row),
    [`A${LINKS}`]: { properties: { a: {} } },
  }),
  'odd names of operations': buildDocument(
    { A: { type: 'string' } },
    {
      paths: Object.fromEntries(
        ['', 'a\nb', 'delete', '__proto__', "a'b", 'a\\b', '\u2028', '😀', 'x'.repeat(500)].map(
          (operationId, i) => [`/${i}`, get(operationId, { description: '' })],
        ),
      ),
    },
  ),
};

const folder = useFolder();
let types: ReturnType<typeof typesOfAll>;
beforeAll(() => {
  const paths = { '/b': get('getB', response(WRONG)) };
  const partly = buildDocument({ A: { type: 'string' }, B: WRONG }, { paths });
  types = typesOfAll([...Object.values(DOCUMENTS), partly]);
});

it('every document has types that compile, without skipLibCheck', () => {
  const files = Object.keys(DOCUMENTS).map((name, i) =>
    folder.write({ [`${name.replaceAll(' ', '-')}.d.ts`]: types[i]?.text ?? '' }),
  );
  const program = ts.createProgram(files, {
    noEmit: true,
    strict: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
  });
  const errors = ts
    .getPreEmitDiagnostics(program)
    .map((one) => `${one.file?.fileName}: ${ts.flattenDiagnosticMessageText(one.messageText, '\n')}`);
  expect(errors).toEqual([]);
  expect(types.slice(0, -1).flatMap(({ untyped }) => untyped)).toEqual([]);
});

it('a part without types is unknown, with its place, and the others have theirs', () => {
  const last = types.at(-1);
  expect(last?.untyped.map(({ pointer }) => pointer)).toEqual([
    '/paths/~1b/get/responses/200/content/application~1json/schema',
    '/components/schemas/B',
  ]);
  expect(last?.text).toMatch(/^ {8}A: string;$/m);
  expect(last?.text).toMatch(/^ {8}B: unknown;$/m);
  expect(last?.text).toMatch(/"application\/json": unknown;$/m);
});

it('keeps the names of a mapping, and the type of what a reference inside another schema leads to', () => {
  const text = (name: string) => types[Object.keys(DOCUMENTS).indexOf(name)]?.text;
  expect(text('a mapping with names')).toContain('kind: "cat"');
  expect(text('a reference into a list')).toMatch(/B: components\["schemas"\]\["A_items"\];/);
});

it('a header that is not required is optional, by reference too', () => {
  const text = types[Object.keys(DOCUMENTS).indexOf('headers by reference')]?.text;
  expect(text).toMatch(/"X-Given": components/);
  expect(text).toMatch(/"X-Spared"\?: components/);
  expect(text).toMatch(/"X-Alias"\?: components/);
});

it('a long header is written once, however many responses refer to it', () => {
  const schema = { enum: Array.from({ length: 1_000 }, (_, i) => `value ${i}`) };
  const documentWith = (count: number) => {
    const headers = { 'X-A': { $ref: '#/components/headers/A' } };
    const paths = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`/${i}`, get(`get${i}`, { description: '', headers })]),
    );
    return buildDocument({}, { paths, components: { headers: { A: { schema } } } });
  };
  const [one = NaN, ten = NaN] = typesOfAll([documentWith(1), documentWith(10)]).map(
    ({ text }) => text.length,
  );
  expect(ten - one).toBeLessThan(JSON.stringify(schema).length);
});

/** What openapi-typescript writes by itself, or its error. */
function plainTypes(documents: readonly JsonObject[]): string[] {
  const program = `
    const { astToString, scanDiscriminators, transformSchema } = require('openapi-typescript');
    const typesOf = (document) => {
      const discriminators = scanDiscriminators(document, { silent: true });
      return astToString(transformSchema(document, { discriminators, injectFooter: [], resolve() {} }));
    };
    console.log(JSON.stringify(JSON.parse(process.argv[1]).map((document) => {
      try { return typesOf(document); } catch (error) { return String(error); }
    })));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program, JSON.stringify(documents)], {
    cwd: __dirname,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as string[];
}

it('openapi-typescript cannot take two names: once it can, types.ts need not hide them', () => {
  const named = (operationId: string) =>
    buildDocument({ A: {} }, { paths: { '/a': get(operationId, { description: '' }) } });
  const [plain, percent, encoded, proto] = plainTypes([named('getA'), named('%'), named('%25'), PROTO]);
  expect(plain).toContain('operations["getA"]');
  expect(percent).toContain('URIError: URI malformed');
  expect(encoded).toContain('operations["%"]');
  expect(proto).toContain('Cat: ');
  expect(proto).not.toContain('"Cat";');
  const index = Object.keys(DOCUMENTS).indexOf('a discriminator with a name of all objects');
  expect(types[index]?.text).toContain('__proto__: "Cat"');
});
