import { run } from '../src/run';
import { correctServer, target } from './support/simple-server';
import type { Waiver } from '../src/target';
import { describeWaiver, readWaivers } from '../src/waivers';

const NEVER_CONFLICTS: Waiver = { obligation: /409/, reason: 'no conflict can occur' };

/** A server that accepts a number which is too large. */
const runWith = (waivers: readonly Waiver[], today = '2026-06-30') =>
  run(
    target(
      (request, body) => (body.trim() === '1000001' ? { status: 204 } : correctServer(request, body)),
      [NEVER_CONFLICTS, ...waivers],
    ),
    { generated: 1, today: new Date(today) },
  );

const known = { failure: '*maximum*', reason: 'until release 2', expires: '2026-06-30' };

describe('a waiver of a failure', () => {
  test('leaves its obligation without a proof, and disproves none', async () => {
    const { obligations, waived } = await runWith([{ ...known, failure: '*' }]);
    expect(waived.length).toBeGreaterThan(0);
    expect(obligations.filter(({ failed }) => failed > 0)).toEqual([]);
    const [maximum] = obligations.filter(({ key }) => key.endsWith('maximum | violates'));
    expect(maximum).toMatchObject({ failed: 0, state: 'WAIVED', reason: known.reason });
  });

  test('holds until the end of its last day, by the case or by the cause', async () => {
    const byCause = { ...known, failure: 'putNumber | a value was accepted that violates maximum of *' };
    for (const waiver of [known, byCause]) {
      const { failures, waived, expiredWaivers, unusedWaivers } = await runWith([waiver]);
      expect(failures).toEqual([]);
      expect(waived.map(({ reason }) => reason)).toContain(known.reason);
      expect([...expiredWaivers, ...unusedWaivers]).toEqual([]);
    }
  });

  test('waives what no other case proves', async () => {
    const { obligations, passed } = await runWith([known]);
    const maximum = obligations.find(({ key }) => key.endsWith('maximum | violates'));
    expect(maximum).toMatchObject({ state: 'WAIVED', reason: known.reason });
    expect(passed).toBe(true);
  });

  test('fails the run from the next day on', async () => {
    const { failures, waived, expiredWaivers, passed } = await runWith([known], '2026-07-01');
    expect(failures.length).toBeGreaterThan(0);
    expect(waived).toEqual([]);
    expect(expiredWaivers.map(describeWaiver)).toEqual(['*maximum* (until release 2, until 2026-06-30)']);
    expect(passed).toBe(false);
  });

  test('fails the run after its last day even if it matches nothing', async () => {
    const result = await run(
      target(correctServer, [
        NEVER_CONFLICTS,
        { obligation: 'nothing', reason: 'old', expires: '2026-01-01' },
      ]),
      { generated: 1, today: new Date('2026-06-30') },
    );
    expect(result.failures).toEqual([]);
    expect(result.passed).toBe(false);
  });

  test('is reported if it matches nothing', async () => {
    const { unusedWaivers } = await runWith([known, { failure: 'putNumber', reason: 'not the whole text' }]);
    expect(unusedWaivers.map(describeWaiver)).toEqual(['putNumber (not the whole text)']);
  });
});

describe('an operation without a handler', () => {
  const always204 = target(correctServer);
  const notYet: Waiver = { obligation: 'putNumber | response | 409 | *', reason: 'to do' };
  const others: Waiver[] = [
    { obligation: 'putNumber | response | 204 | *', reason: 'proven by the stub' },
    { failure: 'putNumber | a cause', reason: 'until release 2', expires: '2026-06-30' },
  ];
  const today = new Date('2026-06-30');

  test('owes no response of its own, and its waivers may match nothing', async () => {
    for (const waivers of [[], [notYet], [notYet, ...others]]) {
      const result = await run({ ...always204, stubs: ['putNumber'], waivers }, { generated: 1, today });
      expect(result.passed).toBe(true);
      expect(result.unusedWaivers).toEqual([]);
      const states = result.obligations.map(({ key, state, reason }) => [key, state, reason]);
      const isWaived = waivers.length > 0;
      expect(states).toContainEqual([
        'putNumber | response | 409 | no body',
        isWaived ? 'WAIVED' : 'STUB',
        isWaived ? 'to do' : 'the handler of putNumber is a stub',
      ]);
      expect(states.filter(([, state]) => state !== 'STUB' && state !== 'WAIVED')).toEqual([]);
    }
  });

  test('excuses no waiver of another, nor itself once it has a handler', async () => {
    const other: Waiver = { obligation: 'getNumber | response | 404 | *', reason: 'a typo' };
    for (const [stubs, waivers] of [
      [['putNumber'], [other]],
      [[], others],
    ] as const) {
      const result = await run({ ...always204, stubs, waivers }, { generated: 1, today });
      expect(result.unusedWaivers).toEqual(waivers);
    }
  });
});

describe('a file of waivers', () => {
  test('is read: the expiry of an obligation is optional', () => {
    expect(readWaivers([known, { obligation: 'a | b', reason: 'cannot occur' }])).toEqual([
      known,
      { obligation: 'a | b', reason: 'cannot occur' },
    ]);
  });

  test.each([
    [{}, 'expected a list of waivers'],
    [[{ reason: 'x', expires: '2026-01-01' }], 'waiver 1: expected a text `failure` or `obligation`'],
    [[{ ...known, obligation: 'x' }], 'waiver 1: expected only one of `failure` and `obligation`'],
    [[known, { ...known, reason: ' ' }], 'waiver 2: expected a `reason`'],
    [[{ failure: 'x', reason: 'y' }], 'waiver 1: expected `expires`, a date such as "2026-12-31"'],
    [[{ ...known, expires: '2026-02-30' }], 'waiver 1: expected `expires`, a date such as "2026-12-31"'],
    [[{ ...known, expires: 'soon' }], 'waiver 1: expected `expires`, a date such as "2026-12-31"'],
    [[{ ...known, expire: 'x' }], 'waiver 1: expected no member expire'],
  ])('%j is refused with its place', (json, message) => {
    expect(() => readWaivers(json)).toThrow(message);
  });
});
