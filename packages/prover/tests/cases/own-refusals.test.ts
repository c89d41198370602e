import { run } from '../../src/run';
import { type Reply, routed, serve, targetOf } from '../support/simple-server';
import type { Step, Target } from '../../src/target';
import { describeFailure } from '../../src/report/terminal';

describe('a service that holds some resources only', () => {
  const operation = (operationId: string) => ({
    operationId,
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 7 }],
    responses: {
      204: { description: 'done' },
      400: { description: 'no number' },
      404: { description: 'no such number' },
    },
  });
  const paths = { '/numbers/{id}': { get: operation('getNumber'), delete: operation('deleteNumber') } };
  const all = { operations: ['getNumber', 'deleteNumber'], status: 404 };

  function holding(first: readonly number[], changed: Partial<Target> = {}): Target {
    let held = new Set(first);
    const refuseOr =
      (answer: (id: number) => boolean) =>
      ({ id = '' }): Reply =>
        /^-?(0|[1-9]\d*)(\.0+)?$/.test(id)
          ? { status: answer(Number(id)) ? 204 : 404, own: true }
          : { status: 400 };
    const answer = routed({
      'GET /numbers/{id}': refuseOr((id) => held.has(id)),
      'DELETE /numbers/{id}': refuseOr((id) => held.delete(id)),
    });
    const reset = (): void => {
      held = new Set(first);
    };
    return targetOf(paths, answer, { start: serve(answer, reset), ownRefusals: { gone: all }, ...changed });
  }
  const steps = (...list: [operation: string, expect: string][]) => [
    { title: 'a scenario', steps: list.map(([name, expect]) => ({ operation: name, expect })) },
  ];

  test('passes if it holds the resources that the examples name', async () => {
    const scenario = steps(['getNumber', 'success'], ['deleteNumber', 'success'], ['getNumber', 'gone']);
    const result = await run(holding([7], { scenarios: scenario }));
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(result.passed).toBe(true);
    expect(result.families.get('scenarios')).toBe(3);
  });

  test('fails a scenario whose step is answered wrongly', async () => {
    const { failures } = await run(
      holding([7], { scenarios: steps(['deleteNumber', 'success'], ['getNumber', 'success']) }),
    );
    expect(failures.map(({ title, problems }) => [title, problems[0]])).toEqual([
      ['a scenario, step 2', expect.stringContaining('expected success, got 404')],
    ]);
    expect(failures[0]?.curl.match(/^curl .* -X \w+/gm)?.map((line) => line.split(' ').at(-1))).toEqual([
      'DELETE',
      'GET',
    ]);
  });

  test('answers steps with other parameters and expected members', async () => {
    const [scenario] = steps(['getNumber', 'success'], ['getNumber', 'gone'], ['getNumber', 'success']);
    const others = [{ parameters: { id: 8 } }, { parameters: { id: 9 } }, { answer: { id: 7 } }];
    const changedScenario = {
      title: 'a scenario',
      steps: (scenario?.steps ?? []).map((step, i) => ({ ...step, ...others[i] })),
    };
    const { failures } = await run(holding([7, 8], { scenarios: [changedScenario] }));
    expect(failures.map(({ title, problems }) => [title, problems])).toEqual([
      ['a scenario, step 3', [expect.stringMatching(/^expected a body with \{"id":7\}, got 204/)]],
    ]);
    expect(failures[0]?.curl.match(/\/numbers\/\d/g)).toEqual(['/numbers/8', '/numbers/9', '/numbers/7']);
  });

  const step = (parameters: Step['parameters']) => [
    {
      title: 'a scenario',
      steps: [{ operation: 'getNumber', expect: 'success', parameters: parameters ?? {} }],
    },
  ];
  test.each([
    ['a parameter', step({ it: 8 }), /scenario "a scenario, step 1": expected one of id, got it/],
    [
      'a value',
      step({ id: '' }),
      /scenario "a scenario, step 1": expected a value that path id can carry, got ""/,
    ],
  ])('rejects a scenario with %s that is unknown', async (_, scenarios, message) => {
    await expect(run(holding([7], { scenarios }))).rejects.toThrow(message);
  });
});
