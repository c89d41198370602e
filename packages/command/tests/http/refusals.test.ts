import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { openapiOverlay } from 'openapi-format';
import * as yaml from 'prettier/plugins/yaml';
import { format } from 'prettier/standalone';
import { parse, stringify } from 'yaml';
import {
  documentedKey,
  limitRequests,
  OpenApiDocument,
  parseMediaType,
  PLAIN_ERRORS,
  readOperations,
} from 'contract-first-server/tools';
import {
  InvalidContract,
  type JsonObject,
  type Operation,
  type ProblemKind,
  strategiesFor,
} from 'contract-first-server';
import * as runtime from 'contract-first-server/runtime';
import { createApp, type Errors } from 'contract-first-server/runtime';
import { layOut } from '../../src/new/layout';
import { namesFrom } from '../../src/new/names';
import { createOracle, parseValue, readDocument } from 'contract-first-prover';
import { readSource } from '../../src/document/source/source';
import { useFolder } from '../../../../scripts/testing/folder';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, json, RUNTIME } from '../../../../scripts/testing/service';
import { exchange, type Reply } from '../../../../scripts/testing/wire';
import { everyOf } from '../../../../scripts/testing/cases';

// A service answers an operation with nothing that the operation does not document: its own refusals neither.

const folder = useFolder();
const text = { type: 'string' };
const ok = { 200: { description: '', content: json(text) } };
const done = { 204: { description: '' } };
const body = { requestBody: { content: json({ type: 'object' }) } };
const securitySchemes = { token: { type: 'http', scheme: 'bearer' } };

function build(
  document: JsonObject,
  errors: Errors = PLAIN_ERRORS,
  more: Partial<runtime.RuntimeOptions> = {},
) {
  const described = new OpenApiDocument(document);
  const fail = () => Promise.reject(new Error('a secret cause'));
  const handlers = Object.fromEntries(readOperations(described).map((one) => [one.operationId, fail]));
  const strategies = strategiesFor(
    described,
    (secret) => secret !== 'none' && { scopes: secret === 'few' ? [] : ['write'] },
  );
  return createApp(
    { handlers, errors },
    { ...RUNTIME, document, strategies, bodyLimit: 1_000, reportFault: () => undefined, ...more },
  );
}

/** What a service says instead of starting; empty if it starts. */
function refusal(...given: Parameters<typeof build>): string {
  try {
    build(...given);
    return '';
  } catch (error) {
    if (error instanceof InvalidContract) return error.message;
    throw error;
  }
}
const statusesIn = (message: string) =>
  [...message.matchAll(/^ {2}(\d{3}): /gm)].map(([, one]) => Number(one));

const limited = { rateLimit: limitRequests({ requests: 1, seconds: 60 }, () => 'a client') };
const secured = (...alternatives: object[]) => ({ security: alternatives, responses: done });

it.each<[string, JsonObject, number[], Partial<runtime.RuntimeOptions>?]>([
  ['any operation', { responses: done }, [400, 500, 503]],
  ['a response with content', { responses: ok }, [400, 406, 500, 503]],
  ['a response that may have none', { responses: { ...ok, ...done } }, [400, 500, 503]],
  ['only errors with content', { responses: { ...done, 409: ok[200] } }, [400, 500, 503]],
  ['a body', { ...body, responses: done }, [400, 408, 413, 415, 500, 503]],
  ['credentials', secured({ token: [] }), [400, 401, 500, 503]],
  ['optional credentials', secured({}, { token: [] }), [400, 401, 500, 503]],
  ['scopes', secured({ token: ['write'] }), [400, 401, 403, 500, 503]],
  ['optional scopes', secured({ token: ['write'] }, {}), [400, 401, 403, 500, 503]],
  ['no credentials', secured({}), [400, 500, 503]],
  ['a limit', { responses: done }, [400, 429, 500, 503], limited],
  [
    'a range',
    { ...body, responses: { ...done, '4XX': { description: '', content: json(true) } } },
    [500, 503],
  ],
  ['default', { ...body, responses: { ...done, default: { description: '', content: json(true) } } }, []],
  [
    'a range that they do not fit',
    { responses: { ...done, '5XX': { description: '' }, 400: ok[200] } },
    [500, 503],
  ],
  ['422 for 400', { responses: { ...done, 422: { description: '', content: json(true) } } }, [500, 503]],
])(
  'a service does not start without the refusals that can happen to an operation with %s',
  (_, operation, statuses, more = {}) => {
    const message = refusal(
      buildDocument({ operation, components: { securitySchemes } }),
      PLAIN_ERRORS,
      more,
    );
    expect(statusesIn(message)).toEqual(statuses);
    if (statuses.length > 0) expect(message).toContain('openapi/overlay.yaml');
  },
);

