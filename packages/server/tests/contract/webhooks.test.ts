import fc from 'fast-check';
import ts from 'typescript';
import {
  evaluateTemplate,
  NoCallbackUrl,
  parseExpression,
} from '../../src/contract/operations/runtime-expression';
import { compileSent, type GivenRequest, InvalidContract } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import { compileTexts, typesOf } from '../../../../scripts/testing/compile';
import { buildDocument, json } from '../../../../scripts/testing/service';

const PET = { $ref: '#/components/schemas/Pet' };
const done = { 204: { description: 'received' } };
const BODY = { required: true, content: json(PET) };
const DOCUMENT = buildDocument({
  operation: {
    requestBody: BODY,
    callbacks: {
      onEvent: { '{$request.body#/url}?id={$request.body#/id}': { post: { responses: done } } },
      onEnd: { $ref: '#/components/callbacks/End' },
    },
  },
  webhooks: {
    newPet: {
      post: {
        operationId: 'a name that is not used',
        parameters: [
          { name: 'attempt', in: 'query', schema: { type: 'integer', maximum: 9, default: 3 } },
          {
            name: 'ids',
            in: 'query',
            style: 'pipeDelimited',
            explode: false,
            schema: { type: 'array', items: {} },
          },
          { name: 'Webhook-Id', in: 'header', required: true, schema: { type: 'string' } },
          { name: 'X-Kind', in: 'header', required: true, schema: { enum: ['a', 'b'] } },
        ],
        requestBody: { $ref: '#/components/requestBodies/Pet' },
        responses: done,
      },
    },
    twice: { $ref: '#/components/pathItems/Twice' },
    'x-own': {
      post: {
        requestBody: {
          content: {
            ...json({ type: 'string' }),
            'text/plain': {},
            'application/xml': { schema: { type: 'object' } },
          },
        },
      },
    },
    raw: {
      post: { requestBody: { required: true, content: { 'application/octet-stream': {} } }, responses: done },
    },
  },
  components: {
    callbacks: {
      End: {
        '$request.query.end': { post: { operationId: 'end', responses: done }, put: { responses: done } },
      },
    },
    pathItems: { Twice: { put: { responses: done }, delete: { operationId: 'gone', responses: done } } },
    requestBodies: { Pet: BODY },
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name', 'secret'],
        properties: {
          id: { type: 'integer', format: 'int64', readOnly: true },
          name: { type: 'string', maxLength: 9 },
          secret: { type: 'string', writeOnly: true },
          color: { type: 'string', default: 'green' },
        },
      },
    },
  },
});
const sent = compileSent(new OpenApiDocument(DOCUMENT));
const of = (name: string) => sent.get(name) ?? fail(name);
const fail = (name: string): never => {
  throw new Error(`${name} is not sent`);
};
const URL = 'https://receiver.example/in?a=1#x';
const valid = { url: URL, header: { 'X-Kind': 'a' }, body: { id: 2n ** 60n, name: 'Rex' } };
const write = (more: Partial<GivenRequest>, name = 'newPet') => of(name).write({ ...valid, ...more });

test('what is sent has the names of the webhooks, and those of callbacks after their operations', () => {
  expect([...sent.keys()]).toEqual([
    ...['newPet', 'twice.put', 'twice.gone', 'x-own', 'raw'],
    ...['postThing.onEvent', 'postThing.onEnd.put', 'postThing.onEnd.end'],
  ]);
});

test('a request has what the document describes: readOnly properties, and neither writeOnly nor unlisted ones', () => {
  const body = { ...valid.body, secret: 'xyz', more: 1 };
  expect(write({ body, query: { attempt: 4, ids: ['b|c', 'd'] }, authorization: 'Bearer abc' })).toEqual({
    method: 'POST',
    url: 'https://receiver.example/in?a=1&attempt=4&ids=b%7Cc%7Cd',
    headers: { Authorization: 'Bearer abc', 'Content-Type': 'application/json', 'X-Kind': 'a' },
    body: '{"id":1152921504606846976,"name":"Rex"}',
  });
  expect(of('twice.put').write({ url: URL })).toMatchObject({ method: 'PUT', headers: {}, body: undefined });
  expect(of('raw').write({ url: URL, body: Buffer.from([0, 255]) }).body).toEqual(Buffer.from([0, 255]));
  expect(of('x-own').write({ url: URL, body: 'a' })).toMatchObject({ body: '"a"' });
  expect(of('x-own').write({ url: URL, body: 'a', contentType: 'text/plain' })).toMatchObject({ body: 'a' });
});

