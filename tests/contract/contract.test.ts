import { existsSync } from 'node:fs';
import { describeFailure, headline, run, urlTarget, writeReport } from 'contract-first-prover';
import { openKyselyPlants } from '../../scripts/testing/kysely-plants';
import { service } from './service';

test('the server keeps every promise of the document', async () => {
  const target = service();
  expect(existsSync(target.source ?? '')).toBe(true);
  const result = await run(target);
  writeReport(result, 'reports/contract');
  process.stdout.write(`${headline(result)}\n`);

  const open = result.obligations.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED');
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(open.map(({ state, key }) => `${state} ${key}`)).toEqual([]);
  expect(result.passed).toBe(true);
}, 30_000);

test('a service whose store is written with Kysely keeps them too', async () => {
  const open = async () => {
    const store = await openKyselyPlants('memory:');
    return { store, ready: () => store.ready(), close: () => store.close() };
  };
  const result = await run(service({ open }));
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(result.passed).toBe(true);
}, 30_000);

/** What requests alone do not show. */
const BEYOND_REQUESTS = [/ \| received \| /, / \| response \| (?:408|429|500|503) \| /];

test.each(['document', 'strict'] as const)(
  'a black box proves all but what requests do not show, by the profile %s',
  async (profile) => {
    const target = service();
    const server = await target.start();
    const credentials = Object.fromEntries(
      Object.entries(target.credentials).map(([name, { valid, invalid }]) => [name, { valid, invalid }]),
    );
    const result = await run(
      urlTarget({
        url: `http://${server.host}:${server.port}`,
        document: target.document,
        profile,
        credentials,
        write: true,
        requestsPerSecond: 10_000,
        ...(target.bodyLimit !== undefined && { bodyLimit: target.bodyLimit }),
        refusalSchema: '/components/schemas/Error',
      }),
      { generated: 30 },
    );
    await server.close();

    expect(result.failures.map(describeFailure)).toEqual([]);
    const beyond = result.obligations.filter(({ state }) => state !== 'PROVEN').map(({ key }) => key);
    // RFC 9110 section 12.5.1 lets a server ignore Accept, so only the profile `strict` tests the 406.
    const unknown =
      profile === 'document' ? [...BEYOND_REQUESTS, / \| response \| 406 \| /] : BEYOND_REQUESTS;
    expect(beyond.filter((key) => !unknown.some((pattern) => pattern.test(key)))).toEqual([]);
    expect(result.passed).toBe(true);
  },
);
