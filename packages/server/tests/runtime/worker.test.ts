import fc from 'fast-check';
import { readConfig } from '../../../../src/config';
import { signedTokens, readSignedTokens, Variables } from 'contract-first-server/runtime';
import { environmentOf, madeUp, placeIn } from '../../src/runtime/process/place';

const placeOf = (number: number, secret = 'of-this-machine') => ({ number, secret, first: number === 1 });
const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test('the bounds of all workers together are those of the server, and each has some of all', () => {
  const SHARED = {
    MAX_CONNECTIONS: 1_000_000,
    MAX_REQUESTS: 1_000_000,
    MAX_STREAMS: 1_000_000,
    UPLOAD_QUOTA: 2 ** 40,
  };
  const boundsOf = (environment: NodeJS.ProcessEnv) => {
    const { maxConnections, maxRequests, streams, uploads, databaseUrl } = readConfig(environment);
    const connections = Number(/connections=(\d+)$/.exec(databaseUrl)?.[1]);
    return [maxConnections, maxRequests, streams.most, uploads.quota, connections];
  };
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 64 }).chain((workers) =>
        fc.record({
          workers: fc.constant(workers),
          bounds: fc.tuple(...Object.values(SHARED).map((max) => fc.integer({ min: workers, max }))),
          connections: fc.integer({ min: 2 * workers, max: 1000 }),
        }),
      ),
      ({ workers, bounds, connections }) => {
        const environment = {
          ...Object.fromEntries(Object.keys(SHARED).map((name, i) => [name, String(bounds[i])])),
          WORKERS: String(workers),
          DATABASE_URL: `postgres://u:connections=1@h/d?connections=${connections}`,
        };
        const parts = range(workers).map((number) =>
          boundsOf({ ...environment, ...environmentOf(placeOf(number)) }),
        );
        expect(boundsOf(environment)).toEqual([...bounds, connections]);
        for (const [i, whole] of [...bounds, connections].entries()) {
          const each = parts.map((part) => part[i] ?? NaN);
          expect(each.reduce((sum, part) => sum + part, 0)).toBe(whole);
          expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(1);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('what a worker makes up is the same in the others, and in no other machine', async () => {
  const [one, other, foreign] = [placeOf(1), placeOf(2), placeOf(1, 'of-another')];
  expect(placeIn(environmentOf(one))).toEqual(one);
  expect(placeIn(environmentOf(other))).toEqual(other);
  expect(madeUp(one, 'A', 24)).toEqual(madeUp(other, 'A', 24));
  const different = [madeUp(one, 'A', 24), madeUp(one, 'B', 24), madeUp(foreign, 'A', 24)];
  different.push(madeUp(undefined, 'A', 24), madeUp(undefined, 'A', 24));
  expect(new Set(different.map(String)).size).toBe(different.length);

  const tokensOf = (place: typeof one) =>
    signedTokens(readSignedTokens(new Variables({ WORKERS: '2', ...environmentOf(place) }), 'TOKEN'));
  const token = await tokensOf(one).issue('somebody');
  expect(await tokensOf(other).verify(token)).toMatchObject({ id: 'somebody' });
  expect(await tokensOf(foreign).verify(token)).toBe(false);
});