it('a status whose response the refusals do not fit is named with the reason', () => {
  const wrong = { description: '', content: json({ type: 'array' }) };
  const responses = { ...done, 400: wrong, '5XX': { description: '', content: json(true) } };
  expect(refusal(buildDocument({ operation: { responses } }))).toMatch(
    /errors of this server.*the 400 response/,
  );
});

/** A document with what an overlay adds. Each action must match something, as `make generate` demands. */
async function overlaid(document: JsonObject, overlay: string): Promise<JsonObject> {
  const overlaySet = parse(overlay) as Parameters<typeof openapiOverlay>[1]['overlaySet'];
  const { data, resultData } = (await openapiOverlay(structuredClone(document), { overlaySet })) as {
    data: JsonObject;
    resultData: JsonObject;
  };
  expect(resultData['unusedActions']).toEqual([]);
  return data;
}

const operation = (operationId: string, more: JsonObject = {}): JsonObject => ({
  operationId,
  responses: ok,
  ...more,
});
const error = { type: 'object', required: ['message'], properties: { message: text } };
const DOCUMENTS: Record<string, JsonObject> = {
  'one operation, and no components': { paths: { '/a': { get: operation('a') } } },
  'odd names': {
    paths: {
      "/it's/{x}~": {
        parameters: [{ name: 'x', in: 'path', required: true, schema: text }],
        get: operation("a'b\\c"),
      },
    },
  },
  'a shared path item': {
    paths: { '/a': { $ref: '#/components/pathItems/A' }, '/b': { post: operation('b', body) } },
    components: { pathItems: { A: { get: operation('a') } } },
  },
  'components of the same names': {
    paths: {
      '/a': {
        get: operation('a'),
        put: operation('b', {
          ...body,
          responses: { ...ok, 500: { description: 'x', content: json(error) } },
        }),
      },
    },
    components: {
      responses: { BadRequest: { description: 'its own' } },
      headers: { 'Retry-After': { schema: text } },
    },
  },
  'security of all kinds': {
    security: [{ token: [] }],
    paths: {
      '/a': {
        get: operation('a', { security: [] }),
        put: operation('b'),
        post: operation('c', { security: [{}] }),
      },
      '/b': {
        get: operation('d', { security: [{ token: ['write'] }] }),
        delete: operation('e', { responses: done }),
      },
    },
    components: { securitySchemes },
  },
  'responses by reference': {
    paths: {
      '/a': {
        get: operation('a', { responses: { 200: { $ref: '#/components/responses/Done' } } }),
        put: operation('b', { responses: done }),
      },
    },
    components: { responses: { Done: ok[200] } },
  },
  'an error schema of its own': {
    paths: {
      '/a': {
        get: operation('a', { responses: { ...ok, 400: { description: '', content: json(error) } } }),
        put: operation('b', { responses: { ...ok, default: { description: '', content: json(false) } } }),
      },
    },
  },
  'bodies of their own': {
    paths: Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((id) => [`/${id}`, { get: operation(id, { responses: { ...ok } }) }]),
    ),
  },
  'many operations': {
    paths: Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`/a${i}`, { get: operation(`a${i}`, i % 3 ? body : {}) }]),
    ),
  },
};

/** Another body for each operation. */
const OWN_BODIES: Errors = {
  ...PLAIN_ERRORS,
  render: (problem, operation) => ({
    ...PLAIN_ERRORS.render(problem, operation),
    body: { [operation?.operationId ?? 'error']: problem.message },
  }),
};

