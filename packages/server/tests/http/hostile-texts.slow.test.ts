import {
  exampleRequest,
  InvalidContract,
  type JsonObject,
  messageOf,
  strategiesFor,
  stub,
} from 'contract-first-server';
import {
  createMetrics,
  createReport,
  HEADERS,
  isObject,
  OpenApiDocument,
  PLAIN_ERRORS,
  readOperations,
} from 'contract-first-server/tools';
import { createApp, createLog } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { RUNTIME, withRefusals } from '../../../../scripts/testing/service';
import { bytesOf, exchangeBytes } from '../../../../scripts/testing/wire';

const ORIGIN = 'https://page.example';

/** A document with a text in each place whose text could reach the head of a response, and in many others. */
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0', description: 'a', license: { name: 'MIT', identifier: 'MIT' } },
  tags: [{ name: 'tag', description: 'a' }],
  servers: [{ url: '/base', description: 'a' }],
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        summary: 'a',
        tags: ['tag'],
        security: [{ oauth: ['read'] }, { bearer: ['role'] }, { key: [] }],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a' },
          { name: 'q', in: 'query', required: true, schema: { type: 'string', enum: ['a'] } },
          { name: 'X-In', in: 'header', required: true, schema: { type: 'string' }, example: 'a' },
          { name: 'crumb', in: 'cookie', schema: { type: 'string' }, example: 'a' },
        ],
        responses: {
          200: {
            description: 'a',
            headers: {
              'X-Out': { required: true, schema: { type: 'string', example: 'a' } },
              Location: { schema: { type: 'string', enum: ['/a'] } },
              'X-Default': { schema: { type: 'string', default: 'a' } },
            },
            content: {
              'application/json; version=a': {
                schema: {
                  type: 'object',
                  properties: { name: { type: 'string', pattern: '^a$', title: 'a' } },
                },
                example: { name: 'a' },
              },
              'text/plain': { schema: { type: 'string' }, example: 'a' },
            },
          },
          default: { $ref: '#/components/responses/Failed' },
        },
      },
    },
  },
  components: {
    responses: { Failed: { description: 'a', content: { 'application/json': { schema: {} } } } },
    securitySchemes: {
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://issuer.example/token', scopes: { read: 'a' } } },
      },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'a' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      openId: { type: 'openIdConnect', openIdConnectUrl: 'https://issuer.example/.well-known' },
    },
  },
};

const TEXTS = [
  'é\r\nX-Evil: 1',
  '\n',
  '😀\ud800\t\0\x7f',
  'x'.repeat(10_000),
  ' ;frame-ancestors *, "\\%',
  '',
];

/** Values that are replaced. A text is added to the end of others, so that they keep their form. */
const PLAIN: ReadonlySet<string> = new Set(['a', 'getThing', 'Things', 'tag', 'role']);

type Change = (text: string) => JsonObject;

/** For each text in a value, its keys included, the value with another text in that place. */
function* changes(
  value: unknown,
  rebuild: (changed: unknown) => JsonObject,
  place = '',
): Generator<[string, Change]> {
  if (typeof value === 'string') {
    yield [place, (text) => rebuild(PLAIN.has(value) ? text : value + text)];
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      yield* changes(item, (changed) => rebuild(value.with(i, changed)), `${place}/${i}`);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const renamed = (to: string) =>
        rebuild(
          Object.fromEntries(Object.entries(value).map(([key, own]) => [key === name ? to : key, own])),
        );
      yield [`the end of the name ${place}/${name}`, (text) => renamed(name + text)];
      yield* changes(member, (changed) => rebuild({ ...value, [name]: changed }), `${place}/${name}`);
    }
  }
}

