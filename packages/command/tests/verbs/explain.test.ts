import ts from 'typescript';
import { explain } from '../../src/compiler/explain';
import { compileTexts, typesOf } from '../../../../scripts/testing/compile';
import { buildDocument, json } from '../../../../scripts/testing/service';

// Every kind of mistake in handlers, at every place, and the first lines that the compiler prints for it.

const parameter = (place: string, name: string, more: object = {}) => ({
  in: place,
  name,
  required: place === 'path',
  schema: { type: 'string' },
  ...more,
});
const PLACES = ['path', 'query', 'header', 'cookie'] as const;
const thing = {
  type: 'object',
  required: ['name', 'size', 'parts', 'inner'],
  properties: {
    name: { type: 'string' },
    size: { type: 'integer', format: 'int64' },
    color: { enum: ['red', 'green'] },
    inner: { type: 'object', required: ['deep'], properties: { deep: { type: 'boolean' } } },
    parts: {
      type: 'array',
      items: { type: 'object', required: ['weight'], properties: { weight: { type: 'number' } } },
    },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, maxItems: 2 },
    anything: {},
    note: { type: 'string', default: 'none' },
  },
};
const header = (required: boolean, schema: object) => ({ required, schema });
const text = { type: 'string' };
const objectOf = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });
const DOCUMENT = buildDocument({
  security: [{ bearer: [] }],
  components: {
    schemas: { Article: objectOf({ slug: text, title: text, author: objectOf({ name: text }) }) },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'query', name: 'k' },
      users: { type: 'http', scheme: 'basic' },
    },
  },
  paths: {
    '/things/{id}': {
      put: {
        operationId: 'putThing',
        security: [{ bearer: [] }, { key: [] }, { users: [] }],
        parameters: [
          parameter('path', 'id'),
          ...PLACES.slice(1).map((place) =>
            parameter(place, 'usual', { schema: { type: 'string', default: 'x' } }),
          ),
        ],
        requestBody: { required: true, content: json(thing) },
        responses: {
          200: {
            description: '',
            headers: {
              'X-Needed': header(true, { type: 'integer' }),
              'X-Other': header(false, { type: 'string' }),
            },
            content: json(thing),
          },
          204: { description: '' },
          404: {
            description: '',
            content: {
              'application/problem+json': {
                schema: { type: 'object', additionalProperties: { type: 'number' } },
              },
            },
          },
        },
      },
      delete: {
        operationId: 'delete-thing',
        parameters: [parameter('path', 'id')],
        responses: { '2XX': { description: '' }, default: { description: '' } },
      },
    },
    '/streams': {
      get: {
        operationId: 'follow',
        responses: {
          200: {
            description: '',
            content: { 'application/jsonl': { 'x-item-schema': { $ref: '#/components/schemas/Article' } } },
          },
          203: { description: '', content: { 'image/png': {} } },
        },
      },
    },
    '/articles/{slug}': {
      put: {
        operationId: 'putArticle',
        parameters: [parameter('path', 'slug'), parameter('query', 'limit', { schema: { type: 'integer' } })],
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/Article' }) },
        responses: {
          200: { description: '', content: json({ $ref: '#/components/schemas/Article' }) },
          404: { description: '', content: json(objectOf({ message: text })) },
        },
      },
    },
  },
});

const FOLDER = __dirname;
const TYPES = `
  import type { Handlers as HandlersOf } from 'contract-first-server';
  import type { components, operations, security } from './openapi';
  export interface Client { readonly id: string }
  interface Principals { readonly bearer: Client; readonly key: Client; readonly users: Client }
  export type Handlers = HandlersOf<operations, security, Principals>;
  type Article = components['schemas']['Article'];
  export interface Store {
    get(slug: string, limit?: number): Promise<Article | undefined>;
    put(slug: string, article: Article): Promise<Article>;
  }
  export type CreateHandler<Id extends keyof Handlers> = (dependencies: { readonly store: Store }) => Handlers[Id];
  export const errorBody = (message: string) => ({ message });`;

