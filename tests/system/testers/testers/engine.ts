import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../../../scripts/prove/json/tree';
import { groupFailures } from '../../../../scripts/prove/groups';
import { isOpen } from '../../../../scripts/prove/obligation';
import { run } from '../../../../scripts/prove/run';
import { urlTarget } from '../../../../scripts/prove/url-target';
import type { Job } from '../tester';

/** As `worker.mjs`, for the engine as a black box. */
async function test({
  document,
  base,
  credentials,
  profile,
  bodyLimit,
  refusalSchema,
}: Job): Promise<string[]> {
  const { failures, obligations } = await run(
    urlTarget({
      url: new URL(base).origin,
      document: JSON.parse(readFileSync(document, 'utf8')) as JsonObject,
      credentials: credentials as Json,
      ...(profile && { profile }),
      ...(refusalSchema !== undefined && { refusalSchema }),
      ...(bodyLimit !== undefined && { bodyLimit }),
      write: true,
      requestsPerSecond: 2000,
    }),
    { generated: 25, shrink: false },
  );
  const open = obligations.filter(({ state }) => isOpen(state));
  return [
    ...groupFailures(failures).map(({ cause }) => cause.key),
    ...open.map(({ state, key }) => `${state} ${key}`),
  ];
}

process.on('message', (job: Job) => {
  test(job).then(
    (failures) => process.send?.({ failures }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