/** The grammar of a response's head (RFC 9112 section 4), in ASCII. */
const HEAD = /^HTTP\/1\.1 \d{3} [ -~]*\r\n(?:[!#$%&'*+.^_`|~\w-]+:(?: [!-~](?:[\t -~]*[!-~])?)? ?\r\n)*\r\n/;
/** The text format of Prometheus: a comment, or a sample with labels whose values escape backslash, quote and line feed. */
const METRIC = /^(?:#.*|\w+(?:\{(?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? \S+)$/u;

const LOG = createLog('silent');
type Metrics = ReturnType<typeof createMetrics>;

/** Builds the application of a document whose handlers are all stubs; undefined if it refuses the document. */
function build(root: JsonObject, metrics: Metrics) {
  const report = createReport(PLAIN_ERRORS, LOG, metrics, HEADERS);
  try {
    const document = new OpenApiDocument(root);
    document.assertValid();
    return createApp(
      {
        handlers: Object.fromEntries(
          readOperations(document).map(({ operationId }) => [operationId, stub(operationId)]),
        ),
        errors: PLAIN_ERRORS,
      },
      {
        ...RUNTIME,
        document: withRefusals(root),
        strategies: strategiesFor(
          document,
          (secret, { scopes }) => secret !== 'none' && { scopes: secret === 'few' ? [] : scopes },
        ),
        report: report.request,
        metrics,
        reportFault: (error) => faults.push(error),
        corsOrigins: [ORIGIN],
      },
    );
  } catch (error) {
    if (error instanceof InvalidContract) return undefined;
    throw error;
  }
}

/** Requests for everything that the application serves. */
function requestsFor(root: JsonObject): string[] {
  const example = exampleRequest(new OpenApiDocument(root));
  const to = (method: string, path: string, fields = '') =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
  const messages = ['all', 'few', 'none', undefined].flatMap((secret) =>
    example ? [messageOf(example, secret)] : [],
  );
  const path = messages[0]?.path ?? '/base/things/a';
  return [
    ...messages.flatMap((message) => [message, { ...message, method: 'HEAD' }].map((one) => bytesOf(one))),
    ...messages.map((message) =>
      bytesOf({ ...message, headers: { ...message.headers, Accept: 'text/*', Origin: ORIGIN } }),
    ),
    to('PUT', path),
    to('OPTIONS', path, `Origin: ${ORIGIN}\r\nAccess-Control-Request-Method: GET\r\n`),
    ...['/nowhere', '/-/docs', '/-/docs/start.js', '/-/openapi.json', '/-/openapi.yaml', '/-/live'].map(
      (name) => to('GET', name),
    ),
    to('GET', '/-/metrics', 'Connection: close\r\n'),
  ];
}

/** A head that a client can send: a document with this text may have no other example request. */
const SENDABLE = /^[A-Z]+ [!-~]{1,8000} HTTP\/1\.1\r\n(?:[\w-]{1,99}: [ -~]{0,8000}\r\n)+\r\n/;

const answered: string[] = [];
const faults: unknown[] = [];

test.each(TEXTS.map((text) => [JSON.stringify(text).slice(0, 40), text]))(
  'the text %s in each place',
  async (_, text) => {
    const metrics = createMetrics();
    const places = [...changes(DOCUMENT, (changed) => changed as JsonObject)];
    // A line end ends a header: it is put into every place.
    for (const [place, change] of text.includes('\r\n') ? places : places) {
      const root = change(text);
      const app = build(root, metrics);
      if (!app) continue;
      const requests = requestsFor(root).filter((one) => SENDABLE.test(one));
      const bytes = await listening(app, (port) => exchangeBytes(port, requests.join('')));
      const replies = bytes.toString('latin1').split(/(?=HTTP\/1\.1 \d{3} )/);
      expect([place, replies.length]).toEqual([place, requests.length]);
      for (const [i, reply] of replies.entries()) {
        expect([place, requests[i]?.slice(0, 200), HEAD.test(reply)]).toEqual([
          place,
          expect.anything(),
          true,
        ]);
        expect([place, requests[i]?.slice(0, 200), reply.slice(9, 12)]).not.toEqual([
          place,
          expect.anything(),
          '500',
        ]);
        const head = reply.slice(0, reply.indexOf('\r\n\r\n'));
        expect(head).not.toMatch(/^X-Evil/im);
        const policy = /^content-security-policy: (.*)$/im.exec(head)?.[1];
        if (policy) expect(policy.match(/frame-ancestors[^;]*/g)).toEqual(["frame-ancestors 'none'"]);
        answered.push(reply.slice(9, 12));
      }
    }
    expect(faults.splice(0)).toEqual([]);
    for (const line of (await metrics.text()).split('\n').filter((one) => one !== ''))
      expect(line).toMatch(METRIC);
  },
);

test('the documents were served, not refused', () => {
  expect(answered.length).toBeGreaterThan(5_000);
  expect([...new Set(answered)].sort()).toEqual(
    expect.arrayContaining(['200', '204', '401', '403', '404', '405']),
  );
});
