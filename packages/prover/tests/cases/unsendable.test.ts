import { contractReport } from '../../src/report/contract-report';
import { run } from '../../src/run';
import { numbers, routed, targetOf } from '../support/simple-server';

const REASON = 'a header field cannot carry them';

/** The fields of each request, as Node reads them. */
const CONTROL = /[^\t\x20-\x7e\x80-\xff]/;

test('what a header field cannot carry is not sent, and is counted', async () => {
  const received: string[] = [];
  const text = { type: 'string', enum: ['plain', 'Ж', 'a\u007f', '\u010a'] };
  const target = targetOf(
    {
      '/things': {
        get: {
          operationId: 'listThings',
          parameters: [
            { name: 'X-Text', in: 'header', required: true, content: { 'text/plain': { schema: text } } },
          ],
          responses: { 204: { description: 'none' }, '4XX': { description: 'refused' } },
        },
      },
    },
    ({ rawHeaders, headers, url, method }) => {
      received.push(...rawHeaders);
      if (url !== '/things') return { status: 404 };
      if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET' } };
      return { status: headers['x-text'] === 'plain' ? 204 : 400 };
    },
    { profile: 'document', bodyLimit: undefined },
  );
  const result = await run(target);
  expect(result.failures).toEqual([]);
  expect(received).toContain('plain');
  expect(received.filter((field) => CONTROL.test(field))).toEqual([]);
  const left = contractReport(result).leftOut.filter(({ reason }) => reason === REASON);
  expect(left.map(({ family }) => family)).toContain('valid');
});

test('a head that servers refuse is sent only if the document demands it', async () => {
  const lengths: number[] = [];
  const text = (maxLength: number) => ({ type: 'string', maxLength });
  const inQuery = (name: string, schema: ReturnType<typeof text>) => ({ name, in: 'query', schema });
  const target = targetOf(
    {
      '/things': {
        get: {
          operationId: 'listThings',
          parameters: [inQuery('a', text(5000)), inQuery('b', text(20_000))],
          responses: { 204: { description: 'none' }, '4XX': { description: 'refused' } },
        },
      },
    },
    ({ url = '', method }) => {
      lengths.push(url.length);
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      if (pathname !== '/things') return { status: 404 };
      if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET' } };
      const [a, b] = ['a', 'b'].map((name) => Array.from(searchParams.get(name) ?? '').length);
      const isListed = [...searchParams.keys()].every((name) => ['a', 'b'].includes(name));
      const isOnce = new Set(searchParams.keys()).size === searchParams.size;
      return { status: isListed && isOnce && Number(a) <= 5000 && Number(b) <= 20_000 ? 204 : 400 };
    },
    { profile: 'document', bodyLimit: undefined },
  );
  const result = await run(target);
  expect(Math.max(...lengths)).toBeGreaterThan(5000);
  expect(Math.max(...lengths)).toBeLessThan(8000);
  const limits = result.obligations.filter(({ key }) => key.includes('maxLength'));
  expect(
    limits.map(({ key, state }) => [/\/(\d)\/schema/.exec(key)?.[1], key.split(' | ').at(-1), state]),
  ).toEqual([
    ['0', 'holds', 'PROVEN'],
    ['0', 'violates', 'PROVEN'],
    ['1', 'holds', expect.stringMatching(/PROVEN|LEFT OUT|OUT OF REACH/)],
    ['1', 'violates', expect.stringMatching(/LEFT OUT|OUT OF REACH/)],
  ]);
});

test.each([
  [
    'the media type',
    numbers((operation) => {
      operation['requestBody'] = {
        required: true,
        content: { 'application/x-\u010a': { schema: { type: 'string' } } },
      };
    }),
  ],
  [
    'the credential',
    numbers(
      (_, document) => {
        document['security'] = [{ token: [] }];
        document['components'] = { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } };
      },
      undefined,
      { credentials: { token: { valid: 'a\u010ab', invalid: 'c' } } },
    ),
  ],
])('%s that a header field cannot carry blocks its operation', async (what, target) => {
  const { failures, requests } = await run(target);
  expect(failures[0]?.problems.join()).toContain(`a header field cannot carry ${what}`);
  expect(requests).toBe(0);
});

