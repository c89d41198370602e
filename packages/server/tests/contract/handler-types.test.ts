import ts from 'typescript';
import { compileTexts, typesOf } from '../../../../scripts/testing/compile';
import { NAMES } from '../../../../scripts/testing/names';
import { buildDocument, json } from '../../../../scripts/testing/service';

const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) });
const error = json(object({ error: { type: 'integer' }, message: { type: 'string' } }));
const BYTES = { type: 'string', format: 'binary' };
const SHARED = { $ref: '#/components/schemas/Bytes' };
const notice = (kind: string, value: object) => ({
  type: 'object',
  required: ['event', 'data'],
  properties: {
    event: { const: kind },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: value },
  },
});
const answer = (content: object) => ({ 200: { description: 'done', content } });
const DOCUMENT = buildDocument({
  security: [{ bearerAuth: [] }],
  components: {
    mediaTypes: {
      Upload: {
        schema: { $ref: '#/components/schemas/Upload' },
        encoding: { scan: { contentType: 'image/png, image/*' }, scans: { contentType: 'image/png' } },
      },
    },
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Secret: { type: 'string' },
      Bytes: BYTES,
      Photo: { allOf: [SHARED], description: 'a photo' },
      Upload: object({
        title: { type: 'string' },
        photo: { $ref: '#/components/schemas/Photo' },
        more: { type: 'array', items: SHARED },
        map: { anyOf: [{ type: 'string', contentMediaType: 'image/png' }, { type: 'null' }] },
        text: { type: 'string', contentMediaType: 'text/csv' },
        coded: { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' },
        scan: {},
        scans: { type: 'array', items: {} },
        facts: { type: 'object', properties: { raw: BYTES } },
      }),
      Added: notice('added', { $ref: '#/components/schemas/Thing' }),
      Thing: {
        type: 'object',
        required: ['name', 'secret'],
        properties: {
          name: { type: 'string' },
          secret: { $ref: '#/components/schemas/Secret', writeOnly: true },
          made: { type: 'string', readOnly: true },
          color: { $ref: '#/components/schemas/Color' },
          either: { anyOf: [{ type: 'string', writeOnly: true }, { type: 'null' }] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
        },
      },
      Color: { type: 'string', default: 'green' },
      Part: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
      Open: {
        type: 'object',
        properties: { name: { type: 'string' } },
        additionalProperties: { type: 'string' },
      },
      Pet: {
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string' }, age: { type: 'integer', default: 1 } },
        discriminator: { propertyName: 'kind' },
      },
      Dog: {
        allOf: [
          { $ref: '#/components/schemas/Pet' },
          { type: 'object', required: ['packSize'], properties: { packSize: { type: 'integer' } } },
        ],
      },
    },
  },
  operation: {
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 10 } },
      { name: 'page', in: 'query', schema: { type: 'integer' } },
    ],
    requestBody: {
      required: true,
      content: json({
        allOf: [
          { $ref: '#/components/schemas/Thing' },
          object({ id: { type: 'integer', format: 'int64' } }),
          {
            properties: {
              open: { $ref: '#/components/schemas/Open' },
              left: {
                type: 'object',
                properties: { a: { type: 'string' } },
                unevaluatedProperties: { type: 'string' },
              },
              dog: { $ref: '#/components/schemas/Dog' },
            },
          },
          { required: ['made'] },
        ],
      }),
    },
    responses: {
      200: { description: 'done', content: json({ $ref: '#/components/schemas/Thing' }) },
      400: { description: 'refused', content: error },
      401: {
        description: 'who is it?',
        headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } },
        content: error,
      },
    },
  },
});

