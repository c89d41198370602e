import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractReport } from 'contract-first-prover';
import { startProcess } from '../testing/process';
import { within } from '../program';
import { SOURCES } from '../testing/sources';

/** What `mock` and `contract` say of a document. */
export interface Mocked {
  readonly operations: number;
  readonly served: number;
  readonly withoutSample: number;
  readonly rejected: number;
  /** The exit status of `contract`. */
  readonly status: number;
  readonly failed: number;
  /** The number of obligations in each state. */
  readonly states: Readonly<Record<string, number>>;
  /** Of `contract`, with its start. */
  readonly seconds: number;
  /** The most memory that it held. */
  readonly megabytes: number;
  /** Each reason of a failure or of an obligation without a proof, with its count. */
  readonly reasons: Readonly<Record<string, number>>;
}

const ROOT = join(__dirname, '../..');
/** Milliseconds until the mock listens, seconds of the prover, and milliseconds between two looks at its memory. */
const [START, SECONDS, LOOK] = [120_000, Number(process.env['LIMIT'] ?? 300), 250];
/** Seconds in which the prover writes the report of what it has done until then. */
const GRACE = 20;

/**
 * Tests the mock of a document with the prover, which may change everything.
 *
 * @param folder where the files of the run are
 * @throws {Error} if one of the two does not do its work
 */
export async function mockAgainstEngine(file: string, folder: string): Promise<Mocked> {
  const env = { PORT: '0', API_TOKENS: 'secret', LOG_LEVEL: 'silent' };
  const mock = startProcess(
    [...SOURCES, 'packages/command/src/cli.ts', 'mock', '--allow-outside', file],
    env,
    ROOT,
  );
  try {
    const [line = '', served = '', operations = ''] = await within(
      START,
      mock.printed(/^served (\d+) of (\d+) operations.*$/m),
      'the mock does not listen',
    );
    const url = /^mock of .* on (http:\S+) /m.exec(mock.output())?.[1];
    if (url === undefined) throw new Error(line);
    const credentials = join(folder, 'credentials.json');
    writeFileSync(credentials, /^\{.*\}$/m.exec(mock.output())?.[0] ?? '');
    const run = await test(url, file, credentials, folder);
    const report = JSON.parse(readFileSync(join(folder, 'contract.json'), 'utf8')) as ContractReport;
    const rejected = /, (\d+) rejected by proof/.exec(line)?.[1] ?? 0;
    const withoutSample = /^501, no conforming response found: (\d+)/m.exec(mock.output())?.[1] ?? 0;
    return {
      ...{ operations: Number(operations), served: Number(served) },
      ...{ withoutSample: Number(withoutSample), rejected: Number(rejected) },
      ...{ ...run, ...countsOf(report) },
    };
  } finally {
    writeFileSync(join(folder, 'mock.txt'), mock.output());
    await mock.stop('SIGKILL');
  }
}

async function test(url: string, doc: string, credentials: string, folder: string) {
  const args = ['--url', url, '--doc', doc, '--credentials', credentials, '--write-all', '--allow-outside'];
  const rest = ['--rate', '100000', '--max', '1000000', '--report', folder];
  const prover = [...SOURCES, 'packages/command/src/cli.ts', 'contract', ...args, ...rest];
  const report = join(folder, 'contract.json');
  rmSync(report, { force: true });
  const began = performance.now();
  const child = spawn(process.execPath, prover, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2_000)));
  let megabytes = 0;
  const look = setInterval(() => {
    megabytes = Math.max(megabytes, peakOf(child.pid));
  }, LOOK);
  const late = [
    setTimeout(() => child.kill('SIGTERM'), SECONDS * 1000),
    setTimeout(() => child.kill('SIGKILL'), (SECONDS + GRACE) * 1000),
  ];
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
  for (const timer of [look, ...late]) clearTimeout(timer);
  const seconds = Math.round((performance.now() - began) / 1000);
  // 2 with a report: it was interrupted, and what it left out has that state.
  if (status === 0 || status === 1 || (status === 2 && existsSync(report)))
    return { status, seconds, megabytes };
  if (signal !== null) throw new Error(`the prover did not end within ${SECONDS + GRACE} s`);
  throw new Error(`the prover ends with ${status}: ${errors.trim().split('\n').at(-1) ?? ''}`);
}

/** The most memory that a process has held, in MB. */
function peakOf(pid: number | undefined): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1000);
  } catch {
    return 0; // it has ended, or the system has no /proc
  }
}

function countsOf({ obligations, failures }: ContractReport) {
  const count = (values: readonly string[]) => {
    const counts: Record<string, number> = {};
    for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
    return counts;
  };
  return {
    failed: failures.length,
    states: count(obligations.map(({ state }) => state)),
    reasons: count([
      ...failures.map(({ problems }) => `failed: ${problems.join('; ')}`),
      ...obligations.flatMap(({ state, reason }) =>
        state === 'PROVEN' ? [] : `${state.toLowerCase()}: ${reason ?? ''}`,
      ),
    ]),
  };
}
