import { parseReplay, printReplay } from '../src/failure';
import { readDocument } from '../src/document/reader';
import type { JsonObject } from '../src/json/tree';
import { parse } from '../src/json/value';
import { formatReport } from '../src/report/terminal';
import { run } from '../src/run';
import { createOracle } from '../src/schema/oracle';
import { correctServer, routed, target, targetOf } from './support/simple-server';
import { documentOfPaths } from './support/document';

/** `PUT /plants` takes a plant with many optional members, and two optional parameters. */
const schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer', minimum: 0, maximum: 99 },
    name: { type: 'string', minLength: 1, maxLength: 50 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 5 },
  },
  additionalProperties: false,
};
const content = { 'application/json': { schema, example: { id: 1, name: 'Monstera deliciosa' } } };
const put = {
  operationId: 'putPlant',
  parameters: [
    { name: 'trace', in: 'header', schema: { type: 'string', pattern: '^[a-z]{1,9}$' } },
    { name: 'verbose', in: 'query', schema: { type: 'boolean' } },
  ],
  requestBody: { required: true, content },
  responses: { 204: { description: 'stored' }, '4XX': { description: 'invalid' } },
};
const PATHS: JsonObject = { '/plants': { put } };

const oracle = createOracle(readDocument(documentOfPaths(PATHS)).requests);
const SCHEMA = '/paths/~1plants/put/requestBody/content/application~1json/schema';

/** A server of the document that decides some bodies otherwise. */
const runWith = (decide: (body: string) => number | undefined) => {
  const answer = routed({
    'PUT /plants': (_, body, { headers }) => {
      if (headers['content-type'] !== 'application/json') return { status: 415 };
      try {
        return { status: decide(body) ?? (oracle.valid(SCHEMA, parse(body)) ? 204 : 400) };
      } catch {
        return { status: 400 };
      }
    },
  });
  return run(targetOf(PATHS, answer), { generated: 1 });
};

test('the example of a refused valid request keeps only what the refusal needs, and stays valid', async () => {
  const { groups } = await runWith((body) => (/^\{.*"tags":\["/.test(body) ? 400 : undefined));
  const group = groups.find(({ cause }) => cause.sentence.startsWith('a valid request was refused: 400'));
  expect(group?.example.curl).toMatch(/--data-raw '\{"id":\d,"tags":\[""\]\}'/);
  expect(group?.example.curl).not.toMatch(/trace|verbose/);
  expect(group?.cases).toBeGreaterThan(3);
});

test('the example of an accepted invalid request stays invalid for the same reason', async () => {
  const { groups } = await runWith((body) => (/"id":[1-9]\d\d+[,}]/.test(body) ? 204 : undefined));
  const group = groups.find(({ cause }) => cause.sentence.includes('violates maximum'));
  expect(group?.example.curl).toContain(`--data-raw '{"id":100}'`);
});

test('a failure that does not occur again is marked', async () => {
  let isFirst = true;
  const { groups } = await runWith((body) => {
    if (!isFirst || !body.includes('"tags"')) return undefined;
    isFirst = false;
    return 500;
  });
  expect(groups.map(({ cause, isRepeatable }) => [cause.sentence, isRepeatable])).toContainEqual([
    'a valid request failed: 500 without a body',
    false,
  ]);
});

describe('the options of a run', () => {
  const broken = target((request, body) =>
    Number(body) > 4321 && Number(body) < 1_000_000 ? { status: 400 } : correctServer(request, body),
  );

  test('replay sends the one case that a report names, and proves nothing else', async () => {
    const [failure] = (await run(broken)).failures;
    expect(failure?.replay).toBeDefined();
    if (!failure?.replay) return;
    const printed = printReplay(failure.replay);
    const again = await run(broken, { replay: parseReplay(printed) });
    expect(again.failures.map(({ title, problems }) => [title, problems])).toEqual([
      [failure.title, failure.problems],
    ]);
    expect(again.obligations).toEqual([]);
    expect(again.requests).toBeLessThan(20);
    expect(formatReport(again)).toContain(`The case fails again: ${printed}`);

    const mended = await run(target(correctServer), { replay: parseReplay(printed) });
    expect(mended.passed).toBe(true);
    expect(formatReport(mended)).toContain(`The case passes now: ${printed}`);
    // One request for the baseline and one for the case.
    expect(mended.requests).toBe(2);
  });

  test.each(['', 'putNumber 1 2', 'putNumber wrong 1 2', 'putNumber valid x 2', 'putNumber valid 1 a'])(
    'replay refuses %j, which no report prints',
    (text) => {
      expect(() => parseReplay(text)).toThrow('expected a case as a report prints it');
    },
  );

  test('only tests the operations that it names, and refuses an unknown one', async () => {
    const { document, ...rest } = target(correctServer);
    const paths = {
      ...(document['paths'] as JsonObject),
      '/other': { get: { operationId: 'getOther', responses: {} } },
    };
    const { obligations } = await run(
      { ...rest, document: { ...document, paths } },
      { only: ['putNumber'], generated: 1 },
    );
    expect(new Set(obligations.map(({ operation }) => operation))).toEqual(new Set(['putNumber']));
    await expect(run(broken, { only: ['putNumbers'] })).rejects.toThrow(
      'expected one of the operations putNumber, got putNumbers',
    );
  });

  test('seed changes the generated requests', async () => {
    const bodies = async (seed: number): Promise<string[]> => {
      const seen: string[] = [];
      await run(
        target((request, body) => {
          seen.push(body);
          return correctServer(request, body);
        }),
        { seed, generated: 5 },
      );
      return seen;
    };
    expect(await bodies(1)).toEqual(await bodies(1));
    expect(await bodies(1)).not.toEqual(await bodies(2));
  });

  test('onRequest receives the progress', async () => {
    const seen: number[] = [];
    const { requests } = await run(target(correctServer), {
      generated: 1,
      onRequest: ({ requests: sent }) => seen.push(sent),
    });
    expect(seen).toEqual(Array.from({ length: requests }, (_, index) => index + 1));
  });
});
