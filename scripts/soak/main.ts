import { join } from 'node:path';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DatabaseSync } from 'node:sqlite';
import document from '../../generated/openapi.json';
import { ERRORS } from '../../src/errors';
import { formatTable } from 'contract-first-prover';
import { metricsOf } from '../testing/client';
import { ownFolder } from '../testing/folder';
import { type Program, startProgram } from '../testing/program';
import { runProgram, startChild } from '../program';
import { nameOf, startGood } from './good';

/*
 * The real server on SQLite, as busy as good clients can make it: first alone, then among clients that mean no good, then
 * alone again. Exit 1 unless it kept its promises. `tsx scripts/soak/main.ts [--seconds 180]`
 */

const CLIENTS = 64;
const BODY_LIMIT = 102_400;
/** How many times the p99 of the good clients may be what it is without the bad. */
const MAX_SLOWDOWN = 3;
/** How much the memory may be at the end of the bad times, of what it was in their first half. */
const MAX_GROWTH = 1.2;
/** Seconds of a run below which that is not judged: until then V8 enlarges its heap to what the load takes. */
const SETTLED = 120;
/** What the server answers to what is no operation of the document. */
const BEYOND = ['notFound', 'methodNotAllowed', 'requestTimeout', 'headersTooLarge', 'malformed'] as const;

/** Descriptors that may be open after the bad clients beyond those before them: connections of this program. */
const MORE = 8;

const documented = new Set([
  ...Object.keys(document.paths['/plants'].post.responses),
  ...BEYOND.map((kind) => String(ERRORS[kind].status)),
]);
const numbers = new Set<string>(Object.values(ERRORS).map(({ number }) => String(number)));

/** Whether an answer, as bad.ts tells of it, is one that the server may give. */
function isDocumented(answer: string): boolean {
  const [status = '', number = ''] = answer.split(' ');
  return answer === 'closed' || (documented.has(status) && numbers.has(number) && number.startsWith(status));
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20);
const milliseconds = (microseconds: number) => Math.round(microseconds / 10) / 100;

/** What a server holds, by its metrics. */
async function heldBy(server: Program) {
  const metrics = await metricsOf(server);
  return {
    memory: metrics.get('process_resident_memory_bytes') ?? NaN,
    heap: metrics.get('nodejs_heap_size_used_bytes') ?? NaN,
    descriptors: metrics.get('process_open_fds') ?? NaN,
  };
}

async function soak(seconds: number, file: string): Promise<boolean> {
  const server = await startProgram({
    DATABASE_URL: `sqlite:${file}`,
    API_TOKENS: 'soak',
    BODY_LIMIT: String(BODY_LIMIT),
    HEADERS_TIMEOUT: '2000',
    REQUEST_TIMEOUT: '4000',
    SEND_TIMEOUT: '4000',
  });
  const { port } = new URL(server.url);
  const clients = startGood(Number(port), 'soak', CLIENTS);
  const { good } = clients;

  const rows: (string | number)[][] = [
    ['good clients', 'seconds', 'requests/s', 'p50 ms', 'p99 ms', 'max ms', 'MiB'],
  ];
  /** @returns the p99 in microseconds, and the bytes of the server's memory, once a second */
  async function phase(name: string, duration: number) {
    const memory: number[] = [];
    const latency = (good.latency = createHistogram());
    const begin = performance.now();
    while (performance.now() - begin < duration * 1000) {
      await sleep(1000);
      memory.push((await heldBy(server)).memory);
      process.stderr.write(
        `\r${name}: ${memory.length}/${duration.toFixed(0)} s, ${mebibytes(memory.at(-1) ?? 0)} MiB   `,
      );
    }
    const elapsed = (performance.now() - begin) / 1000;
    const [p50, p99] = [latency.percentile(50), latency.percentile(99)];
    rows.push([
      name,
      Math.round(elapsed),
      Math.round(latency.count / elapsed),
      milliseconds(p50),
      milliseconds(p99),
      milliseconds(latency.max),
      mebibytes(median(memory)),
    ]);
    return { p99, memory };
  }

  await phase('warm-up', seconds / 12);
  const before = await phase('good alone', seconds / 6);
  const heldBefore = await heldBy(server);
  const child = startChild('bad.ts', join(__dirname, './bad.ts'), [port, 'soak', String(BODY_LIMIT)]);
  const mixed = await phase('good and bad', (seconds * 7) / 12);
  const told = await child.ask<Record<string, Record<string, number>>>('stop');
  const after = await phase('good alone', seconds / 6);
  const held = await heldBy(server);
  await clients.stop();
  const status = await server.stop();

  const database = new DatabaseSync(file, { readOnly: true });
  const found = database.prepare('SELECT id, name FROM plants').all();
  const stored = new Map(found.map(({ id, name }) => [Number(id), name]));
  database.close();
  let missing = 0;
  for (let id = 1; id <= good.lastId; id++)
    if (!good.refused.has(id) && stored.get(id) !== nameOf(id)) missing++;

  const undocumented = Object.values(told)
    .flatMap((answers) => Object.keys(answers))
    .filter((answer) => !isDocumented(answer));
  const attacks = Object.entries(told).map(([name, answers]) => [
    name,
    Object.entries(answers)
      .map(([answer, count]) => `${count} x ${answer.slice(0, 100)}`)
      .join(', '),
  ]);
  console.log(`\n\n${formatTable([['bad clients', 'responses: status and error number'], ...attacks])}`);
  console.log(`\n${formatTable(rows)}`);

  const slowdown = mixed.p99 / ((before.p99 + after.p99) / 2);
  const half = mixed.memory.length >> 1;
  const growth =
    median(mixed.memory.slice(-Math.ceil(half / 2))) / median(mixed.memory.slice(half >> 1, half));
  const checks: [string, boolean][] = [
    [`every answer to bad clients is documented; ${undocumented.length} are not`, undocumented.length === 0],
    [
      `every good request was answered 200; ${good.refused.size} of ${good.lastId} were not`,
      good.refused.size === 0,
    ],
    [`no acknowledged plant is missing; ${missing} are`, missing === 0],
    [
      `the p99 is at most ${MAX_SLOWDOWN} times that without the bad; it is ${slowdown.toFixed(2)} times`,
      slowdown <= MAX_SLOWDOWN,
    ],
    [
      `the memory is at most ${MAX_GROWTH} times what it was; it is ${growth.toFixed(2)} times` +
        (seconds < SETTLED ? `, which counts from ${SETTLED} s on` : ''),
      growth <= MAX_GROWTH || seconds < SETTLED,
    ],
    [
      `the descriptors are at most ${heldBefore.descriptors + MORE} again; they are ${held.descriptors}` +
        ` (heap ${mebibytes(heldBefore.heap)} -> ${mebibytes(held.heap)} MiB)`,
      held.descriptors <= heldBefore.descriptors + MORE,
    ],
    [`the server ended with status 0; it was ${String(status)}`, status === 0],
  ];
  console.log();
  for (const [sentence, kept] of checks) console.log(`${kept ? 'ok    ' : 'FAILED'}  ${sentence}`);
  for (const text of [...undocumented, ...good.refused.values()].slice(0, 3))
    console.log(`        ${text.slice(0, 300)}`);
  return checks.every(([, kept]) => kept);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '180' } } });
  const seconds = Number(values.seconds);
  if (!(seconds >= 12 && seconds <= 3600))
    throw new Error(`expected --seconds from 12 to 3600, got ${values.seconds}`);
  if (!(await soak(seconds, join(ownFolder(), 'plants.db')))) process.exitCode = 1;
}

runProgram('soak', main);
