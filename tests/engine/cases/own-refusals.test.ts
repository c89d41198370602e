import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../json/json';
import { describeFailure } from '../report/text';
import { run } from '../run';
import { type Reply, serve, target } from '../simple-server';
import type { Target } from '../target';

describe('a service that does not hold everything', () => {
  const operation = (operationId: string) => ({
    operationId,
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 7 }],
    responses: { 204: { description: 'so it is' }, 404: { description: 'no such number' } },
  });
  const document: JsonObject = {
    openapi: '3.1.0',
    info: { title: 'What is there', version: '1.0.0' },
    paths: { '/numbers/{id}': { get: operation('getNumber'), delete: operation('deleteNumber') } },
  };
  const all = { operations: ['getNumber', 'deleteNumber'], status: 404 };

  function holding(first: readonly number[], changed: Partial<Target> = {}): Target {
    let held = new Set(first);
    const there = ({ url = '', method = '' }: IncomingMessage): Reply => {
      const [, id] = /^\/numbers\/([^/]+)$/.exec(url) ?? [];
      if (id === undefined) return { status: 404 };
      if (!['GET', 'HEAD', 'DELETE'].includes(method))
        return { status: 405, headers: { Allow: 'GET, DELETE' } };
      if (!/^-?(0|[1-9]\d*)(\.0+)?$/.test(id)) return { status: 400 };
      const found = method === 'DELETE' ? held.delete(Number(id)) : held.has(Number(id));
      return { status: found ? 204 : 404, own: true };
    };
    const reset = (): void => {
      held = new Set(first);
    };
    return { ...target(there), document, start: serve(there, reset), ownRefusals: { gone: all }, ...changed };
  }
  const steps = (...list: [operation: string, expect: string][]) => [
    { title: 'a story', steps: list.map(([name, expect]) => ({ operation: name, expect })) },
  ];

  test('is asked for what the examples name, and may hold nothing else', async () => {
    const story = steps(['getNumber', 'success'], ['deleteNumber', 'success'], ['getNumber', 'gone']);
    const result = await run(holding([7], { scenarios: story }));
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(result.passed).toBe(true);
    expect(result.families.get('scenarios')).toBe(3);
  });

  test('is blocked if it does not hold what the examples name', async () => {
    const story = steps(['getNumber', 'success']);
    const { failures, obligations } = await run(holding([8], { scenarios: story }));
    expect(failures.map(({ family }) => family)).toEqual(['baseline', 'baseline']);
    expect(failures[0]?.problems).toEqual([
      expect.stringContaining('expected success, got 404'),
      'the service must hold what the examples of the document name: path id = 7',
    ]);
    expect(new Set(obligations.map(({ state }) => state))).toEqual(new Set(['BLOCKED']));
  });

  test('is told for what no example was given', async () => {
    const { paths, ...rest } = document;
    const silent = JSON.parse(JSON.stringify(paths).replaceAll(',"example":7', '')) as JsonObject;
    const { failures } = await run(holding([-1], { document: { ...rest, paths: silent } }));
    expect(failures[0]?.problems[1]).toBe(
      'the document gives no example of path id, so that a value was made up',
    );
  });

  test('must hold everything where the target does not say otherwise', async () => {
    const own = { gone: { ...all, operations: ['deleteNumber'] } };
    const { failures } = await run(holding([7], { ownRefusals: own }));
    expect(new Set(failures.map(({ operation: id }) => id))).toEqual(new Set(['getNumber']));
  });

  test('is seen to tell a story wrongly', async () => {
    const { failures } = await run(
      holding([7], { scenarios: steps(['deleteNumber', 'success'], ['getNumber', 'success']) }),
    );
    expect(failures.map(({ title, problems }) => [title, problems[0]])).toEqual([
      ['a story, step 2', expect.stringContaining('expected success, got 404')],
    ]);
    expect(failures[0]?.curl.match(/^curl .* -X \w+/gm)?.map((line) => line.split(' ').at(-1))).toEqual([
      'DELETE',
      'GET',
    ]);
  });

  test('tells of other things than the examples, and what is said of them', async () => {
    const [story] = steps(['getNumber', 'success'], ['getNumber', 'gone'], ['getNumber', 'success']);
    const others = [{ parameters: { id: 8 } }, { parameters: { id: 9 } }, { answer: { id: 7 } }];
    const told = {
      title: 'a story',
      steps: (story?.steps ?? []).map((step, i) => ({ ...step, ...others[i] })),
    };
    const { failures } = await run(holding([7, 8], { scenarios: [told] }));
    expect(failures.map(({ title, problems }) => [title, problems])).toEqual([
      ['a story, step 3', [expect.stringMatching(/^expected a body with \{"id":7\}, got 204/)]],
    ]);
    expect(failures[0]?.curl.match(/\/numbers\/\d/g)).toEqual(['/numbers/8', '/numbers/9', '/numbers/7']);
  });

  test.each([
    [
      'a parameter',
      [{ title: 'a story', steps: [{ operation: 'getNumber', expect: 'success', parameters: { it: 8 } }] }],
      /scenario "a story, step 1": expected one of id, got it/,
    ],
    [
      'a value',
      [{ title: 'a story', steps: [{ operation: 'getNumber', expect: 'success', parameters: { id: '' } }] }],
      /scenario "a story, step 1": expected a value that path id can carry, got ""/,
    ],
    [
      'an operation',
      steps(['putNumber', 'success']),
      /expected one of getNumber, deleteNumber, got putNumber/,
    ],
    ['an outcome', steps(['getNumber', 'lost']), /expected one of success, gone, got lost/],
  ])('has no story with %s that nobody knows', async (_, scenarios, message) => {
    await expect(run(holding([7], { scenarios }))).rejects.toThrow(message);
  });
});
