import { contractReport } from '../../src/report/contract-report';
import { run } from '../../src/run';
import { numbers, targetOf } from '../support/simple-server';

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