/** The three ways to write a handler. */
const WAYS: Readonly<Record<string, (id: string, body: string) => string>> = {
  block: (id, body) => `export const it: Handlers['${id}'] = async (request) => { ${body} };`,
  curried: (id, body) =>
    `export const it: CreateHandler<'${id}'> =\n  (store) =>\n  async (request) => { void store; ${body} };`,
  branches: (id, body) =>
    `export const it: Handlers['${id}'] = async (request) => { if (request.requestId === '') return { status: 204 }; ${body} };`,
};

const FULL = `name: '', size: 1n, inner: { deep: true }, parts: [{ weight: 1 }]`;
const answer = (body: string, headers = `'X-Needed': 1`) =>
  `return { status: 200, headers: { ${headers} }, body: { ${body} } };`;
const without = (name: string) =>
  FULL.replace(new RegExp(`(^|, )${name}: (\\{.*?\\}|\\[.*?\\]|[^,]+)`), '').replace(/^, /, '');

/** Statements of a handler of putThing, and what the first two lines say behind its operationId. */
type Mistake = readonly [name: string, body: string, said: string | RegExp];

const STATUSES = [100, 201, 202, 206, 301, 400, 401, 403, 409, 418, 500, 503];
const with200 = (said: string) => new RegExp(`^ with the status 200: ${said}`);
const unknown = (part: string): Mistake => [
  `an unknown ${part}`,
  `return void request.${part}.unheardOf, { status: 204 };`,
  PLACES.some((place) => place === part)
    ? `: the document has no ${part} parameter unheardOf: expected ${part === 'path' ? 'id' : 'usual'}, or`
    : ": Property 'unheardOf' does not exist",
];
/** Wrong answers, by what is said of them. */
const WITH_200: Readonly<Record<string, string>> = {
  'body/inner/deep is missing: expected boolean': answer(`${without('inner')}, inner: {}`),
  'body/parts/0/weight: expected number, got string': answer(`${without('parts')}, parts: [{ weight: '' }]`),
  'body is missing': `return { status: 200, headers: { 'X-Needed': 1 } };`,
  'headers is missing.*X-Needed': `return { status: 200, body: { ${FULL} } };`,
  'headers/X-Needed is missing: expected number': answer(FULL, `'X-Other': ''`),
  'headers/X-Needed: expected number, got string': answer(FULL, `'X-Needed': ''`),
  'headers/X-Other: expected string.*, got number': answer(FULL, `'X-Needed': 1, 'X-Other': 1`),
};
const MISTAKES: readonly Mistake[] = [
  ...STATUSES.map((status): Mistake => [
    `the undocumented status ${status}`,
    `return { status: ${status}, body: { error: 1 } };`,
    ` returns the status ${status}, which the document does not have: expected 200, 204 or 404, or the status in openapi/\n`,
  ]),
  ...['name', 'size', 'inner', 'parts'].map((name): Mistake => [
    `no body/${name}`,
    answer(without(name)),
    with200(`body/${name} is missing`),
  ]),
  ...(
    [
      ['name', '1', 'string', 'number'],
      ['size', '1', 'bigint', 'number'],
      ['color', "String('red')", '"red" \\| "green"', 'string'],
      ['parts', '{}', '', '{}'],
    ] as const
  ).map(([name, value, expected, got]): Mistake => [
    `body/${name} of another type`,
    answer(`${without(name)}, ${name}: ${value}`),
    with200(`body/${name}: expected ${expected}.*, got ${got}`),
  ]),
  ...Object.entries(WITH_200).map(([said, body]): Mistake => [said, body, with200(said)]),
  [
    'another media type',
    `return { status: 404, contentType: 'text/plain', body: {} };`,
    /^ with the status 404: contentType: expected "application\/problem\+json".*, got "text\/plain"/,
  ],
  ['no status', `return { body: { name: '' } };`, /^ returns .*: expected a response with a status/],
  ...PLACES.map((place): Mistake => [
    `a parameter in ${place} as another type`,
    `const it: number = request.${place}.${place === 'path' ? 'id' : 'usual'}; return void it, { status: 204 };`,
    ": Type 'string' is not assignable to type 'number'",
  ]),
  ...[...PLACES, 'body', 'body.inner', 'principal'].map(unknown),
  [
    'an unknown part',
    'return void request.unheardOf, { status: 204 };',
    ": Property 'unheardOf' does not exist",
  ],
];