const REPORT = {
  operationId: 'putReport',
  requestBody: {
    content: {
      ...json(object({ rows: { type: 'integer' } })),
      'text/csv': { schema: { type: 'string' } },
      'image/*': {},
    },
  },
  responses: {
    200: {
      description: 'done',
      content: { ...json(object({ rows: { type: 'integer' } })), 'text/csv': { schema: { type: 'string' } } },
    },
    201: { description: 'made', content: { 'text/plain': { schema: { type: 'string' } } } },
    404: {
      description: 'refused',
      content: { ...error, 'application/problem+json': error['application/json'] },
    },
  },
};
/** A response of its own, a range, and all others. */
const RANGES = {
  operationId: 'putRange',
  responses: {
    200: { description: 'done', content: json(object({ rows: { type: 'integer' } })) },
    404: { description: 'gone' },
    '4XX': { description: 'refused', content: error },
    default: { description: 'failed', content: json(object({ title: { type: 'string' } })) },
  },
};
/** Files, uploads and streams: an operation for each, by the method. */
const STREAMS = {
  post: {
    operationId: 'upload',
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Upload' } } },
    },
    responses: answer(json({ $ref: '#/components/schemas/Upload' })),
  },
  put: {
    operationId: 'store',
    requestBody: { required: true, content: { 'video/*': { 'x-stream': true, schema: SHARED } } },
    responses: answer({ 'image/png': { schema: SHARED }, 'image/gif': {} }),
  },
  patch: {
    operationId: 'sum',
    requestBody: {
      required: true,
      content: { 'application/jsonl': { 'x-item-schema': { $ref: '#/components/schemas/Thing' } } },
    },
    responses: answer({
      'application/x-ndjson': {
        schema: { type: 'string' },
        'x-item-schema': { $ref: '#/components/schemas/Thing' },
      },
    }),
  },
  get: {
    operationId: 'follow',
    responses: answer({
      'text/event-stream': {
        'x-item-schema': {
          properties: { data: { type: 'string' } },
          oneOf: [{ $ref: '#/components/schemas/Added' }, notice('left', {})],
        },
      },
    }),
  },
  delete: {
    operationId: 'receive',
    requestBody: { required: true, content: { 'image/png': { schema: { type: 'string' } } } },
    responses: answer({ 'text/event-stream': { 'x-item-schema': object({ data: { type: 'string' } }) } }),
  },
};
/** What OpenAPI 3.2 adds. */
const QUERY = (schema: object, required: boolean) => ({
  in: 'querystring',
  name: 'all',
  required,
  content: { 'application/json': { schema } },
});
const LATER = {
  parameters: [{ in: 'header', name: 'X-Depth', required: true, schema: { type: 'integer' } }],
  query: {
    operationId: 'search',
    parameters: [QUERY({ type: 'array', items: { type: 'integer', format: 'int64' } }, true)],
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { $ref: '#/components/mediaTypes/Upload' } },
    },
    responses: answer({ 'application/jsonl': { itemSchema: { $ref: '#/components/schemas/Thing' } } }),
  },
  additionalOperations: {
    COPY: {
      operationId: 'copy',
      parameters: [QUERY(object({ to: { type: 'string' } }), false)],
      responses: { 204: { description: 'done' } },
    },
  },
};
/** An operation for each name, with a property and a parameter of that name. */
const NAMED = NAMES.map((name, i) => {
  const content = json({ ...object({ [name]: { type: 'string', description: name } }), description: name });
  const put = {
    operationId: `name${i}`,
    parameters: [{ name, in: 'query', required: true, schema: { enum: [name] } }],
    requestBody: { required: true, content },
    responses: { 200: { description: name, content } },
  };
  return [`/names/${i}`, { put }] as const;
});
const { paths, ...rest } = DOCUMENT;
const WITH_REPORT = {
  ...rest,
  openapi: '3.2.0',
  paths: {
    ...(paths as object),
    ...Object.fromEntries(NAMED),
    '/report': { put: REPORT },
    '/streams': STREAMS,
    '/later': LATER,
    '/range': { put: RANGES },
  },
};

const HANDLERS = `
  import type { Handlers as HandlersOf } from '../../src/contract/handler-types';
  import type { operations, security } from './openapi';
  export type Handlers = HandlersOf<operations, security, { readonly bearerAuth: { readonly id: string } }>;`;

const TYPES = typesOf(WITH_REPORT);

