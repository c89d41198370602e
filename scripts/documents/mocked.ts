import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractReport } from 'contract-first-prover';
import { startProcess } from '../testing/process';
import { within } from '../program';
import { SOURCES } from '../testing/sources';

/** What `make mock` and `make contract` say of a document. */
export interface Mocked {
  readonly operations: number;
  readonly served: number;
  readonly proven: number;
  readonly failed: number;
  /** Obligations out of reach, and those that are blocked or unproven. */
  readonly beyond: number;
  readonly blocked: number;
  /** Each reason of a failure or of a blocked obligation, with its count. */
  readonly reasons: Readonly<Record<string, number>>;
}

const ROOT = join(__dirname, '../..');
/** Milliseconds until the mock listens, and seconds of CPU of the prover. */
const [START, CPU] = [120_000, Number(process.env['CPU'] ?? 300)];

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
    await test(url, file, credentials, folder);
    const report = JSON.parse(readFileSync(join(folder, 'contract.json'), 'utf8')) as ContractReport;
    return { operations: Number(operations), served: Number(served), ...countsOf(report) };
  } finally {
    await mock.stop('SIGKILL');
  }
}

async function test(url: string, doc: string, credentials: string, folder: string): Promise<void> {
  const args = ['--url', url, '--doc', doc, '--credentials', credentials, '--write-all', '--allow-outside'];
  const rest = ['--rate', '100000', '--max', '1000000', '--report', folder];
  const prover = [...SOURCES, 'packages/command/src/cli.ts', 'contract', ...args, ...rest];
  const limited = ['-c', 'ulimit -t "$0" && exec "$@"', String(CPU), process.execPath, ...prover];
  const child = spawn('sh', limited, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2_000)));
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (status === 0 || status === 1) return;
  if (signal !== null) throw new Error(`the prover took more than ${CPU} s of CPU`);
  throw new Error(`the prover ends with ${status}: ${errors.trim().split('\n').at(-1) ?? ''}`);
}

function countsOf({ obligations, failures }: ContractReport) {
  const count = (...states: string[]) => obligations.filter(({ state }) => states.includes(state)).length;
  const reasons = new Map<string, number>();
  const add = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const { problems } of failures) add(`failed: ${problems.join('; ')}`);
  for (const { state, reason = '' } of obligations)
    if (state === 'BLOCKED' || state === 'UNPROVEN') add(`${state.toLowerCase()}: ${reason}`);
  return {
    proven: count('PROVEN'),
    failed: failures.length,
    beyond: count('OUT OF REACH', 'WARNED', 'WAIVED'),
    blocked: count('BLOCKED', 'UNPROVEN'),
    reasons: Object.fromEntries(reasons),
  };
}
