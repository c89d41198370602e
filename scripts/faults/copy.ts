import { execFileSync, fork, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { SOURCES } from '../testing/sources';

const HERE = 'scripts/faults';
const INSTALLED = 'node_modules/.package-lock.json';

/** Seconds within which Jest must start its first suite. */
const START = 120;

/** How a run of suites ended: with the first that failed or did not end, or with none. */
export interface Verdict {
  readonly failed?: string;
  readonly why?: 'fails' | 'hangs' | 'does not start';
}

/** Starts Jest in a folder, with the messages of the reporter. Its processes end with it. */
function startJest(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = fork(join(folder, 'node_modules/jest/bin/jest.js'), args, {
    cwd: folder,
    env: { ...process.env, AGAIN: '', ...env },
    detached: true, // a group, which can be ended as a whole
    silent: true,
  });
  child.stdout?.resume();
  child.stderr?.resume();
  const end = (): void => {
    try {
      process.kill(-(child.pid ?? Infinity), 'SIGKILL');
    } catch {
      // it has ended
    }
  };
  process.once('exit', end);
  const exit = new Promise<number | null>((done) => child.once('exit', done)).finally(() => {
    end();
    process.off('exit', end);
  });
  return { child, exit, end };
}

/** A copy of the commit, in which faults are made. */
export interface Copy {
  readonly folder: string;
  /** @throws {Error} if the file of HEAD cannot be changed so */
  edit(file: string, change: (text: string) => string | undefined): void;
  /** Undoes all changes. */
  restore(): void;
  /** Builds what the suites of processes run. Tells whether that succeeds. */
  build(): boolean;
  /** The paths of all suites. */
  suites(): string[];
  /** Runs all these suites at once, to record what they load; returns Jest's report. */
  record(suites: readonly string[], folder: string, workers: number): Promise<JestReport>;
  /** Runs suites one by one to the first that fails. */
  run(suites: readonly string[], seconds: (suite: string) => number): Promise<Verdict>;
}

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

/** Makes a copy of HEAD with the installed packages in .cache/faults/, or brings the one that is there up to date. */
export function makeCopy(name: string): Copy {
  const folder = resolve('.cache/faults', name);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    git('init', '--quiet');
  }
  git('fetch', '--quiet', process.cwd(), 'HEAD');
  git('checkout', '--quiet', '--force', '--detach', 'FETCH_HEAD');
  const installed = join(folder, INSTALLED);
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== readFileSync(INSTALLED, 'utf8')) {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    cpSync('node_modules', join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  }
  utimesSync(installed, new Date(), new Date()); // so that make installs nothing
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder, stdio: 'ignore', timeout: 300_000 }).status === 0;
  const pathOf = (path: string) => relative(folder, path).replaceAll('\\', '/');
  return {
    folder,
    edit(file, change) {
      const text = change(readFileSync(join(folder, file), 'utf8'));
      if (text === undefined) throw new Error(`${file}: commit it, since faults are made in a copy of HEAD`);
      writeFileSync(join(folder, file), text);
    },
    restore() {
      git('checkout', '--quiet', '--', '.');
      git('clean', '--quiet', '--force', '-d'); // not what is ignored: packages, the build, caches
    },
    build: () =>
      run('node_modules/typescript-7/bin/tsc', '-b', 'packages/server/tsconfig.build.json') &&
      run('node_modules/typescript-7/bin/tsc', '-p', 'src') &&
      run(...SOURCES, 'scripts/pack/main.ts'),
    suites() {
      const list = ['node_modules/jest/bin/jest.js', '--listTests', '--json'];
      const output = execFileSync(process.execPath, list, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
      return (JSON.parse(output) as string[]).map(pathOf).sort();
    },
    async record(suites, seen, workers) {
      const report = join(folder, '.cache/jest.json');
      rmSync(report, { force: true });
      const args = [`--maxWorkers=${workers}`, `--setupFilesAfterEnv=${resolve(HERE, 'seen.cjs')}`];
      const { exit } = startJest(
        folder,
        [...args, '--json', `--outputFile=${report}`, '--forceExit', '--runTestsByPath', ...suites],
        { FAULTS_SEEN: seen },
      );
      await exit;
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
      return { testResults: testResults.map((result) => ({ ...result, name: pathOf(result.name) })) };
    },
    async run(suites, seconds) {
      const args = ['-i', '--bail', '--forceExit', `--testSequencer=${resolve(HERE, 'in-order.mjs')}`];
      const { child, exit, end } = startJest(folder, [
        ...args,
        `--reporters=${resolve(HERE, 'reporter.mjs')}`,
        '--runTestsByPath',
        ...suites,
      ]);
      let verdict: Verdict = {};
      let left = suites.length;
      const limit = (most: number, late: Verdict) =>
        setTimeout(() => {
          verdict = late;
          end();
        }, most * 1000);
      let timer = limit(START, { failed: suites[0] ?? '', why: 'does not start' });
      child.on('message', ({ path, failed }: { path: string; failed?: boolean }) => {
        const suite = pathOf(path);
        clearTimeout(timer);
        if (failed === true) verdict = { failed: suite, why: 'fails' };
        if (failed === undefined) timer = limit(5 * seconds(suite) + 60, { failed: suite, why: 'hangs' });
        else left--;
      });
      await exit;
      clearTimeout(timer);
      if (verdict.failed === undefined && left > 0)
        return { failed: suites[suites.length - left] ?? '', why: 'does not start' };
      return verdict;
    },
  };
}
