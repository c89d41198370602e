import { type JsonObject, objectAt } from '../src/json/tree';
import type { Value } from '../src/json/value';
import { readDocument } from '../src/document/reader';
import { contractReport } from '../src/report/contract-report';
import { withoutSource } from '../src/profile';
import { describeFailure, formatReport } from '../src/report/terminal';
import { run } from '../src/run';
import { createOracle, type Oracle } from '../src/schema/oracle';
import { OF_STUBS } from '../src/case-runner';
import { correctServer, numbers, routed, serve, target, targetOf } from './support/simple-server';
import type { Target } from '../src/target';

const WAIVER = { obligation: /409/, reason: 'no conflict can occur' };

/** The simple target with another schema of the body. */
const withSchema = (schema: JsonObject) =>
  numbers((operation) => {
    objectAt(operation, '/requestBody/content/application~1json')['schema'] = schema;
  });

describe('a run', () => {
  test('blocks every obligation if the server refuses every request', async () => {
    const result = await run(
      target(() => ({ status: 401, headers: { 'WWW-Authenticate': 'Bearer' } }), [WAIVER]),
    );
    expect(new Set(result.obligations.map(({ state }) => state))).toEqual(new Set(['BLOCKED']));
    expect(result.requests).toBe(1);
    expect(result.passed).toBe(false);
  });

  test('ignores a waiver for an obligation that a case disproves', async () => {
    const result = await run(
      target(
        (request, body) => (body.trim() === '1000001' ? { status: 204 } : correctServer(request, body)),
        [{ obligation: /./, reason: 'everything' }],
      ),
    );
    expect(result.obligations.find(({ key }) => key.endsWith('maximum | violates'))?.state).toBe('UNPROVEN');
  });

  test('asks a stub once for each promise, and says what it leaves out', async () => {
    const whole = await run(target(correctServer));
    const stub = await run({ ...target(correctServer), stubs: ['putNumber'] });
    const asked = ({ obligations }: typeof whole) =>
      obligations.filter(({ passed }) => passed > 0).map(({ key }) => key);
    expect(asked(stub)).toEqual(asked(whole));
    expect(stub.leftOut.map(({ reason }) => reason)).toContain(OF_STUBS);
    const leftOut = stub.leftOut.reduce((sum, { requests }) => sum + requests, 0);
    expect(stub.requests + leftOut).toBe(whole.requests);
    expect(stub.requests).toBeLessThan(whole.requests / 3);
    expect(stub.passed).toBe(true);
  });

  test('finds a stub at no fault for requests that cannot be made', async () => {
    const given = withSchema({ allOf: [{ type: 'string' }, { type: 'integer' }] });
    const stub = await run({ ...given, stubs: ['putNumber'] });
    expect([stub.passed, stub.failures]).toEqual([true, []]);
    const sentence =
      /^expected a valid value for body application\/json .*, found none: no type is admitted$/;
    expect(stub.leftOut).toMatchObject([{ family: 'baseline', requests: 1 }]);
    for (const { state, reason } of [...stub.obligations, { state: 'STUB', reason: stub.leftOut[0]?.reason }])
      expect([state, reason]).toEqual(['STUB', expect.stringMatching(sentence)]);
    const written = await run(given);
    expect([written.passed, written.failures.length]).toEqual([false, 1]);
  });

  test('finds a stub at no fault if the document yields no response for it', async () => {
    const failing = (headers: Record<string, string>) =>
      run({ ...target(() => ({ status: 500, headers })), stubs: ['putNumber'] });
    const stub = await failing({ 'X-Stub': 'putNumber' });
    expect([stub.passed, stub.failures, stub.requests]).toEqual([true, [], 1]);
    for (const { state, reason } of stub.obligations)
      expect([state, reason]).toEqual(['STUB', 'the document yields no response for its stub']);
    const broken = await failing({});
    expect([broken.passed, broken.failures.length]).toEqual([false, 1]);
  });

  test('finds a fault away from every bound by generated requests, shrinks it, and reports seed and path', async () => {
    const broken = target((request, body) =>
      Number(body) > 4321 && Number(body) < 1_000_000 ? { status: 400 } : correctServer(request, body),
    );
    const [first, ...others] = (await run(broken)).failures;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      family: 'generated',
      curl: expect.stringContaining(`--data-raw '4322'`) as string,
    });
    expect(first && describeFailure(first)).toMatch(
      /found with seed -?\d+, path [\d:]+; the request is shrunk/,
    );

    const [again] = (await run(broken)).failures;
    expect(again).toEqual(first);
  });
});

describe('a run that fails after its start has the report so far', () => {
  const endsWith = async (changed: Partial<Target>) => {
    const result = await run({ ...target(correctServer, [WAIVER]), ...changed }, { generated: 1 });
    expect(result.passed).toBe(false);
    expect(result.failures).toEqual([]);
    expect(result.summary.states.PROVEN).toBeGreaterThan(3);
    expect(formatReport(result)).toContain(`The run ended early: ${result.stopped ?? ''}.`);
    return result;
  };

  test('if the target does not reset', async () => {
    let resets = 0;
    const start = serve(correctServer, () => {
      if (++resets === 30) throw new Error('no disk');
    });
    const { stopped, leftOut, requests } = await endsWith({ start });
    expect(stopped).toBe('the target failed to reset: no disk');
    expect(requests).toBe(29);
    expect(leftOut.reduce((sum, { requests: number }) => sum + number, 0)).toBeGreaterThan(20);
  });

  test('if the server of a situation does not start', async () => {
    const { stopped } = await endsWith({
      situations: { '409': () => Promise.reject(new Error('no port')) },
    });
    expect(stopped).toBe('the target failed to start for the status 409: no port');
  });
});

