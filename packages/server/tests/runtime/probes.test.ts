import { watchReadiness } from '../../src/runtime/observe/probes';

/** A store that is ready or not, as the test says, and a clock that the test sets. */
function buildWatch() {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const checks: PromiseWithResolvers<undefined>[] = [];
  const log = { info: jest.fn(), warn: jest.fn() };
  const ask = watchReadiness(() => {
    const check = Promise.withResolvers<undefined>();
    checks.push(check);
    return check.promise.then(() => undefined);
  }, log);
  const answer = async (outcome?: Error) => {
    const asked = ask().then(
      () => 'ready',
      () => 'not ready',
    );
    const last = checks.at(-1);
    if (outcome) last?.reject(outcome);
    else last?.resolve(undefined);
    return asked;
  };
  const pass = (milliseconds: number) => (now += milliseconds);
  return { ask, answer, pass, checks, log };
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('asks the store once a second, however often it is asked', async () => {
  const { answer, pass, checks } = buildWatch();
  for (let i = 0; i < 100; i++) {
    expect(await answer()).toBe('ready');
    pass(10);
  }
  expect(checks).toHaveLength(1);
  await answer();
  expect(checks).toHaveLength(2);
});

test('all who ask while the store is asked share its answer, however long that takes', async () => {
  const { ask, pass, checks } = buildWatch();
  const asked = [ask()];
  pass(3000);
  asked.push(ask());
  checks[0]?.reject(new Error('away'));
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(checks).toHaveLength(1);
});

test('logs a reason once, until it changes', async () => {
  const { answer, pass, log } = buildWatch();
  for (const outcome of [new Error('away'), new Error('away'), new Error('full'), undefined, undefined]) {
    expect(await answer(outcome)).toBe(outcome ? 'not ready' : 'ready');
    pass(1000);
  }
  expect(log.warn.mock.calls.map(([, message]: unknown[]) => message)).toEqual([
    'not ready: away',
    'not ready: full',
  ]);
  expect(log.info.mock.calls).toEqual([['ready again']]);
});
