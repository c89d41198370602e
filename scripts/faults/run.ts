import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { progress } from '../program';
import { type Copy, makeCopy, type Verdict } from './copy';
import { partOf, productFiles } from './draw';
import { applyFault, type Fault } from './operators';

/** The suites to start Jest with at once. Those that a fault is most like to fail in come first. */
const BATCH = 12;

const RESULTS = 'reports/faults.jsonl';
const MAP = '.cache/faults/map.json';

/** A file of a package that is packed, or installed in a created service: the name of the package, and its path there. */
const PACKAGE = /.*\/(?:node_modules|\.cache\/pack)\/contract-first(?:-(database|prover|server))?\/(.*)/;
/** A path in the build of a project. */
const BUILT = /^(?!.*\/node_modules\/).*\/dist\//;

/** What a suite does without a fault. */
interface Suite {
  readonly seconds: number;
  /** Whether it needs the build. */
  readonly builds: boolean;
  readonly files: readonly string[];
}

/** The suites that pass, by their paths, and those that do not. */
interface SuiteMap {
  readonly commit: string;
  readonly suites: Readonly<Record<string, Suite>>;
  readonly failing: readonly string[];
}

/** What came of a fault. */
export interface Result extends Verdict {
  readonly key: string;
  /** The suites that failed once, and passed when they ran again. */
  readonly flaky: readonly string[];
  /** The number of suites that can see it, and the seconds that they took. */
  readonly suites: number;
  readonly seconds: number;
}

export const keyOf = ({ file, line, column, after }: Fault): string => `${file}:${line}:${column} ${after}`;

/** Folders of product files that no process loads from their place, with the folder whose files read them as text. */
const TEXTS: Readonly<Record<string, string>> = {
  'packages/command/src/client/runtime/': 'packages/command/src/client/',
  'packages/command/layout/': 'packages/command/src/new/',
  'packages/server/src/runtime/page/browser/': 'packages/server/src/runtime/page/',
};