/** Compiles sources with the types of the document. Returns the diagnostics by source. */
function compile(sources: readonly string[]): ReadonlyMap<string, string> {
  const cases = sources.map(
    (source, i) => [`case-${i}.ts`, `import type { Handlers } from './handlers';\n${source}`] as const,
  );
  const texts = { 'openapi.d.ts': TYPES, 'handlers.ts': HANDLERS, ...Object.fromEntries(cases) };
  const { diagnosticsOf } = compileTexts(__dirname, texts);
  const messages = cases.map(([name]) =>
    diagnosticsOf(name)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
      .join('\n'),
  );
  return new Map(sources.map((source, i) => [source, messages[i] ?? '']));
}

const handler = (body: string) => `export const h: Handlers['postThing'] = async (request) => { ${body} };`;

const put = (body: string) => `export const h: Handlers['putReport'] = async (request) => { ${body} };`;

/** A response belongs to its status, then to its range, then to `default`: another body does not compile. */
const RESPONSES_OF_RANGES: readonly (readonly [response: string, expected: RegExp])[] = [
  ['{ status: 200, body: { rows: 1 } }', /^$/],
  ["{ status: 200, body: { title: '' } }", /not assignable/],
  ["{ status: 200, body: { error: 1, message: '' } }", /not assignable/],
  ['{ status: 404 }', /^$/],
  ["{ status: 404, body: { error: 1, message: '' } }", /not assignable|does not exist/],
  ["{ status: 404, body: { title: '' } }", /not assignable|does not exist/],
  ["{ status: 409, body: { error: 1, message: '' } }", /^$/],
  ["{ status: 409, body: { title: '' } }", /not assignable/],
  ["{ status: 201, body: { title: '' } }", /^$/],
  ["{ status: 503, body: { title: '' } }", /^$/],
  ["{ status: 503, body: { error: 1, message: '' } }", /not assignable|does not exist/],
  ["{ status: 600, body: { title: '' } }", /not assignable/],
];

/** A handler that uses the name, and one that leaves it out. */
const WITH_NAMES = NAMES.map((name, i) => {
  const quoted = JSON.stringify(name);
  return `export const with${i}: Handlers['name${i}'] = async ({ query, body }) => {
      const one: ${quoted} = query[${quoted}];
      return { status: 200, body: { [${quoted}]: one + body[${quoted}] } };
    };
    // @ts-expect-error
    export const without${i}: Handlers['name${i}'] = async () => ({ status: 200, body: {} });`;
}).join('\n');

/** What handlers of files, uploads and streams receive and return: a wrong file, and a wrong item, do not compile. */
const STREAMED: readonly (readonly [operation: string, text: string, expected: RegExp])[] = [
  [
    'upload',
    `const loose: File = body.scan; return { status: 200, body: { ...body, scan: '' } };`,
    /'unknown' is not assignable to type 'File'/,
  ],
  [
    'upload',
    `const one: File = body.photo; const all: File[] = body.more; const map: File | null = body.map;
     const texts: string[] = [body.title, body.text, body.coded, body.facts.raw ?? ''];
     return { status: 200, body: { ...body, photo: one.name, more: all.map(({ type }) => type), map: map && map.name } };`,
    /^$/,
  ],
  ['upload', 'const bytes: Uint8Array = body.photo;', /'File' is missing/],
  ['upload', 'return { status: 200, body };', /File/],
  [
    'store',
    `const stream: ReadableStream<Uint8Array> = body;
     return { status: 200, contentType: 'image/gif', body: stream };`,
    /^$/,
  ],
  ['store', 'return { status: 200, body: await open() };', /^$/],
  ['store', "return { status: 200, body: new Blob(['a']) };", /^$/],
  ['store', "return { status: 200, contentType: 'image/png', body: Buffer.from('a') };", /^$/],
  ['store', "return { status: 200, body: 'a' };", /not assignable/],
  ['store', 'const bytes: Uint8Array = body;', /not assignable|missing/],
  ['receive', 'const bytes: Uint8Array = body;', /^$/],
  [
    'sum',
    `let names = ''; for await (const { name, secret } of body) names += name + secret;
     return { status: 200, body: (async function* () { yield { name: names }; })() };`,
    /^$/,
  ],
  ['sum', "return { status: 200, body: '' };", /^$/],
  ['sum', "return { status: 200, body: ReadableStream.from([{ name: '' }]) };", /^$/],
  ['sum', "return { status: 200, body: ReadableStream.from([{ title: '' }]) };", /not assignable/],
  ['sum', 'for await (const { made } of body) return;', /'made' does not exist/],
  ['sum', 'return { status: 200, body: (async function* () { yield { name: 1 }; })() };', /not assignable/],
  ['sum', "return { status: 200, body: [{ name: '' }] };", /not assignable/],
  ['follow', "return { status: 200, body: each({ event: 'added', data: { name: '' } } as const) };", /^$/],
  ['follow', "return { status: 200, body: each({ event: 'left', data: [1] } as const) };", /^$/],
  [
    'follow',
    "return { status: 200, body: each({ event: 'added', data: '{}' } as const) };",
    /not assignable/,
  ],
  ['follow', "return { status: 200, body: each({ event: 'gone', data: '' } as const) };", /not assignable/],
  ['follow', "return { status: 200, body: '' };", /not assignable/],
  [
    'search',
    `const ids: readonly bigint[] = query; const files: File[] = [body.scan, ...body.scans]; const depth: number = header['X-Depth'];
     return { status: 200, body: each({ name: body.photo.name + ids.length + depth }) };`,
    /^$/,
  ],
  ['search', 'return { status: 200, body: each({ title: 1 }) };', /not assignable/],
  ['copy', 'const to: string | undefined = query?.to; return { status: 204 };', /^$/],
  ['copy', 'const to: string = query.to;', /possibly 'undefined'/],
  ['receive', "return { status: 200, body: each({ data: 'a' }) };", /^$/],
  ['receive', 'return { status: 200, body: each({ data: 1 }) };', /not assignable/],
];