/** Handlers that compile. */
const CORRECT: readonly [string, string][] = [
  ['a full answer', answer(FULL)],
  ['an answer without a body', `return { status: 204 };`],
  [
    'a read-only object',
    `const body: Readonly<{ name: string }> & { readonly size: bigint; readonly inner: { readonly deep: boolean }; readonly parts: readonly { readonly weight: number }[] } = { ${FULL} }; return { status: 200, headers: { 'X-Needed': 1 }, body };`,
  ],
  [
    'a constant',
    `const body = { ${FULL}, color: 'red', pair: ['', 1], anything: [1] } as const; return { status: 200, headers: { 'X-Needed': 1 }, body };`,
  ],
  [
    'a frozen list',
    `const parts: readonly { weight: number }[] = Object.freeze([{ weight: 1 }]); ${answer(`${without('parts')}, parts`)}`,
  ],
  [
    'defaults are present',
    `const it: string = request.query.usual + request.header.usual + request.cookie.usual + request.body.note; return void it, { status: 204 };`,
  ],
];

const TABLE = `import type { Client } from './handlers'; import type { StrategyOf } from 'contract-first-server';
  import type { VerifiersFor, Verifier } from 'contract-first-server/runtime'; import type { security } from './openapi';
  declare const verifier: Verifier; declare const strategy: StrategyOf<Client>;`;
const SCHEMES = ['bearer', 'key', 'users'];
const table = (schemes: readonly string[]) =>
  `${TABLE}\nexport const verifiers = { ${schemes.map((name) => `${name}: verifier`).join(', ')} } satisfies VerifiersFor<security>;`;