test.each<[string, Partial<GivenRequest>, string?]>([
  ['the request: body/name must be string', { body: { id: 1n, name: 1 } }],
  ['the request: body/name must NOT have more than 9 characters', { body: { id: 1n, name: '1234567890' } }],
  ["the request: body must have required property 'id'", { body: { name: 'a' } }],
  ['body is of the type undefined, which JSON does not have', { body: undefined }],
  ["the request: header must have required property 'X-Kind'", { header: {} }],
  [
    'the request: header/X-Kind must be equal to one of the allowed values: a, b',
    { header: { 'X-Kind': 'c' } },
  ],
  ['the header X-Own is not documented', { header: { ...valid.header, 'X-Own': '1' } }],
  ['the header webhook-id is not documented', { header: { ...valid.header, 'webhook-id': '1' } }],
  ['the header Authorization has a value that a header cannot carry', { authorization: 'a\r\nb' }],
  ['query/attempt must be <= 9', { query: { attempt: 10 } }],
  ['query/attempt must be integer', { query: { attempt: 'many' } }],
  ['query/other is not in the document', { query: { other: 1 } }],
  ['the request is not documented as text/plain', { contentType: 'text/plain' }],
  ['a body is not documented', { header: {} }, 'twice.put'],
  ['a body is signed before it is sent: pass its bytes', { header: {}, body: new Blob(['a']) }, 'raw'],
])('nothing leaves: %s', (message, request, name = 'newPet') => {
  expect(() => write(request, name)).toThrow(`${name} is not sent: ${message}`);
});

test('what cannot be sent is a finding with its place', () => {
  const parameter = (name: string, location: string) => ({ name, in: location, required: true, schema: {} });
  const post = {
    parameters: [
      parameter('id', 'path'),
      parameter('c', 'cookie'),
      ...['Content-Length', 'Host', 'expect', 'Cookie'].map((name) => parameter(name, 'header')),
    ],
    requestBody: {
      content: {
        'application/jsonl': { 'x-item-schema': {} },
        'application/xml': { schema: { type: 'object' } },
      },
    },
    responses: done,
  };
  const document = buildDocument({
    operation: { callbacks: { a: { '{$request.body#url}': { post: { responses: done } } } } },
    webhooks: { w: { post } },
  });
  const find = () => compileSent(new OpenApiDocument(document));
  expect(find).toThrow(InvalidContract);
  const places = [
    'has the path parameter id, which is not in its URL',
    '/parameters/1: c is in the cookie',
    '/Content-Length: belongs',
    ...['Host', 'expect', 'Cookie'].map((name) => `/${name}: is decided by the URL`),
  ];
  for (const place of [...places, '~1jsonl: a body of application/jsonl is not known at once', '~1xml'])
    expect(find).toThrow(place);
  expect(find).toThrow('"{$request.body#url}" is not a URL with runtime expressions');
});

