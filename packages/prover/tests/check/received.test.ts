import type { JsonObject } from '../../src/json/tree';
import { describeFailure } from '../../src/report/terminal';
import { run } from '../../src/run';
import { serve, target } from '../support/simple-server';
import type { Received } from '../../src/target';
import { documentOf, inJson } from '../support/document';

const properties = { name: { type: 'string' }, size: { type: 'integer', default: 3 } };

/** `PUT /number` accepts a thing with a name and answers 204. */
const DOCUMENT: JsonObject = documentOf(
  {
    put: {
      operationId: 'putThing',
      parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', default: 1 } }],
      requestBody: { required: true, content: inJson({ type: 'object', properties }) },
      responses: { 204: { description: 'stored' } },
    },
  },
  {},
  '/number',
);

type Body = Record<string, unknown>;
const listed = ({ name, size = 3 }: Body): Body => ({ ...(name !== undefined && { name }), size });

/** Runs with a handler that receives the result of `give`. Resolves with the failures about it. */
async function runWith(give: (body: Body, page: number) => Received) {
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
    { ...target(answer), document: DOCUMENT, received: () => received },
    { generated: 1 },
  );
  const found = failures.filter(({ problems }) => problems.some((one) => one.includes('handler')));
  return { found: found.map(describeFailure), obligations };
}

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
