import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headOf } from '../../support/wire';
import { bodyWith, exampleMessage } from '../../support/example';

/*
 * What durability costs: POST /plants over 64 connections, on the memory store, on SQLite as it is, and on SQLite with a
 * commit for every request. `tsx tests/system/bench/throughput.ts`; exit 1 when a ratio is not what was promised.
 */

const CONNECTIONS = 64;
const ROUNDS = 5;
/** Milliseconds of each measurement, and of the one before it that warms the server up. */
const DURATION = 1500;
const TOKEN = 'throughput';

const MESSAGE = exampleMessage(TOKEN);
const HEAD = headOf(MESSAGE);

let lastId = 0;

function buildRequest(): string {
  const body = bodyWith(MESSAGE, { id: ++lastId });
  return `${HEAD}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Bare sockets: a client that takes more time than the server would hide the difference. @returns requests a second */
async function load(port: number): Promise<number> {
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const begin = performance.now();
  let answers = 0;
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let text = '';
          socket.on('error', reject).on('data', (chunk) => {
            text += chunk.toString('latin1');
            if (!text.endsWith('}')) return; // every answer is one JSON object
            if (!text.startsWith('HTTP/1.1 200 ')) {
              reject(new Error(`expected 200, got ${text}`));
              return;
            }
            answers++;
            text = '';
            if (performance.now() - begin < DURATION) socket.write(buildRequest());
            else socket.end(resolve);
          });
          socket.write(buildRequest());
        }),
    ),
  );
  return (answers / (performance.now() - begin)) * 1000;
}

async function measure(...server: readonly string[]): Promise<number> {
  const script = join(__dirname, 'throughput-server.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...server], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  await load(Number(port));
  const rate = await load(Number(port));
  child.stdin.end();
  await exited;
  return rate;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-throughput-'));
  const stores = [
    { name: 'memory', rates: [] as number[], args: () => ['memory:', TOKEN] },
    { name: 'SQLite', rates: [] as number[], args: (file: string) => [`sqlite:${file}`, TOKEN] },
    {
      name: 'SQLite, a commit each',
      rates: [] as number[],
      args: (file: string) => [`sqlite:${file}`, TOKEN, 'one-by-one'],
    },
  ];
  for (let round = 1; round <= ROUNDS; round++)
    for (const { name, rates, args } of stores) {
      rates.push(await measure(...args(join(folder, `${name} ${round}.db`))));
      console.error(`round ${round}/${ROUNDS}, ${name}: ${rates.at(-1)?.toFixed(0)} requests a second`);
    }
  rmSync(folder, { recursive: true });

  const [memory = 0, sqlite = 0, each = 0] = stores.map(
    ({ rates }) => rates.toSorted((a, b) => a - b)[ROUNDS >> 1],
  );
  console.log(`\nmedians of ${ROUNDS} rounds, ${CONNECTIONS} connections, requests a second`);
  for (const [i, rate] of [memory, sqlite, each].entries())
    console.log(`${stores[i]?.name.padEnd(24)}${rate.toFixed(0).padStart(7)}`);
  for (const [what, ratio, least] of [
    ['SQLite to a commit each', sqlite / each, 3],
    ['SQLite to memory', sqlite / memory, 0.7],
  ] as const) {
    console.log(`${what.padEnd(24)}${ratio.toFixed(2).padStart(7)}  (at least ${least})`);
    if (ratio < least) process.exitCode = 1;
  }
}

void main();