describe('the URL of a callback', () => {
  const request = {
    header: { 'X-Url': 'https://h.example' },
    query: { q: 'https://q.example', list: [1] },
    path: { id: 7n },
    body: {
      url: 'https://b.example/c',
      'a/b~': ['x&y', { '}': 'z' }],
      number: 1.5,
      no: false,
      object: {},
      empty: '',
    },
  };
  const response = { status: 201, headers: { location: '/made' }, body: { id: 'm' } };
  const context = { request, response, url: 'https://api.example/things?q=1', method: 'POST' };
  const urlOf = (key: string) => {
    const template = parseExpression(key);
    return template && evaluateTemplate(template, context);
  };

  test.each([
    ['{$request.body#/url}', 'https://b.example/c'],
    ['$request.query.q', 'https://q.example'],
    ['{$request.header.x-url}/in', 'https://h.example/in'],
    [
      'https://x.example/{$request.path.id}?u={$request.body#/url}',
      'https://x.example/7?u=https%3A%2F%2Fb.example%2Fc',
    ],
    ['https://{$request.body#/a~1b~0/0}.example', 'https://x%26y.example'],
    ['https://x/{$request.body#/a~1b~0/1/}}', undefined],
    ['https://x/{$url}', 'https://x/https%3A%2F%2Fapi.example%2Fthings%3Fq%3D1'],
    ['https://x/{$method}/{$statusCode}', 'https://x/POST/201'],
    ['https://x{$response.header.Location}', 'https://x%2Fmade'],
    ['https://x/{$response.body#/id}-{$request.body#/number}-{$request.body#/no}', 'https://x/m-1.5-false'],
    ['https://fixed.example/in', 'https://fixed.example/in'],
    ...['{$request.body#url}', '{$request.}', '{$request.cookie.a}', '{$request.header.a b}', '$nothing'].map(
      (key): [string, undefined] => [key, undefined],
    ),
    ...['{$request.body', '{}', 'a}', '$request.bodyx', '{$request.body#/~2}', '{$response.}'].map(
      (key): [string, undefined] => [key, undefined],
    ),
  ])('%s is %s', (key, url) => {
    expect(urlOf(key)).toBe(url);
  });

  test.each([
    ...['{$request.body#/none}', '{$request.body#/object}', '{$request.body}', '{$request.query.list}'],
    ...[
      '{$request.body#/constructor}',
      '{$request.body#/a~1b~0/length}',
      '{$request.body#/empty}',
      '{$request.path.no}',
    ],
  ])('%s has no value here', (key) => {
    expect(() => urlOf(key)).toThrow(/: expected a string or a number for the URL of the callback, got/);
  });

  test.each(['.', '..'])('%s changes no path before it', (id) => {
    const write = (key: string) =>
      evaluateTemplate(parseExpression(key) ?? [], { request: { path: { id } } });
    expect(() => write('https://x.example/a/{$request.path.id}/in')).toThrow(NoCallbackUrl);
    expect(write('https://x.example/a?id={$request.path.id}')).toBe(`https://x.example/a?id=${id}`);
  });

  test('any text of any body is found by its pointer, and cannot change what is before it', () => {
    const step = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
    const name = fc.string({ unit: 'grapheme' }).filter((key) => !/[{}]/.test(key) && key !== '__proto__');
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 4 }),
        fc.string({ minLength: 1 }),
        (path, text) => {
          const body = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), text);
          const expression = `{$request.body#/${path.map(step).join('/')}}`;
          const [whole, part] = [expression, `https://x.example/${expression}`].map(parseExpression);
          if (!whole || !part) throw new Error(`${expression} is not read`);
          expect(evaluateTemplate(whole, { request: { body } })).toBe(text);
          if (/^\.\.?$/.test(text)) return;
          const url = new globalThis.URL(evaluateTemplate(part, { request: { body } }));
          expect([url.host, decodeURIComponent(url.pathname.slice(1))]).toEqual(['x.example', text]);
        },
      ),
    );
  });
});

test('the types say what each webhook and callback has', () => {
  const code = (line: string) => `
    import type { SentRequest } from '../../src/contract';
    import type { webhooks } from './openapi';
    const url = 'https://a.example';
    ${line}`;
  const lines: Readonly<Record<string, string | undefined>> = {
    "export const a: SentRequest<webhooks, 'newPet'> = { url, header: { 'X-Kind': 'a' }, query: { attempt: 1 }, body: { id: 1n, name: '' } };":
      undefined,
    "export const a: SentRequest<webhooks, 'postThing.onEvent'> = { url, authorization: 'a' };": undefined,
    "export const a: SentRequest<webhooks, 'x-own'> = { url };": undefined,
    "export const a: SentRequest<webhooks, 'x-own'> = { url, body: '', contentType: 'text/plain' };":
      undefined,
    "export const a: SentRequest<webhooks, 'raw'> = { url, body: Buffer.from('') };": undefined,
    "export const a: SentRequest<webhooks, 'newPet'> = { url, header: { 'X-Kind': 'a' }, body: { id: 1, name: '' } };":
      'bigint',
    "export const a: SentRequest<webhooks, 'newPet'> = { url, body: { id: 1n, name: '' } };": 'header',
    "export const a: SentRequest<webhooks, 'newPet'> = { url, header: { 'X-Kind': 'c' }, body: { id: 1n, name: '' } };":
      '"a" | "b"',
    "export const a: SentRequest<webhooks, 'newPet'> = { url, header: { 'X-Kind': 'a' } };": 'body',
    "export const a: SentRequest<webhooks, 'twice.put'> = { url, body: {} };": 'undefined',
    "export const a: SentRequest<webhooks, 'none'> = { url };": 'none',
  };
  const names = Object.keys(lines).map((line, i) => [`${i}.ts`, code(line)]);
  const { diagnosticsOf } = compileTexts(__dirname, {
    'openapi.d.ts': typesOf(DOCUMENT),
    ...(Object.fromEntries(names) as Record<string, string>),
  });
  const messages = Object.keys(lines).map((line, i) => [
    line,
    diagnosticsOf(`${i}.ts`)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
      .join('\n'),
  ]);
  for (const [line = '', message] of messages) {
    const expected = lines[line];
    if (expected === undefined) expect([line, message]).toEqual([line, '']);
    else expect([line, message]).toEqual([line, expect.stringContaining(expected)]);
  }
});