test.each([
  ['path', 5000],
  ['query', 5000],
  ['header', 5000],
  ['cookie', 5000],
  ['query', 9000],
])(
  'a parameter in the %s of at most %d characters is sent no longer than a server has to accept',
  async (place, maxLength) => {
    const isPath = place === 'path';
    const received: string[] = [];
    const target = targetOf(
      {
        [isPath ? '/things/{q}' : '/things']: {
          get: {
            operationId: 'listThings',
            parameters: [
              {
                name: 'q',
                in: place,
                required: isPath,
                schema: { type: 'string', maxLength, pattern: '^[^\\p{C}/.]+$' },
              },
            ],
            responses: { 204: { description: 'none' }, '4XX': { description: 'refused' } },
          },
        },
      },
      (request) => {
        received.push(`${request.url ?? ''} ${request.rawHeaders.join()}`);
        return { status: 204 };
      },
      { profile: 'strict', bodyLimit: undefined },
    );
    const result = await run(target);
    expect(Math.max(...received.map(({ length }) => length))).toBeLessThan(8_500);
    expect(result.failures.flatMap(({ problems }) => problems).join()).not.toMatch(/\b(414|431)\b/);
    const { state } = result.obligations.find(({ key }) => key.endsWith('maxLength | violates')) ?? {};
    expect(state === 'OUT OF REACH').toBe(maxLength === 9000);
  },
);

test('the rules of an optional body that cannot carry any valid value are out of reach, and the others are proven', async () => {
  const schema = { type: 'object', additionalProperties: false };
  const result = await run(
    targetOf(
      {
        '/things': {
          delete: {
            operationId: 'deleteThings',
            requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } },
            responses: { 204: { description: 'none' }, 400: { description: 'refused' } },
          },
        },
      },
      routed({ 'DELETE /things': (_, body) => ({ status: body === '' ? 204 : 400 }) }),
    ),
  );
  const inState = (wanted: string) =>
    result.obligations.filter(({ state }) => state === wanted).map(({ description }) => description);
  expect(inState('BLOCKED')).toEqual([]);
  expect(inState('PROVEN')).toContain('response | 204 | no body');
  const unproven = inState('UNPROVEN').join();
  expect(unproven).not.toContain('body application');
  expect(unproven).not.toContain('media types');
  expect(inState('OUT OF REACH')).toContain('protocol | unsupported media types');
  expect(inState('OUT OF REACH').filter((one) => one.startsWith('body '))).not.toEqual([]);
});

test('a violation in a body that is larger than the server accepts is not sent, and is counted', async () => {
  const LIMIT = 1024;
  const schema = { type: 'string', maxLength: LIMIT };
  const answer = (body: string) => {
    if (body.length > LIMIT) return 413;
    return /^\s*"[^"]*"\s*$/.test(body) ? 204 : 400;
  };
  const target = targetOf(
    {
      '/texts': {
        post: {
          operationId: 'addText',
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses: { 204: { description: 'stored' }, '4XX': { description: 'refused' } },
        },
      },
    },
    ({ url, method, headers }, body) => {
      if (url !== '/texts') return { status: 404 };
      if (method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
      return { status: headers['content-type'] === 'application/json' ? answer(body) : 415 };
    },
    { profile: 'document', bodyLimit: LIMIT },
  );
  const { obligations, failures } = await run(target);
  expect(failures.filter(({ title }) => title.includes('violates maxLength'))).toEqual([]);
  expect(obligations.find(({ key }) => key.endsWith('maxLength | violates'))).toMatchObject({
    state: 'OUT OF REACH',
    reason: 'a body of more than 1024 bytes is larger than the server accepts',
  });
});