/** What a handler takes, if not the body. */
const PARTS: Readonly<Record<string, string>> = {
  follow: '',
  search: '{ query, header, body }',
  copy: '{ query }',
};

/** What compiles in a handler, by what it shows; with a message, what does not. */
type Table = Readonly<Record<string, string | readonly [text: string, message: RegExp]>>;

const IN_THING: Table = {
  'a documented answer': `return { status: 200, body: { name: request.body.name } };`,
  'another documented answer': `return { status: 400, body: { error: 1, message: '' } };`,
  'the id is a bigint': `const id: bigint = request.body.id; return { status: 200, body: { name: String(id) } };`,
  'the principal is there': `return { status: 200, body: { name: request.principal.bearerAuth.id } };`,
  'a writeOnly property is in the request': `const secret: string = request.body.secret; return { status: 200, body: { name: secret } };`,
  'a readOnly property is not in the request': [
    `return { status: 200, body: { name: String(request.body.made) } };`,
    /'made' does not exist/,
  ],
  'a response may have a readOnly property': `return { status: 200, body: { name: '', made: '' } };`,
  'a property with a default is in the request': `const color: string = request.body.color; const size: number | undefined = request.body.parts?.[0]?.size ?? undefined;
       const limit: number = request.query.limit; return { status: 200, body: { name: color + size + limit } };`,
  'the media types if there is no choice': `const given: 'application/json' = request.contentType; const likes: 'application/json' = request.accepts;
       return { status: 200, body: { name: given + likes } };`,
  'the logger of the request': `request.log.info({ a: 1 }, 'a'); request.log.warn('b'); return { status: 200, body: { name: '' } };`,
  'the scopes of the credentials': `const { demanded, held } = request.scopes.bearerAuth; const none: 0 = demanded.length;
       return { status: 200, body: { name: held.join() + none } };`,
  'the scopes of credentials that are not demanded': [
    `return { status: 200, body: { name: String(request.scopes.key) } };`,
    /'key' does not exist/,
  ],
  'a nested property with a default is in the request': `const [part] = request.body.parts ?? []; const size: number = part === undefined ? 0 : part.size;
       return { status: 200, body: { name: String(size) } };`,
  'a parameter without a default may be absent': [
    `const page: number = request.query.page; return { status: 200, body: { name: String(page) } };`,
    /'undefined' is not assignable to type 'number'/,
  ],
  'a response may omit a property with a default': `return { status: 200, body: { name: '' } };`,
  'a response must not have a property that is writeOnly in a branch': [
    `return { status: 200, body: { name: '', either: '' } };`,
    /'""' is not assignable to type 'null'|string' is not assignable to type 'null'/,
  ],
  'a schema with additionalProperties admits other properties': `return { status: 200, body: { name: (request.body.open?.['anything'] ?? '') + (request.body.left?.['more'] ?? '') } };`,
  'the discriminator of a subtype is its name in the document': `const kind: 'Dog' | undefined = request.body.dog?.kind; const age: number | undefined = request.body.dog?.age;
       return { status: 200, body: { name: String(kind) + String(age) } };`,
  'an undocumented status': [
    `return { status: 404, body: { error: 1, message: '' } };`,
    /'404' is not assignable/,
  ],
  'a body of the wrong shape': [`return { status: 200, body: { title: '' } };`, /name|title/],
  'a body with the wrong type': [
    `return { status: 200, body: { name: 1 } };`,
    /'number' is not assignable to type 'string'/,
  ],
  'a body with the properties of another status': [
    `return { status: 400, body: { name: '' } };`,
    /not assignable/,
  ],
  'no body': [`return { status: 200 };`, /not assignable/],
  nothing: [``, /not assignable/],
  'a property that is not documented': [
    `return { status: 200, body: { name: request.body.weight } };`,
    /'weight' does not exist/,
  ],
  'a parameter that is not documented': [
    `return { status: 200, body: { name: request.query.name } };`,
    /'name' does not exist/,
  ],
  'a missing header that is required': [
    `return { status: 401, body: { error: 1, message: '' } };`,
    /not assignable/,
  ],
};
const IN_REPORT: Table = {
  'the preferred media type is one of the documented types': `const likes: 'application/json' | 'text/csv' | 'text/plain' = request.accepts; return { status: 201, body: likes };`,
  'a media type by name': `return request.accepts === 'text/csv'
      ? { status: 200, contentType: 'text/csv', body: '1' }
      : { status: 200, contentType: 'application/json', body: { rows: 1 } };`,
  'a body that fits one media type of several': [`return { status: 200, body: '1' };`, /not assignable/],
  'a body that fits another media type': [
    `return { status: 200, contentType: 'application/json', body: '1' };`,
    /not assignable/,
  ],
  'a body that fits all media types, without a name': `return { status: 404, body: { error: 1, message: '' } };`,
};