it.each(everyOf(Object.keys(DOCUMENTS), 3))('the lines of the message mend it: %s', async (name) => {
  const errors = name === 'bodies of their own' ? OWN_BODIES : PLAIN_ERRORS;
  const document = { openapi: '3.1.0', info: { title: 'A', version: '1' }, ...DOCUMENTS[name] };
  const message = refusal(document, errors, limited);
  const lines = message
    .split('\n')
    .slice(message.split('\n').findIndex((line) => line.startsWith('  - target')));
  if (name === 'many operations') expect(message.length).toBeLessThan(8_000);
  const overlay = ["overlay: 1.0.0\ninfo: { title: A, version: '1' }\nactions:", ...lines, ''].join('\n');
  expect(await format(overlay, { parser: 'yaml', plugins: [yaml], singleQuote: true, printWidth: 110 })).toBe(
    overlay,
  );
  const published = await overlaid(document, overlay);
  expect(refusal(published, errors, limited)).toBe('');
});

// What `make new` lays out, over the wire.

const conduit = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: { type: 'object', required: ['body'], properties: { body: { type: 'array', items: text } } },
  },
};
const fields = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'message', 'fields'],
  properties: {
    code: text,
    message: text,
    fields: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: text } } },
  },
};
const BODIES: Record<string, object> = {
  conduit: json(conduit),
  fields: json(fields),
  nested: json({
    type: 'object',
    required: ['response'],
    properties: {
      response: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['status', 'description'],
            properties: { status: { type: 'integer' }, description: text },
          },
        },
      },
    },
  }),
  list: json({
    type: 'array',
    minItems: 1,
    items: { type: 'object', required: ['msg'], properties: { msg: text } },
  }),
  'a short message': json({
    type: 'object',
    required: ['message'],
    properties: { message: { ...text, maxLength: 30 } },
  }),
  'a code of a list': json({
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { enum: ['A', 'B'] }, message: text },
  }),
  text: { 'text/plain': { schema: text } },
  problem: {
    'application/problem+json': {
      schema: {
        type: 'object',
        required: ['title', 'status'],
        properties: { title: text, status: { type: 'integer' }, detail: text },
      },
    },
  },
  none: {},
};
const PLACES: Record<string, (of: object, other: object) => object> = {
  'for 400': (of) => ({ 400: of }),
  'for 422': (of) => ({ 422: of }),
  'for 400 and another for 422': (of, other) => ({ 400: of, 422: other }),
  'for 4XX': (of) => ({ '4XX': of }),
  'for default': (of) => ({ default: of }),
  'for 422 and another for 401 and 503': (of, other) => ({ 422: of, 401: other, 503: other }),
};

/** The errors that a service has in its src/errors.ts. */
function errorsOf(code: string): Errors {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ESNext },
  });
  const exported: { errors?: Errors } = {};
  const require = (name: string): unknown =>
    name.startsWith('node:') ? createRequire(__filename)(name) : runtime;
  Reflect.apply(compileFunction(outputText, ['exports', 'require']), undefined, [exported, require]);
  if (!exported.errors) throw new Error('expected errors');
  return exported.errors;
}

