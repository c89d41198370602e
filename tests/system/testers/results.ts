import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatTable } from '../../../scripts/prove/report/terminal';
import { drawTables } from './draw';
import { reasonFor } from './misses';
import { type Tester, TESTERS, versionsOf } from './tester';

/** What one tester made of one group of mutants. */
export interface Score {
  readonly group: string;
  /** Checks that fail on the correct server. */
  readonly falseAlarms: readonly string[];
  readonly caught: readonly string[];
  readonly missed: readonly string[];
  /** Why it could not run, by mutant. */
  readonly broken: Readonly<Record<string, string>>;
  /** Of one run against the correct server. */
  readonly requests: number;
  /** Of one run, without the start of the tester's process. */
  readonly seconds: number;
}

interface Result {
  readonly version: string;
  readonly scores: readonly Score[];
}

const FILE = join(__dirname, 'results.json');

function read(): Record<string, Result> {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Result>) : {};
}

/** Writes what a tester made of the mutants to results.json, in the place of its earlier results. */
export function record(tester: Tester, scores: readonly Score[]): void {
  const results = { ...read(), [tester.name]: { version: versionsOf(tester), scores } };
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
}

function row({ title }: Tester, { version, scores }: Result): (string | number)[] {
  const [plants, ...documents] = scores;
  if (!plants) return [];
  const count = (some: readonly Score[], kind: 'caught' | 'missed' | 'falseAlarms'): number =>
    some.flatMap((score) => score[kind]).length;
  const ofAll = (some: readonly Score[]): string =>
    `${count(some, 'caught')} of ${count(some, 'caught') + count(some, 'missed')}`;
  return [
    title,
    version,
    ofAll([plants]),
    documents.length > 0 ? ofAll(documents) : '',
    count(scores, 'falseAlarms'),
    plants.requests,
    plants.seconds.toFixed(2),
  ];
}

/** Writes the table and the list of what the engine misses into README.md, and returns the table. */
export function drawResults(): string {
  const results = read();
  const rows = TESTERS.flatMap((tester) => {
    const result = results[tester.name];
    return result ? [row(tester, result)] : [];
  });
  const head = ['tester', 'version', 'plants', 'documents', 'false alarms', 'requests', 'seconds'];
  const missed = (results['engine']?.scores ?? []).flatMap(({ group, missed: names }) =>
    names.map((name) => ({ group, name, ...reasonFor(group, name) })),
  );
  const reasons = [...new Set(missed.map(({ reason }) => reason))];
  const strict = new Set((results['engine-strict']?.scores ?? []).flatMap(({ caught }) => caught));
  const list = reasons.map((reason) => {
    const names = missed
      .filter((one) => one.reason === reason)
      .map(({ group, name }) =>
        group === 'the service' ? `${name}${strict.has(name) ? ' (strict)' : ''}` : `${group} ${name}`,
      );
    return `- **${reason}** (${names.length}): ${names.join('; ')}.`;
  });
  drawTables('testers', [[head, ...rows]], list);
  return formatTable([head, ...rows]);
}