type Case = readonly [name: string, source: string, expected: RegExp];

const casesOf = (table: Table, write: (text: string) => string): Case[] =>
  Object.entries(table).map(([name, given]) =>
    typeof given === 'string' ? [name, write(given), /^$/] : [name, write(given[0]), given[1]],
  );

/** The source of a handler, and its expected diagnostics; empty if it compiles. */
const CASES: readonly Case[] = [
  ...casesOf(IN_THING, handler),
  ...casesOf(IN_REPORT, put),
  ['any name', WITH_NAMES, /^$/],
  [
    'a missing handler',
    `export const all: Handlers = { putReport: () => { throw 1; }, putRange: () => { throw 1; } };`,
    /is missing .*: \w+, .* and \d+ more/,
  ],
  ...STREAMED.map(([operation, text, expected]): Case => [
    `${operation}: ${text}`,
    `import type { FileHandle } from 'node:fs/promises';
     declare const open: () => Promise<FileHandle>; declare const each: <T>(item: T) => AsyncIterable<T>;
     export const h: Handlers['${operation}'] = async (${PARTS[operation] ?? '{ body }'}) => { ${text}${text.includes('return') ? '' : ' throw 1;'} };`,
    expected,
  ]),
  ...RESPONSES_OF_RANGES.map(([response, expected]): Case => [
    `responses of ranges: ${response}`,
    `export const put: Handlers['putRange'] = async () => (${response});`,
    expected,
  ]),
  [
    'an unknown handler',
    `export const all: Handlers = { postThing: () => { throw 1; }, putReport: () => { throw 1; }, putRange: () => { throw 1; }, deleteThing: () => {} };`,
    /'deleteThing' does not exist/,
  ],
];

