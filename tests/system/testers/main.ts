import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import {
  asObject,
  asString,
  documentBasePath,
  formatTable,
  type JsonObject,
  type Target,
} from '../../../scripts/prove';
import { type Group, GROUPS } from '../mutants/groups';
import { progress, runProgram } from '../program';
import { drawTables, README } from './draw';
import {
  openSwitch,
  openTester,
  type Tester,
  TESTERS,
  type Verdict,
  versionsOf,
  writeDocument,
} from './tester';

/*
 * `make testers`: every mutant that can be served, as a black box, put to contract testers. ONLY=dredd,prover runs these;
 * PLANTS=1 leaves the documents of the tests out.
 */

/** What one tester made of one group of mutants. */
interface Score {
  /** Checks that fail on the correct server. */
  readonly falseAlarms: number;
  readonly caught: readonly string[];
  readonly missed: readonly string[];
  /** Requests and seconds of one run, without the start of the tester. */
  readonly requests: number;
  readonly seconds: number;
}

let requests = 0;
subscribe('http.server.request.start', () => (requests += 1));

async function groups(plantsOnly: boolean): Promise<Group[]> {
  const made = await Promise.all(GROUPS.slice(0, plantsOnly ? 1 : undefined).map(([, make]) => make()));
  return made.map((group) => ({
    ...group,
    mutants: group.mutants.filter(({ oracle, equivalent }) => !oracle && equivalent === undefined),
  }));
}

/** The headers with which each request of a tester is authorized, where the document has security schemes. */
function headersOf({ document, credentials }: Target): Record<string, string> {
  const schemes = asObject(asObject(document['components'])['securitySchemes']);
  return Object.fromEntries(
    Object.entries(schemes).flatMap(([name, value]) => {
      const { valid = '' } = credentials[name] ?? {};
      const scheme = asObject(value);
      if (asString(scheme['type']) === 'apiKey')
        return asString(scheme['in']) === 'header' ? [[asString(scheme['name']), valid]] : [];
      const isBasic = asString(scheme['scheme']).toLowerCase() === 'basic';
      return [
        ['Authorization', isBasic ? `Basic ${Buffer.from(valid).toString('base64')}` : `Bearer ${valid}`],
      ];
    }),
  );
}

type Switch = Awaited<ReturnType<typeof openSwitch>>;

async function score(tester: Tester, { name: group, sound, mutants }: Group, port: Switch): Promise<Score> {
  const program = openTester(tester);
  const base = `http://127.0.0.1:${port.port}${documentBasePath(sound.document)}`;
  // The document as a user of the server has it: with its URL.
  const document: JsonObject = { ...sound.document, servers: [{ url: base }] };
  const job = {
    folder: program.folder,
    document: writeDocument(program.folder, document, tester),
    base,
    headers: headersOf(sound),
    credentials: sound.credentials,
    ...tester.options,
  };
  let seconds = 0;
  const attempt = async (target: Target, name: string): Promise<Verdict> => {
    progress(`${tester.title}, ${group}: ${name}`);
    const running = await target.start();
    port.to(running.port);
    const began = performance.now();
    const verdict = await program.run(job);
    seconds += (performance.now() - began) / 1000;
    port.to(0);
    await running.close();
    if ('error' in verdict)
      console.error(`${tester.title}, ${group}, ${name}: ${verdict.error.slice(0, 200)}`);
    return verdict;
  };
  try {
    await attempt(sound, 'the start of the tester');
    [requests, seconds] = [0, 0];
    const first = await attempt(sound, 'the correct server');
    const sent = requests;
    const second = await attempt(sound, 'the correct server again');
    const alarms = new Set([first, second].flatMap(({ failures = [] }) => failures));
    const [caught, missed]: [string[], string[]] = [[], []];
    for (const { name, target } of 'error' in first ? [] : mutants) {
      const { failures = [] } = await attempt(target, name);
      (failures.some((failure) => !alarms.has(failure)) ? caught : missed).push(name);
    }
    const runs = 2 + caught.length + missed.length;
    return { falseAlarms: alarms.size, caught, missed, requests: sent, seconds: seconds / runs };
  } finally {
    program.close();
  }
}

const HEAD = ['tester', 'version', 'plants', 'documents', 'false alarms', 'requests', 'seconds'];

function row(tester: Tester, [plants, ...documents]: readonly Score[]): (string | number)[] {
  if (!plants) return [];
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const ofAll = (scores: readonly Score[]): string => {
    const caught = sum(scores.map((one) => one.caught.length));
    return `${caught} of ${caught + sum(scores.map(({ missed }) => missed.length))}`;
  };
  return [
    ...[tester.title, versionsOf(tester), ofAll([plants]), documents.length > 0 ? ofAll(documents) : ''],
    ...[sum([plants, ...documents].map(({ falseAlarms }) => falseAlarms)), plants.requests],
    plants.seconds.toFixed(2),
  ];
}

async function main(only: readonly string[] | undefined, plantsOnly: boolean): Promise<void> {
  const unknown = only?.find((name) => TESTERS.every((tester) => tester.name !== name));
  if (unknown !== undefined)
    throw new Error(
      `expected ONLY to list some of ${TESTERS.map(({ name }) => name).join(', ')}, got ${unknown}`,
    );
  const port = await openSwitch();
  const made = await groups(plantsOnly);
  const rows = [HEAD];
  const unexplained: string[] = [];
  const explanations = readFileSync(README, 'utf8');
  for (const tester of TESTERS.filter(({ name }) => only?.includes(name) ?? true)) {
    const scores: Score[] = [];
    for (const group of tester.readsAll ? made : made.slice(0, 1))
      scores.push(await score(tester, group, port));
    rows.push(row(tester, scores).map(String));
    if (tester.readsAll)
      unexplained.push(
        ...scores.flatMap(({ missed }) => missed).filter((name) => !explanations.includes(name)),
      );
  }
  port.close();
  progress('');
  console.log(formatTable(rows));
  for (const name of unexplained) console.log(`\nREADME.md does not say why the prover misses it: ${name}`);
  if (only === undefined) drawTables('testers', [rows]);
  process.exitCode = unexplained.length > 0 ? 1 : 0;
}

runProgram('testers', () => main(process.env['ONLY']?.split(','), process.env['PLANTS'] === '1'));
