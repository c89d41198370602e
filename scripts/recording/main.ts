/**
 * `make recording`: does what README begins with, in a clone of the last commit, and draws what a terminal shows:
 * scripts/recording/first-minute.svg. Needs git, make, curl and script(1).
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProgram, within } from '../program';
import { curlIn, draw, RECORDING, rejectedBy, type Scene, shown } from './scenes';

/** Milliseconds in which `make run` listens. */
const PATIENCE = 300_000;

const seconds = (since: number) => Math.round((performance.now() - since) / 1000);

function curl(command: string): Scene {
  const since = performance.now();
  const output = execFileSync('bash', ['-c', `${command} --silent`], { encoding: 'utf8' });
  return { command: shown(command), output: shown(output), seconds: seconds(since) };
}

async function record(folder: string): Promise<Scene[]> {
  execFileSync('git', ['clone', '--quiet', resolve(__dirname, '../..'), folder]);
  const since = performance.now();
  const env = { ...process.env, PORT: '0', API_TOKENS: '', npm_config_progress: 'false' };
  // A terminal, so that the log is the one that a person reads.
  const child = spawn('script', ['--quiet', '--return', '--command', 'make run', '/dev/null'], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = once(child, 'close');
  let output = '';
  try {
    const listening = new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (/listening on .*\)/.test(output)) resolve();
      });
      void end.then(() => {
        reject(new Error(`make run ended:\n${output}`));
      });
    });
    await within(PATIENCE, listening, 'make run does not listen');
    const run = { command: 'make run', output: shown(output), seconds: seconds(since) };
    const command = curlIn(output);
    return [run, curl(command), curl(rejectedBy(command))];
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await end;
  }
}

runProgram('recording', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'first-minute-'));
  try {
    writeFileSync(RECORDING, draw(await record(folder)));
    console.log(`${RECORDING} is drawn.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