test('a scenario or an own refusal that names what is not there is refused before the target starts', async () => {
  const start = jest.fn(serve(correctServer));
  const steps = (step: object) => [
    { title: 'one', steps: [{ operation: 'putNumber', expect: 'success', ...step }] },
  ];
  const wrong: [Partial<Target>, string][] = [
    [
      { scenarios: steps({ operation: 'put' }) },
      'scenario "one, step 1": expected one of putNumber, got put',
    ],
    [{ scenarios: steps({ expect: 'no' }) }, 'scenario "one, step 1": expected one of success, got no'],
    [{ scenarios: steps({ parameters: { a: 1 } }) }, 'scenario "one, step 1": expected no parameters, got a'],
    [
      { ownRefusals: { full: { status: 409, operations: ['put'] } } },
      'ownRefusals.full.operations: expected one of putNumber, got put',
    ],
  ];
  for (const [changed, message] of wrong)
    await expect(run({ ...target(correctServer), start, ...changed })).rejects.toThrow(message);
  expect(start).not.toHaveBeenCalled();
});

test('what a budget leaves out is listed with its number', async () => {
  // Few of the generated values fit.
  const schema = { type: 'integer', minimum: 0, maximum: 1_000_000, not: { not: { multipleOf: 997 } } };
  const result = await run(withSchema(schema), { generated: 40 });
  const { requests = 0 } = result.leftOut.find(({ reason }) => reason.includes('no more valid')) ?? {};
  expect(requests).toBeGreaterThan(0);
  expect(requests).toBeLessThan(40);
  expect(formatReport(result)).toContain(
    `LEFT OUT ${requests} requests of putNumber (${requests} generated): no more valid values were found`,
  );
  const all = result.leftOut.reduce((sum, one) => sum + one.requests, 0);
  expect(result.summary.verdict).toContain(`Left out: ${all} requests.`);
});

test('proves an operation whose only inputs are two required headers', async () => {
  const header = (name: string) => ({ name, in: 'header', required: true, schema: { type: 'string' } });
  const responses = { 204: { description: 'stored' }, 400: { description: 'invalid' } };
  const put = { operationId: 'putNumber', parameters: [header('X-A'), header('X-B')], responses };
  const answer = routed({
    'PUT /number': (_, __, { headers }) => ({ status: 'x-a' in headers && 'x-b' in headers ? 204 : 400 }),
  });
  const result = await run(targetOf({ '/number': { put } }, answer));
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(result.families.get('generated')).toBeGreaterThan(10);
  expect(result.passed).toBe(true);
});

describe('a default response', () => {
  const withDefault = (fallback: JsonObject) =>
    numbers((operation) => {
      const responses = objectAt(operation, '/responses');
      delete responses['409'];
      delete responses['4XX'];
      responses['default'] = fallback;
    });

  test('is no obligation', async () => {
    const result = await run(withDefault({ description: 'anything else' }), { generated: 1 });
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(result.obligations.filter(({ description }) => description.includes('default'))).toEqual([]);
    expect(result.passed).toBe(true);
  });

  test('describes each answer without another documented response', async () => {
    const content = { 'text/plain': {} };
    const result = await run(withDefault({ description: 'anything else', content }), { generated: 1 });
    expect(result.failures.length).toBeGreaterThan(0);
    expect(new Set(result.failures.flatMap(({ problems }) => problems.map(withoutSource)))).toEqual(
      new Set(['expected the media type text/plain, got none']),
    );
  });
});

describe('an error of a library', () => {
  const SENTENCE = 'fc.integer maximum value should be equal or greater than the minimum one';
  /** Fails from a certain call on. */
  const faulty = (calls: number): Oracle => {
    const { document } = target(correctServer);
    const oracle = createOracle(readDocument(document).requests);
    let left = calls;
    const after =
      <Arguments extends unknown[], Result>(ask: (...args: Arguments) => Result) =>
      (...args: Arguments): Result => {
        if (left-- <= 0) throw new TypeError(SENTENCE);
        return ask(...args);
      };
    return {
      valid: after((schema: string, value: Value) => oracle.valid(schema, value)),
      decides: after((schema: string, value: Value) => oracle.decides(schema, value)),
      errors: after((schema: string, value: Value) => oracle.errors(schema, value)),
      breaks: after((schema: string, keyword: string, value: Value) => oracle.breaks(schema, keyword, value)),
    };
  };

  test.each([0, 1, 5, 20, 50, 100, 200, 400, 800])('after %i calls never reaches a person', async (calls) => {
    const result = await run(target(correctServer), { oracle: faulty(calls), generated: 5 });
    expect(JSON.stringify(contractReport(result))).not.toContain(SENTENCE);
    expect(formatReport(result)).not.toContain(SENTENCE);
    expect(result.passed).toBe(false);
  });
});