const head = (method: string, rest = '', path = 'PATH?a=1') =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${rest}`;
const send = (type: string, more = '', given = '{}', path?: string) =>
  `${head('POST', `Authorization: Bearer all\r\nContent-Type: ${type}\r\n${more}`, path)}Content-Length: ${given.length}\r\n\r\n${given}`;
/** A request that each kind of refusal answers; those of the connection end it. */
const PROVOKED: Record<
  Exclude<
    ProblemKind,
    | 'notFound'
    | 'methodNotAllowed'
    | 'headersTooLarge'
    | 'unknownTransferCoding'
    | 'versionNotSupported'
    | 'notImplemented'
    | 'preconditionFailed'
    | 'keyInUse'
    | 'keyReused'
    | 'rangeNotSatisfiable'
    | 'unavailable'
  >,
  readonly string[]
> = {
  malformed: [
    send('application/json', '', '{'),
    `${head('POST', 'Authorization: Bearer all\r\nContent-Type: application/json\r\n')}Transfer-Encoding: chunked\r\n\r\nx\r\n`,
    `${head('POST', 'Authorization: Bearer all\r\nContent-Type: application/json\r\n')}Transfer-Encoding: chunked\r\n\r\n0\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`,
  ],
  invalidRequest: [
    send('application/json', '', '{"name":1}'),
    send('application/json', '', '{}', `PATH?${'x'.repeat(500)}=1`),
    send('application/json', 'Authorization: Bearer all\r\n'),
  ],
  noCredentials: [`${head('POST')}\r\n`],
  badCredentials: [`${head('POST', 'Authorization: Bearer none\r\n')}\r\n`],
  forbidden: [`${head('POST', 'Authorization: Bearer few\r\n')}\r\n`],
  notAcceptable: [send('application/json', 'Accept: image/x-none\r\n')],
  requestTimeout: [
    `${head('POST', 'Authorization: Bearer all\r\nContent-Type: application/json\r\n')}Content-Length: 9\r\n\r\n`,
  ],
  tooLarge: [send('application/json', '', ' '.repeat(2_000))],
  unsupportedMediaType: [send('image/x-none'), send('application/json', 'Content-Encoding: br\r\n')],
  unexpected: [send('application/json')],
};

/** What is wrong with an answer by the document, judged by another validator; undefined if nothing is. */
function wrongIn(
  oracle: ReturnType<typeof createOracle>,
  operation: Operation,
  { status, headers, body: sent }: Reply,
) {
  const response = operation.responses.get(documentedKey(operation, status) ?? '');
  if (!response) return `${status} is not documented`;
  if (response.content.length === 0) return sent === '' ? undefined : `${status} has a body`;
  const type = headers['content-type'] ?? '';
  const media = response.content.find(({ key }) => key === parseMediaType(type)?.essence);
  if (!media) return `${status} is ${type}`;
  if (media.schema === undefined) return undefined;
  return oracle.errors(media.schema, type.startsWith('text/') ? sent : parseValue(sent))[0];
}

const response = (content: object) => ({
  description: 'Refused.',
  ...(Object.keys(content).length > 0 && { content }),
});
const other = response(json({ type: 'object', required: ['reason'], properties: { reason: text } }));

it.each(everyOf(Object.keys(BODIES), 3))(
  'each refusal is as the laid-out service publishes it, whose document has errors such as: %s',
  async (name) => {
    const document = buildDocument({
      paths: Object.fromEntries(
        Object.values(PLACES).map((place, i) => [
          `/things${i}`,
          {
            post: {
              operationId: `addThing${i}`,
              security: [{ token: ['write'] }],
              parameters: [{ name: 'a', in: 'query', schema: { type: 'integer' } }],
              requestBody: { content: json({ type: 'object', properties: { name: text } }) },
              responses: { ...ok, ...place(response(BODIES[name] ?? {}), other) },
            },
          },
        ]),
      ),
      components: { securitySchemes },
    });
    const names = namesFrom('shop', 'Shop');
    if (!names) throw new Error('expected names');
    const { files } = await layOut(
      readSource(folder.write({ 'shop.yaml': stringify(document) })),
      names,
      'package.tgz',
    );
    const published = await overlaid(document, files['openapi/overlay.yaml'] ?? '');
    const errors = errorsOf(files['src/errors.ts'] ?? '');
    const found: string[] = [];
    const oracle = createOracle(readDocument(published as Parameters<typeof readDocument>[0]).responses);
    // All at once: the server looks for late requests once a second.
    const provoke = (kinds: readonly string[], limits = {}) =>
      listening(
        build(published, errors),
        async (port) => {
          const judge = async (operation: Operation, kind: string, request: string) => {
            const [reply] = await exchange(port, request.replace('PATH', operation.paths[0] ?? ''));
            const reason = reply && reply.status >= 400 ? wrongIn(oracle, operation, reply) : 'no refusal';
            if (reason !== undefined)
              found.push(`${operation.operationId} ${kind}: ${reason}: ${reply?.status} ${reply?.body}`);
          };
          await Promise.all(
            readOperations(new OpenApiDocument(published)).flatMap((operation) =>
              kinds.flatMap((kind) =>
                PROVOKED[kind as keyof typeof PROVOKED].map((request) => judge(operation, kind, request)),
              ),
            ),
          );
        },
        limits,
        errors.render,
      );
    await provoke(Object.keys(PROVOKED).filter((kind) => kind !== 'requestTimeout'));
    await provoke(['requestTimeout'], { headersTimeout: 1, requestTimeout: 2 });
    expect(found).toEqual([]);
  },
);
