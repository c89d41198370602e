import type { JsonObject } from '../../src/json/tree';
import { describeFailure } from '../../src/report/terminal';
import { run } from '../../src/run';
import { serve, target } from '../support/simple-server';
import { equalsNumber } from '../../src/check/received';
import type { Received } from '../../src/target';
import { documentOf, inJson } from '../support/document';

const properties = { name: { type: 'string' }, size: { type: 'integer', default: 3 } };

/** `PUT /number` accepts a thing with a name and answers 204. */
const documentFor = (schema: JsonObject): JsonObject =>
  documentOf(
    {
      put: {
        operationId: 'putThing',
        parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', default: 1 } }],
        requestBody: { required: true, content: inJson(schema) },
        responses: { 204: { description: 'stored' } },
      },
    },
    {},
    '/number',
  );

type Body = Record<string, unknown>;
const listed = ({ name, size = 3 }: Body): Body => ({ ...(name !== undefined && { name }), size });

/** Runs with a handler that receives the result of `give`. Resolves with the failures about it. */
async function runWith(
  give: (body: Body, page: number) => Received,
  schema: JsonObject = { type: 'object', properties },
) {
  let received: Received | undefined;
  const answer: Parameters<typeof serve>[0] = ({ url = '' }, text) => {
    const page = /page=(\d+)$/.exec(url)?.[1] ?? '1';
    try {
      received = give(JSON.parse(Buffer.from(text, 'latin1').toString()) as Body, Number(page));
    } catch {
      return { status: 400 };
    }
    return { status: 204 };
  };
  const { failures, obligations } = await run(
    { ...target(answer), document: documentFor(schema), received: () => received },
    { generated: 1 },
  );
  const found = failures.filter(({ problems }) => problems.some((one) => one.includes('handler')));
  return { found: found.map(describeFailure), obligations };
}

test.each([
  ['an integer', {}, false],
  ['an int64', { format: 'int64' }, true],
])('%s beyond 2^53 that a handler receives as a double is a failure: %j is %p', async (_, format, fails) => {
  const wide = { type: 'integer', minimum: 2 ** 60, maximum: 2 ** 61, ...format };
  const { found } = await runWith((body) => ({ query: { page: 1 }, body }), {
    type: 'object',
    required: ['wide'],
    properties: { wide },
  });
  expect(found.some((text) => text.includes('/wide'))).toBe(fails);
});

test('a handler receives the value with its defaults, and no unlisted properties', async () => {
  const { found, obligations } = await runWith((body, page) => ({ query: { page }, body: listed(body) }));
  expect(found).toEqual([]);
  const received = obligations.filter(({ kind }) => kind === 'received');
  expect(received.map(({ description, state }) => [description, state])).toEqual([
    ['received | query page | as sent', 'PROVEN'],
    ['received | query page | default', 'PROVEN'],
    ['received | body application/json | as sent', 'PROVEN'],
    ['received | body application/json | default', 'PROVEN'],
    ['received | body application/json | unlisted left out', 'PROVEN'],
  ]);
});

test.each<[string, (body: Body, page: number) => Received, RegExp]>([
  [
    'an unlisted property',
    (body, page) => ({ query: { page }, body: { size: 3, ...body } }),
    /at \/unlisted/,
  ],
  [
    'no default of a property',
    (body, page) => ({ query: { page }, body: { ...listed(body), size: body['size'] } }),
    /at \/size/,
  ],
  [
    'no default of a parameter',
    (body, page) => ({ ...(page !== 1 && { query: { page } }), body: listed(body) }),
    /page = 1, got nothing/,
  ],
  ['another value', (body, page) => ({ query: { page: page + 1 }, body }), /page = \d+, got \d+/],
])('a handler that receives %s is found', async (_, give, problem) => {
  expect((await runWith(give)).found.join('\n')).toMatch(problem);
});

test.each<[string, unknown, boolean]>([
  ['9007199254740993', 9007199254740992, false],
  ['9223372036854775807', 2 ** 63, false],
  ['-9223372036854775807', -(2 ** 63), false],
  ['9007199254740993.0', 9007199254740992, false],
  ['9007199254740993', 9007199254740993n, true],
  ['9007199254740993', 9007199254740992n, false],
  ['9007199254740992', 2 ** 53, true],
  ['1152921504606846976', 2 ** 60, true],
  ['1152921504606846977', 2 ** 60, false],
  ['1e+300', 1e300, true],
  ['1e2', 100, true],
  ['0.1', 0.1, true],
  ['0.10000000000000000001', 0.1, true],
  ['0.1', 0.2, false],
  ['-0', -0, true],
  ['1', '1', false],
])('%s, received as %p, is the same number: %p', (literal, got, isSame) => {
  expect(equalsNumber(literal, got)).toBe(isSame);
});
