import type { Json, JsonObject } from '../../../scripts/prove/json/tree';
import { run } from '../../../scripts/prove/run';
import { urlTarget } from '../../../scripts/prove/url-target';
import { serviceOf } from '../../http/document-server';
import { plantsContract } from '../bench/contracts';

/** The number of operations of the generated document. */
const OPERATIONS = 100;

/*
 * `tsx tests/system/testers/size.ts`: what a run of the engine as a black box takes for a document of 100 operations,
 * each as the one of the plants, with schemas of its own.
 */
async function main(): Promise<void> {
  const document = copyOf(plantsContract(OPERATIONS).document) as JsonObject;
  const target = serviceOf(document);
  const server = await target.start();
  try {
    const { obligations, failures, requests, seconds } = await run(
      urlTarget({
        url: `http://127.0.0.1:${server.port}`,
        document,
        credentials: copyOf(target.credentials),
        write: true,
        requestsPerSecond: 10_000,
        maxRequests: 100_000,
      }),
      { generated: 25 },
    );
    const proven = obligations.filter(({ state }) => state === 'PROVEN').length;
    console.log(
      `${OPERATIONS} operations: ${proven} of ${obligations.length} obligations proven, ${failures.length} failures, ${requests} requests, ${seconds.toFixed(1)} s`,
    );
  } finally {
    await server.close();
  }
}

const copyOf = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

void main();
