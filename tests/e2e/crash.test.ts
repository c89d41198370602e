import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = join(__dirname, '../../tests/system/crash/main.ts');

test.each(['sqlite', 'postgres', 'postgres-killed'])(
  'no acknowledged plant is lost when processes are killed under load: %s',
  async (store) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', script, '--rounds', '2', '--store', store],
      { timeout: 100_000 },
    );
    expect(stdout).toMatch(new RegExp(`^${store} +2 +\\d+ +[1-9]\\d* +0 +0$`, 'm'));
  },
  120_000,
);