/** The product file that is at a path, be it copied, built or packed. */
function productFileOf(name: string, product: ReadonlySet<string>): string | undefined {
  const here = name.replace(PACKAGE, (_, part: string | undefined, file: string) =>
    part === undefined ? `/packages/command/${file}` : `/packages/${part}/${file}`,
  );
  const parts = here.replace(/\.js$/, '.ts').split('/');
  for (let index = 0; index < parts.length; index++) {
    const tail = parts.slice(index).join('/');
    // dist/ of the service, and dist/ of a package.
    const built = [tail.replace(/^dist\//, 'src/'), tail.replace(/^(packages\/[^/]+\/)dist\//, '$1src/')];
    const found = [tail, ...built].find((each) => product.has(each));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The suites that may see a fault of a file: those of its name or folder first, then the quickest. */
function suitesFor(file: string, suites: SuiteMap['suites']): string[] {
  const text = Object.entries(TEXTS).find(([folder]) => file.startsWith(folder))?.[1];
  const { name: stem, dir } = path.parse(file);
  const likeness = (name: string) =>
    path.basename(name).startsWith(`${stem}.`) ? 2 : name.includes(`/${path.basename(dir)}`) ? 1 : 0;
  const rank = (name: string) => (suites[name]?.seconds ?? 0) - 1e6 * likeness(name);
  return Object.entries(suites)
    .filter(([, { files }]) =>
      files.some((each) => each === file || (text !== undefined && each.startsWith(text))),
    )
    .map(([name]) => name)
    .sort((a, b) => rank(a) - rank(b));
}

/** Runs the suites without a fault, unless that is known, and records which files each loads. */
async function mapSuites(copy: Copy, names: readonly string[], workers: number): Promise<SuiteMap> {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const known = existsSync(MAP) ? (JSON.parse(readFileSync(MAP, 'utf8')) as SuiteMap) : undefined;
  const suites: Record<string, Suite> = known?.commit === commit ? { ...known.suites } : {};
  const failing = known?.commit === commit ? [...known.failing] : [];
  const missing = names.filter((name) => suites[name] === undefined && !failing.includes(name));
  if (missing.length > 0) {
    console.log(`Running ${missing.length} suites without a fault`);
    const seen = path.resolve('.cache/faults/seen');
    rmSync(seen, { recursive: true, force: true });
    mkdirSync(seen);
    const product = new Set(productFiles());
    const { testResults } = await copy.record(missing, seen, workers);
    const loaded = new Map(
      readdirSync(seen).map((name) => [
        name.replaceAll(' ', '/'),
        [...new Set(readFileSync(path.join(seen, name), 'utf8').split('\n'))],
      ]),
    );
    for (const { name, status, startTime, endTime } of testResults) {
      const files = loaded.get(name) ?? [];
      const seconds = (endTime - startTime) / 1000;
      if (status !== 'passed' && (await copy.run([name], () => seconds)).failed !== undefined) {
        failing.push(name);
        continue;
      }
      // Jest loads modules by itself, and those of a created service are all of the package.
      const isAny = files.some((each) => each.includes('/jest-cli/'));
      const found = new Set(isAny ? product : files.flatMap((each) => productFileOf(each, product) ?? []));
      const isPacked = files.some((each) => PACKAGE.test(each));
      const builds = isPacked || files.some((each) => BUILT.test(each));
      for (const each of product) if (isPacked && each.startsWith('scripts/pack/')) found.add(each);
      suites[name] = { seconds, builds, files: [...found].sort() };
    }
    writeFileSync(MAP, JSON.stringify({ commit, suites, failing } satisfies SuiteMap));
  }
  const wanted = (name: string) => names.includes(name);
  return {
    commit,
    suites: Object.fromEntries(Object.entries(suites).filter(([name]) => wanted(name))),
    failing: failing.filter(wanted),
  };
}

/** Runs suites to the first that fails and fails again, or hangs. */
async function firstFailing(
  copy: Copy,
  names: readonly string[],
  map: SuiteMap,
  flaky: string[],
  deadline: number,
): Promise<Verdict> {
  const seconds = (name: string) => map.suites[name]?.seconds ?? 0;
  for (let from = 0; from < names.length && performance.now() < deadline;) {
    const batch = names.slice(from, from + BATCH);
    const { failed, why } = await copy.run(batch, seconds);
    if (failed === undefined) {
      from += batch.length;
      continue;
    }
    if (why === 'hangs') return { failed, why };
    const again = await copy.run([failed], seconds);
    if (again.failed !== undefined) return again;
    flaky.push(failed);
    from = names.indexOf(failed) + 1;
  }
  return {};
}

/** Makes a fault in a copy, and runs the suites that can see it within the bound: those that need a build last. */
async function tryFault(copy: Copy, fault: Fault, map: SuiteMap, bound: number): Promise<Result> {
  const began = performance.now();
  const deadline = began + bound * 1000;
  const flaky: string[] = [];
  const names = suitesFor(fault.file, map.suites);
  const [early, late] = [false, true].map((builds) =>
    names.filter((name) => map.suites[name]?.builds === builds),
  );
  copy.edit(fault.file, (text) => applyFault(text, fault));
  let verdict = await firstFailing(copy, early ?? [], map, flaky, deadline);
  if (verdict.failed === undefined && late?.length)
    verdict = copy.build()
      ? await firstFailing(copy, late, map, flaky, deadline)
      : { failed: 'the build', why: 'fails' };
  copy.restore();
  const seconds = Math.round((performance.now() - began) / 1000);
  return { key: keyOf(fault), ...verdict, flaky, suites: names.length, seconds };
}

export interface Options {
  /** Whether a suite is of the tier. */
  readonly isOfTier: (suite: string) => boolean;
  readonly workers: number;
  /** The time after which a fault that no suite has caught counts as one that survives. */
  readonly seconds: number;
  /** Of the tier and the commit: results of others are not used. */
  readonly tier: string;
}

/** Runs the tests of a tier against each fault, unless there is a result already. Prints what came of it. */
export async function runFaults(
  faults: readonly Fault[],
  { isOfTier, workers, seconds, tier }: Options,
): Promise<boolean> {
  const copies = Array.from({ length: workers }, (_, index) => makeCopy(`${index + 1}`));
  const [first] = copies;
  if (!first || !copies.every((copy) => copy.build())) throw new Error('a copy of HEAD cannot be built');
  const map = await mapSuites(first, first.suites().filter(isOfTier), workers);
  const run = `${map.commit} ${tier}`;
  mkdirSync('reports', { recursive: true });
  const lines = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8').trim().split('\n') : [];
  const results = new Map<string, Result>();
  for (const line of lines) {
    const { run: of, ...result } = JSON.parse(line) as Result & { run: string };
    if (of === run) results.set(result.key, result);
  }
  const waiting = faults.filter((fault) => !results.has(keyOf(fault)));
  await Promise.all(
    copies.map(async (copy) => {
      for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
        progress(`${results.size + 1} of ${faults.length}: ${keyOf(fault)}`);
        const result = await tryFault(copy, fault, map, seconds);
        results.set(result.key, result);
        appendFileSync(RESULTS, `${JSON.stringify({ run, ...result })}\n`);
      }
    }),
  );
  progress('');
  return summarize(faults, results, map);
}

const count = (names: readonly string[]): [string, number][] =>
  [...Map.groupBy(names, (name) => name)]
    .map(([name, all]): [string, number] => [name, all.length])
    .sort((a, b) => b[1] - a[1]);

/** Prints the verdicts. Tells whether each fault is caught or equivalent. */
function summarize(faults: readonly Fault[], results: ReadonlyMap<string, Result>, map: SuiteMap): boolean {
  const isCaught = (fault: Fault) => results.get(keyOf(fault))?.failed !== undefined;
  const survivors = faults.filter((fault) => !isCaught(fault));
  const real = survivors.filter(({ equivalent }) => equivalent === undefined);
  for (const [part, all] of Map.groupBy(faults, ({ file }) => partOf(file)))
    console.log(`${part.padEnd(20)} ${all.filter(isCaught).length} of ${all.length} caught`);
  for (const fault of survivors) {
    const { file, line, operator, before, after, equivalent } = fault;
    const suites = results.get(keyOf(fault))?.suites ?? 0;
    console.log(
      `\n${equivalent === undefined ? 'SURVIVED' : 'equivalent'} ${file}:${line} ${operator}, ${suites} suites: ${equivalent ?? ''}` +
        `\n  ${JSON.stringify(before)} became ${JSON.stringify(after)} in ${fault.text.trim()}`,
    );
  }
  console.log('\nCaught by');
  for (const [name, all] of count([...results.values()].flatMap(({ failed }) => failed ?? [])))
    console.log(`${String(all).padStart(5)}  ${name}`);
  for (const name of map.failing) console.log(`\nLeft out, since it fails without a fault: ${name}`);
  for (const [name, all] of count([...results.values()].flatMap(({ flaky }) => flaky)))
    console.log(`\nPassed when it ran again, ${all} times: ${name}`);
  const equivalent = survivors.length - real.length;
  console.log(
    `\n${faults.length - survivors.length} of ${faults.length - equivalent} faults caught, ${equivalent} more are equivalent; ${RESULTS}`,
  );
  return real.length === 0;
}