/** A document that requires a token with scopes, or an API key; and two strategies, of passport and of a verifier. */
const SECURITY = `
  import type { Strategy } from 'passport';
  import type { Handlers as HandlersOf } from '../../src/contract/handler-types';
  import type { StrategiesFor } from '../../src/contract/security/principals';
  import { ApiKeyStrategy, bearerStrategy } from '../../src/contract/security/strategies';
  interface Security { list: { oauth: [] } | { key: [] } | {}; create: { oauth: ['write', 'read'] }; free: never }
  interface Client { readonly name: string }
  interface Token { readonly id: string; readonly scopes: readonly string[] }
  interface Principals { readonly oauth: Token; readonly key: Client }
  declare const token: Token; declare const client: Client; declare const foreign: Strategy;
  declare const keys: ReadonlyMap<string, Client>;
  const oauth = bearerStrategy(() => token); const key = new ApiKeyStrategy(() => client);`;
const strategies = (list: string, principals = 'Principals') =>
  `${SECURITY}\nexport const s = { ${list} } satisfies StrategiesFor<Security, ${principals}>;`;

const UNDEFINED = /possibly 'undefined'/;
/** Security requirements, as packages/command/src/document/publish/types.ts writes them; what compiles of their principals, and what does not. */
const PRINCIPALS: readonly [string, readonly string[], readonly (readonly [string, RegExp])[]][] = [
  [
    '{} | { key: [] }',
    [
      'principal.key?.name satisfies string | undefined',
      'scopes.key?.held.length',
      'principal.key ? principal.key.name : 0',
    ],
    [
      ['principal.key.name', UNDEFINED],
      ['scopes.key.held', UNDEFINED],
      ['principal.oauth', /'oauth' does not exist/],
    ],
  ],
  [
    '{ key: [] } | {}',
    ['principal.key?.name satisfies string | undefined'],
    [['principal.key.name', UNDEFINED]],
  ],
  [
    '{ key: [] }',
    ['principal.key.name', 'scopes.key.held', 'principal.key?.name satisfies string'],
    [['principal.oauth', /'oauth' does not exist/]],
  ],
  ['{ oauth: []; key: [] }', ['principal.key.name + principal.oauth.id'], []],
  [
    '{ oauth: [] } | { key: [] }',
    [
      'principal.oauth ? principal.oauth.id : principal.key.name',
      'principal.key === undefined ? principal.oauth.id : principal.key.name',
      'principal.oauth?.id ?? principal.key?.name',
    ],
    [['principal.oauth.id', UNDEFINED]],
  ],
  [
    "{} | { oauth: ['a'] } | { key: []; oauth: ['b'] }",
    [
      'principal.key ? principal.oauth.id : principal.oauth?.id',
      "scopes.oauth?.demanded satisfies readonly ['a'] | readonly ['b'] | undefined",
    ],
    [['principal.oauth ? principal.key.name : 0', UNDEFINED]],
  ],
  ['{}', ['Object.keys(principal)'], [['principal.key', /'key' does not exist/]]],
  ['never', [], [['principal', /'principal' does not exist/]]],
];

