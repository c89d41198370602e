import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ContractReport } from 'contract-first-prover';
import { openServer } from 'contract-first-prover/service';
import { SOURCES } from '../../../../scripts/testing/sources';

const ROOT = resolve(__dirname, '../../../..');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interrupt-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const responses = { 204: { description: 'done' }, '4XX': { description: 'refused' } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Two', version: '1' },
  paths: {
    '/first': { get: { operationId: 'first', responses } },
    '/second': { get: { operationId: 'second', responses } },
  },
};

interface Ended {
  readonly status: number | null;
  readonly printed: string;
}

/** Runs a program, sends it the signal when it is time, and waits for its end. */
async function interrupted(
  args: readonly string[],
  signal: NodeJS.Signals,
  isTime: (printed: string) => boolean,
): Promise<Ended> {
  const child = spawn(process.execPath, [...SOURCES, ...args], { cwd: ROOT });
  const ended = once(child, 'close');
  let printed = '';
  let isSent = false;
  signalIfTime = () => {
    if (isSent || !isTime(printed)) return;
    isSent = true;
    // As npm does, which sends on what the terminal has sent already.
    child.kill(signal);
    child.kill(signal);
  };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += String(chunk);
      signalIfTime();
    });
  const [status] = (await ended) as [number | null];
  return { status, printed };
}
let signalIfTime = (): void => undefined;

const reportOf = (): ContractReport =>
  JSON.parse(readFileSync(join(folder, 'report/contract.json'), 'utf8')) as ContractReport;

describe.each(['SIGINT', 'SIGTERM'] as const)('%s ends a run with a report of what was proven', (signal) => {
  test('while it computes', async () => {
    const { status, printed } = await interrupted(
      ['packages/command/tests/contract/endless-run.ts', join(folder, 'report')],
      signal,
      (text) => text.includes('computing'),
    );
    expect({ status, printed }).toMatchObject({ status: 2 });
    expect(printed).toContain('The run ended early: it was interrupted.');
    const { stopped, summary } = reportOf();
    expect(stopped).toBe('it was interrupted');
    expect(summary.states.PROVEN).toBeGreaterThan(3);
    expect(summary.states['LEFT OUT']).toBeGreaterThan(0);
  });

  test('while it waits for a response', async () => {
    let isWaiting = false;
    const server = createServer((request, response) => {
      isWaiting = request.url === '/second';
      if (isWaiting) signalIfTime();
      else response.writeHead(204).end();
    });
    const { port, close } = await openServer(server);
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(DOCUMENT));
    const url = `http://127.0.0.1:${port}`;
    const options = ['--url', url, '--doc', join(folder, 'openapi.json'), '--report', join(folder, 'report')];
    const { status, printed } = await interrupted(
      ['packages/command/src/cli.ts', 'contract', ...options],
      signal,
      () => isWaiting,
    );
    await close();

    expect(printed).toContain('The run ended early: it was interrupted.');
    const { obligations, failures } = reportOf();
    expect(status).toBe(failures.length > 0 ? 1 : 2);
    const states = (operation: string) =>
      new Set(obligations.filter((one) => one.operation === operation).map(({ state }) => state));
    expect(states('first')).toContain('PROVEN');
    expect(states('second')).toEqual(new Set(['LEFT OUT']));
  });
});
