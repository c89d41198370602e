import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { drawChart } from './chart.mjs';
import { check } from './request.mjs';
import { OPERATIONS, printReport, summarise } from './report.mjs';
import { SCALABLE, SERVERS, startLoad, startServer } from './servers.mjs';

// What a POST /plants costs here and elsewhere: `make bench`, about three minutes.

/** Every server once per round, in turn, so that whatever else the machine does meets all of them alike. */
const ROUNDS = 5;
/** Seconds: until V8 has compiled what is hot, at saturation, and at half the rate that was reached there. */
const [WARM, SATURATED, PACED] = [1.2, 1.2, 0.8];

const load = startLoad();

/** Starts a server, loads it, ends it. */
async function measure(server, operations, { paced }) {
  const { origin, startup, used, stop } = await startServer(server, operations);
  try {
    const wrong = await check(origin);
    if (wrong.length > 0 && server.ours) throw new Error(`${server.name}: ${wrong.join('; ')}`);
    if (wrong.length > 0) return { wrong };
    const run = async (question) => {
      const result = await load.ask({ origin, ...question });
      if (result.failed > 0) throw new Error(`${server.name} failed ${result.failed} requests under load`);
      return result;
    };
    await run({ seconds: WARM });
    const before = await used();
    const { answered, seconds } = await run({ seconds: SATURATED });
    const after = await used();
    const rate = answered / seconds;
    const { latencies } = paced ? await run({ seconds: PACED, rate: rate / 2 }) : {};
    return { startup, cpu: (after.cpu - before.cpu) / answered, rate, memory: after.memory, latencies };
  } finally {
    await stop();
  }
}

const plan = [
  ...Array.from({ length: ROUNDS }, () => SERVERS.map((server) => ({ server, operations: 1, paced: true }))),
  // Ours is at issue by a tenth here, the peers are not: once will do for them.
  ...Array.from({ length: 3 }, (_, round) =>
    SCALABLE.filter((server) => round === 0 || server.ours).flatMap((server) =>
      OPERATIONS.map((operations) => ({ server, operations, paced: false })),
    ),
  ),
].flat();

const began = performance.now();
// Not measured: the load generator has code to be compiled too, and the first server would be charged for it.
await measure(SERVERS[0], 1, { paced: true });

const samples = [];
const refused = new Map();
for (const [i, { server, operations, paced }] of plan.entries()) {
  if (refused.has(server)) continue;
  const seconds = Math.round((performance.now() - began) / 1000);
  const line = `${i + 1}/${plan.length}, ${seconds} s: ${server.name}, ${operations} operations`;
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  const sample = await measure(server, operations, { paced });
  if (sample.wrong) refused.set(server, sample.wrong);
  else samples.push({ name: server.name, operations, ...sample });
}
await load.stop();
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
for (const [{ name }, wrong] of refused) console.log(`${name} is not measured:\n  ${wrong.join('\n  ')}`);

const machine = `${cpus()[0].model.trim()}, ${availableParallelism()} cores, Node ${process.version}`;
const result = { machine, ...summarise(samples) };
printReport(result);

const folder = new URL('../../../reports/bench/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('bench.json', folder), `${JSON.stringify(result, null, 2)}\n`);
writeFileSync(new URL('bench.svg', folder), drawChart(result));
console.log(`\n${fileURLToPath(folder)}bench.json and bench.svg are written.`);
