import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SOURCES } from '../../scripts/testing/sources';

const script = join(__dirname, '../../scripts/crash/main.ts');

async function crash(...args: readonly string[]): Promise<string> {
  const command = [...SOURCES, script, ...args];
  return (await promisify(execFile)(process.execPath, command, { timeout: 300_000 })).stdout;
}

test.each([
  ['sqlite', 2],
  ['workers', 3],
  ['postgres', 2],
  ['postgres-killed', 2],
  ['standby-ended', 1],
  ['standby-cancelled', 1],
])(
  'no acknowledged plant is lost when processes are killed under load: %s',
  async (store, rounds) => {
    const printed = await crash('--store', store, '--rounds', String(rounds));
    expect(printed).toMatch(new RegExp(`^${store} +${rounds} +\\d+ +[1-9]\\d* +0 +0$`, 'm'));
  },
  320_000,
);