/** Whole files. */
const FILES: readonly [string, string, RegExp][] = [
  ...SCHEMES.map((missing): [string, string, RegExp] => [
    `the scheme ${missing} without a verifier`,
    table(SCHEMES.filter((name) => name !== missing)),
    new RegExp(`^no verifier for the security scheme ${missing}: .*src/auth\\.ts$`, 'm'),
  ]),
  [
    'no verifier at all',
    table([]),
    /^no verifier for the security scheme bearer, key or users: .*src\/auth\.ts$/m,
  ],
  [
    'a verifier for no scheme',
    table([...SCHEMES, 'other']),
    /^no operation requires the security scheme other: .*src\/auth\.ts$/m,
  ],
  ['a strategy of the service', table(SCHEMES).replace('users: verifier', 'users: strategy'), /^$/],
  [
    'a missing handler',
    `export const createHandlers = (): Handlers => ({ 'delete-thing': async () => ({ status: 204 }) });`,
    /^no handler for putThing, follow, putArticle: `npx contract-first generate/m,
  ],
  [
    'a handler for no operation',
    `declare const it: Handlers; export const createHandlers = (): Handlers => ({ putThing: it.putThing, 'delete-thing': it['delete-thing'], putArticle: it.putArticle, follow: it.follow, getThing: it.putThing });`,
    /^getThing is not an operation of the document/m,
  ],
  [
    'a handler that is not created from the dependencies',
    `export const it: CreateHandler<'delete-thing'> = async () => ({ status: 204 });`,
    /^it must be a function that takes the dependencies and returns the handler: write \(dependencies\) => before it/,
  ],
  [
    'a status within a range',
    `export const it: Handlers['delete-thing'] = async () => ({ status: 404 });`,
    /^$/,
  ],
  [
    'an answer without a status',
    `export const it: Handlers['delete-thing'] = async () => ({});`,
    /^delete-thing returns \{\}: expected a response with a status/m,
  ],
  [
    'an expression as the body of a handler',
    `export const it: Handlers['putThing'] = async () => ({ status: 418 });`,
    /^ returns the status 418, which/,
  ],
  ...(
    [
      ["203, body: ''", '203: body: expected .*Blob.*FileHandle.*, got string'],
      ['203, body: new Uint8Array(1)', ''],
      ['200, body: [1]', '200: body: expected a stream of items, got number\\[\\]'],
      ['200, body: ReadableStream.from([1])', '200: body, each item: expected .*slug.*, got number'],
      ["200, body: (async function* () { yield { slug: '' }; })()", '200: body, each item/title is missing'],
    ] as const
  ).map(([answered, said]): [string, string, RegExp] => [
    `the answer ${answered}`,
    `export const it: Handlers['follow'] = async () => ({ status: ${answered} });`,
    new RegExp(said === '' ? '^$' : `^follow with the status ${said}`),
  ]),
  [
    'a name that does not exist, elsewhere',
    `export const it: number = unheardOf;`,
    /^Cannot find name 'unheardOf'/m,
  ],
];

/** A handler with all that one may need. A fault is put into it: what is replaced -> by what | how the first line begins. */
const BODY = `{
    const article = await store.get(slug, query.limit);
    if (!article) return { status: 404, body: errorBody('there is none') };
    const title: string = article.title;
    return { status: 200, body: await store.put(slug, { ...article, ...body, title, author: { name: principal.bearer.id } }) };
  }`;
const FAULTS = `
store.get(slug, -> store.get(1,                     | putArticle: Argument of type 'number'
await store.get -> store.get                        | putArticle: title reads a property of a promise: write await
await store.put -> store.put                        | putArticle with the status 200: body: expected a value, got a promise: write await
async           ->                                  | putArticle must return a promise: write async
status: 200     -> status: Number(200)              | putArticle returns a status of the type number
status: 200     -> status: '200'                    | putArticle returns a status of the type string: expected 200 or 404
status: 200,    -> status: 200, headers: { 'X-A': 1 }, | putArticle with the status 200: headers: 
errorBody('there is none') -> {}                    | putArticle with the status 404: body/message is missing
return { status: 404, body: errorBody('there is none') } -> return null | putArticle returns null: expected a response with a status
return { status: 200 -> if (title) return { status: 200 | putArticle
query.limit     -> query['x-limit']                 | putArticle: the document has no query parameter x-limit: expected limit
article.title;  -> \`\${query.title}\`; const { size } = query; void size; | putArticle: the document has no query parameter title: expected limit
const title: string -> const { size } = query; const title: string | putArticle: the document has no query parameter size: expected limit
{ slug }        -> { key: slug }                    | putArticle: the document has no path parameter key: expected slug
{ slug }        -> { id }                           | putArticle: the document has no path parameter id: expected slug
{ path:         -> { paths:                         | putArticle: Property 'paths' does not exist
{ name: principal -> { nam: principal               | putArticle: Object literal may only specify known properties, but 'nam' does not exist
principal.bearer -> principal.token                 | putArticle: Property 'token' does not exist
store.get       -> store.find                       | putArticle: Property 'find' does not exist on type 'Store'
{ store }       -> { stores: store }                | putArticle: Property 'stores' does not exist
title: string = -> title: number =                  | putArticle: Type 'string' is not assignable to type 'number'
if (!article)   -> if (!slug)                       | putArticle: 'article' is possibly 'undefined'
errorBody(      -> errorBdy(                        | putArticle: Cannot find name 'errorBdy'
errorBody }     -> errorBodi }                      | '"./handlers"' has no exported member named 'errorBodi'
'./handlers'    -> './handler'                      | Cannot find module './handler'
<'putArticle'>  -> <'setArticle'>                   | setArticle is not an operation of the document
('there is none') -> ('there is none'               | ',' expected.
404, body:      -> 404, body {                      | ',' expected.
none'           -> none                             | Unterminated string literal.
const title     -> const const title                | 'const' is not allowed
const title     -> } const title                    | 
`;
const HEAD = `import { type CreateHandler, errorBody } from './handlers';\nexport const putArticle: CreateHandler<'putArticle'> =`;
const REQUEST = '{ path: { slug }, query, body, principal }';
/** The forms in which people write a handler. */
const FORMS = {
  'a factory': `${HEAD} ({ store }) => async (${REQUEST}) => ${BODY};`,
  'a factory with a block': `${HEAD} ({ store }) => { return async (${REQUEST}) => ${BODY}; };`,
  'a function expression': `${HEAD} ({ store }) => async function (${REQUEST}) ${BODY};`,
};
const faults = Object.entries(FORMS).flatMap(([form, correct]) => [
  { title: form, source: correct, headline: undefined },
  ...FAULTS.trim()
    .split('\n')
    .map((row) => {
      const [change = '', headline = ''] = row.split(' | ');
      const [was = '', is = ''] = change.split('->').map((cell) => cell.trim());
      const source = correct.replace(was, () => is);
      if (source === correct) throw new Error(`expected ${was} in ${form}`);
      return { title: `${change.trim()}, in ${form}`, source, headline };
    }),
]);

const ways = Object.entries(WAYS);
const CASES: readonly (readonly [name: string, source: string, expected: string | RegExp])[] = [
  ...ways.flatMap(([way, write]) =>
    MISTAKES.map(([name, body, said]) => [`${name} (${way})`, write('putThing', body), said] as const),
  ),
  ...ways.flatMap(([way, write]) =>
    CORRECT.map(([name, body]) => [`${name} (${way})`, write('putThing', body), /^$/] as const),
  ),
  ...FILES,
];

const files = CASES.map(
  ([, source], i) =>
    [`case-${i}.ts`, `import type { CreateHandler, Handlers } from './handlers';\n${source}`] as const,
);
const { program, diagnosticsOf } = compileTexts(FOLDER, {
  'openapi.d.ts': typesOf(DOCUMENT),
  'handlers.ts': TYPES,
  ...Object.fromEntries(files),
  ...Object.fromEntries(faults.map(({ source }, i) => [`fault-${i}.ts`, source])),
});
const saidOf = (file: string): string[] =>
  explain(program, diagnosticsOf(file)).map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );

test.each(CASES.map(([name, , expected], i) => [name, expected, `case-${i}.ts`] as const))(
  '%s',
  (_, expected, file) => {
    const [message = ''] = saidOf(file);
    const said = message
      .replace(/^putThing/, '')
      .split('\n')
      .slice(0, 2)
      .join('\n');
    if (typeof expected === 'string') expect(said.slice(0, expected.length)).toBe(expected);
    else expect(said).toMatch(expected);
  },
);

test.each(faults.map((one, i) => [one.title, one, i] as const))(
  'the headline is about the fault: %s',
  (_, { headline }, i) => {
    const lines = saidOf(`fault-${i}.ts`).flatMap((message) => message.split('\n'));
    if (headline === undefined) expect(lines).toEqual([]);
    else expect(lines[0]?.slice(0, headline.length)).toBe(headline);
    expect(lines.length).toBeLessThanOrEqual(6);
    // Only a fault of an answer is said to be of one.
    const isOfAnswer = /^putArticle($| with | returns )/.test(headline ?? '');
    expect(isOfAnswer ? [] : lines.filter((line) => / returns |with the status/.test(line))).toEqual([]);
  },
);