const SECURITY_CASES: readonly Case[] = [
  ['a strategy for each scheme', strategies('oauth, key'), /^$/],
  ['a strategy of another package', strategies('oauth: foreign, key'), /^$/],
  ['a scheme without a strategy', strategies('key'), /'oauth' is missing/],
  ['a strategy for no scheme', strategies('oauth, key, basic: key'), /'basic' does not exist/],
  [
    'a strategy that gives the principal of another scheme',
    strategies('oauth: key, key'),
    /'Client'.*'Token'/,
  ],
  ['a scheme without a principal', strategies('oauth, key', '{ readonly oauth: Token }'), /'key' is missing/],
  [
    'a principal without the scopes that are demanded of it',
    strategies('oauth, key', '{ readonly oauth: Client; readonly key: Client }'),
    /'scopes' is missing/,
  ],
  [
    'a principal that is not an object',
    strategies('oauth, key', '{ readonly oauth: Token; readonly key: string }'),
    /'string' is not assignable to type 'object'/,
  ],
  ...[
    'undefined',
    'null',
    'true',
    "''",
    '0',
    "'alice'",
    'keys.get(given)',
    'Promise.resolve(keys.get(given))',
  ].map((given): Case => [
    `a verifier that returns ${given}`,
    `${SECURITY}\nexport const s = new ApiKeyStrategy<Client>((given) => (void given, ${given}));`,
    /not assignable/,
  ]),
  ...['client', 'false', 'keys.get(given) ?? false', 'Promise.resolve(keys.get(given) ?? false)'].map(
    (given): Case => [
      `a verifier that returns ${given}`,
      `${SECURITY}\nexport const s = new ApiKeyStrategy<Client>((given) => (void given, ${given}));`,
      /^$/,
    ],
  ),
  ...PRINCIPALS.flatMap(([requirement, good, bad]) =>
    [...good.map((text) => [text, /^$/] as const), ...bad].map(([text, message]): Case => [
      `of ${requirement}, ${text}`,
      `${SECURITY}
         type Given = Parameters<HandlersOf<{ list: { parameters: {}; responses: {} } }, { list: ${requirement} }, Principals>['list']>[0];
         declare const { principal, scopes }: Given;
         export const x = ${text};`,
      message,
    ]),
  ),
  [
    'handlers for a scheme that Principals lacks',
    `${SECURITY}\nexport type H = HandlersOf<{}, Security, { readonly oauth: Token }>;`,
    /'key' is missing/,
  ],
];

/** A service that adds kinds of problems. */
const KINDS = `
  import { createService, Problem, type ProblemKind, type ServiceOptions } from '../../src/contract';
  type OwnKind = 'rateLimited';
  type Errors = Readonly<Record<ProblemKind | OwnKind, number>>;
  declare const others: Omit<ServiceOptions<OwnKind>, 'toProblem' | 'render'>;
  declare const core: Readonly<Record<ProblemKind, number>>;
  declare const toProblem: (error: unknown) => Problem<ProblemKind | OwnKind>;`;
const serving = (render: string) =>
  `export const s = createService({ ...others, toProblem, render: ${render} });`;

const KIND_CASES = casesOf(
  {
    'a table with each kind': `export const errors: Errors = { ...core, rateLimited: 1 };`,
    'a kind without a number': [`export const errors: Errors = { ...core };`, /'rateLimited' is missing/],
    'a number of an unknown kind': [
      `export const errors: Errors = { ...core, rateLimited: 1, ratelimited: 1 };`,
      /'ratelimited' does not exist/,
    ],
    'a problem of an unknown kind': [
      `export const p = new Problem('typo', '');`,
      /"typo"' is not assignable/,
    ],
    'a problem of an added kind': `export const p = new Problem<OwnKind>('rateLimited', '');`,
    'a problem of a misspelled kind': [
      `export const p = new Problem<OwnKind>('ratelimited', '');`,
      /"ratelimited"' is not assignable/,
    ],
    'a response to each kind': serving(`({ kind }) => ({ status: { ...core, rateLimited: 429 }[kind] })`),
    'no response to an added kind': [
      serving(`({ kind }) => ({ status: core[kind] })`),
      /implicitly has an 'any' type|'rateLimited' does not exist/,
    ],
    'a render for the kinds of the core alone': [
      serving(`({ kind }: Problem) => ({ status: core[kind] })`),
      /"rateLimited"' is not assignable/,
    ],
  },
  (text) => `${KINDS}\n${text}`,
);

/** All cases are in one program: each program parses the libraries again. */
const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  'the types tie problems to the errors of a service': KIND_CASES,
  'the types tie strategies to the document': SECURITY_CASES,
  'the types tie a handler to the document': CASES,
};
const DIAGNOSTICS = compile(
  Object.values(GROUPS)
    .flat()
    .map(([, source]) => source),
);

describe.each(Object.entries(GROUPS))('%s', (_group, cases) => {
  it.each(cases)('%s', (_name, source, expected) => {
    expect(DIAGNOSTICS.get(source)).toMatch(expected);
  });
});
