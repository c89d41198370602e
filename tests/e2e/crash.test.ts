import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = join(__dirname, '../../tests/system/crash/main.ts');

let printed: string;
beforeAll(async () => {
  const args = ['--import', 'tsx', script, '--rounds', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
  printed = stdout;
}, 320_000);

test.each(['sqlite', 'postgres', 'postgres-killed'])(
  'no acknowledged plant is lost when processes are killed under load: %s',
  (store) => {
    expect(printed).toMatch(new RegExp(`^${store} +2 +\\d+ +[1-9]\\d* +0 +0$`, 'm'));
  },
);
