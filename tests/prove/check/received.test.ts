import type { JsonObject } from '../../../scripts/prove/json/tree';
import { describeFailure } from '../../../scripts/prove/report/terminal';
import { run } from '../../../scripts/prove/run';
import { serve, target } from '../support/simple-server';
import type { Received, Waiver } from '../../../scripts/prove/target';

/** `PUT /number` accepts a thing with a name and answers 204. Its handler receives the result of `give`. */
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  paths: {
    '/number': {
      put: {
        operationId: 'putThing',
        parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', default: 1 } }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { name: { type: 'string' }, size: { type: 'integer', default: 3 } },
              },
            },
          },
        },
        responses: { 204: { description: 'stored' } },
      },
    },
  },
};

type Body = Record<string, unknown>;
const listed = ({ name, size = 3 }: Body): Body => ({ ...(name !== undefined && { name }), size });

async function runWith(give: (body: Body, page: number) => Received, waivers: readonly Waiver[] = []) {
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
  const result = await run(
    { ...target(answer), document: DOCUMENT, received: () => received, waivers },
    { generated: 1 },
  );
  return {
    ...result,
    received: result.failures.filter(({ problems }) => problems.some((one) => one.includes('handler'))),
  };
}

test('a handler receives the value with its defaults, and no unlisted properties', async () => {
  const { received, obligations } = await runWith((body, page) => ({ query: { page }, body: listed(body) }));
  expect(received.map(describeFailure)).toEqual([]);
  expect(
    obligations
      .filter(({ kind }) => kind === 'received')
      .map(({ description, state }) => [description, state]),
  ).toEqual([
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
  [
    'another value',
    (body, page) => ({ query: { page: page + 1 }, body: listed(body) }),
    /page = \d+, got \d+/,
  ],
])('the judge detects a handler that receives %s', async (_, give, problem) => {
  const { received } = await runWith(give);
  expect(received.flatMap(({ problems }) => problems).join('\n')).toMatch(problem);
});

test('a known failure is waived with its reason, and disproves no obligation', async () => {
  const give = (body: Body, page: number): Received => ({ query: { page }, body: { size: 3, ...body } });
  const waiver = { failure: /putThing/, reason: 'until the next release' };
  const { failures, waived } = await runWith(give, [waiver]);
  expect(failures).toEqual([]);
  expect(waived.length).toBeGreaterThan(0);
  expect(new Set(waived.map(({ reason }) => reason))).toEqual(new Set([waiver.reason]));
});
