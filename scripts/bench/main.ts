import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '../program';
import { drawChart } from './chart';
import { measureCreates } from './creates';
import { growthOf, type Line, lineOf, missed } from './lines';
import {
  besideCheckout,
  GET_LISTS,
  type Goal,
  GROWTH,
  MATRIX,
  type Row,
  STARTS,
  type Starts,
} from './matrix';
import { measureMocks } from './mocks';
import { compare, type Effort, memoryAfter, start, type Start } from './measure';
import { legend, printed } from './report';
import type { Subject } from './servers';

/*
 * `make bench`: what requests cost here and elsewhere, in about five minutes. ONLY=plant,get measures the row plant
 * and all of get-10 to get-1000, for whoever makes them cheaper. SAVE=1 draws chart.svg beside this file anew, which docs/benchmarks.md shows.
 * BEFORE=../checkout compares with the build of another checkout in place of the peers. DOCUMENTS=a.yaml,b.json also measures the
 * mocks of those documents.
 */

/** V8 compiles what is hot, and keeps compiling for some 20,000 small requests. */
const warmup = 40;
/** Servers differ by some percent from one start to the next. */
const WHOLE: Effort = { generations: 2, rounds: 15, warmup };
const PART: Effort = { generations: 1, rounds: 30, warmup };
const STARTS_EACH = 3;
/** Requests before the memory of a server is read again. */
const LOAD = 20_000;

const began = performance.now();

function progress(line: string): void {
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${seconds} s: ${line}\n`);
}

/** A line of one number out of each sample. */
function lineFrom<T>(
  title: string,
  samples: ReadonlyMap<Subject, readonly T[]>,
  number: (sample: T) => number,
  goals: readonly Goal[],
): Line {
  const rounds = [...samples].map(([{ name }, list]) => [name, list.map(number)] as const);
  return lineOf(title, title.endsWith(' us') ? 1 : 0, new Map(rounds), goals);
}

async function measureRow(row: Row, effort: Effort): Promise<Line[]> {
  progress(row.title);
  const { samples, wrong } = await compare(row, effort);
  for (const [{ name }, errors] of wrong) {
    const text = `${name} is not measured:\n  ${errors.join('\n  ')}`;
    if (row.subjects[0]?.name === name) throw new Error(text);
    console.error(text);
  }
  const cpu = lineFrom(`${row.title}, CPU us`, samples, (sample) => sample.cpu, row.goals);
  if (row.latencies)
    return [cpu, lineFrom(`${row.title}, p50 us`, samples, ({ latency }) => latency, row.latencies)];
  if (!row.rates) return [cpu];
  const rates = lineFrom(`${row.title}, requests/s`, samples, (sample) => sample.rate, row.rates);
  if (row.subjects[0]?.database !== 'postgres') return [cpu, rates];
  return [
    cpu,
    lineFrom(`${row.title}, database CPU us`, samples, ({ databaseCpu }) => databaseCpu, []),
    rates,
  ];
}

async function measureStarts(starts: Starts): Promise<Line[]> {
  const samples = new Map<Subject, Start[]>(starts.subjects.map((subject) => [subject, []]));
  const loaded = new Map<Subject, number[]>();
  for (let round = 1; round <= STARTS_EACH; round++)
    for (const [subject, list] of samples) {
      progress(`start with ${starts.title}, ${round} of ${STARTS_EACH}: ${subject.name}`);
      list.push(await start(subject, starts));
    }
  for (const subject of starts.subjects) loaded.set(subject, [await memoryAfter(LOAD, subject, starts)]);
  const { title, milliseconds, memory } = starts;
  return [
    lineFrom(`start with ${title}, ms`, samples, (sample) => sample.milliseconds, []),
    lineFrom(`start with ${title}, CPU ms`, samples, ({ cpu }) => cpu, milliseconds),
    lineFrom(`memory with ${title}, MiB`, samples, (sample) => sample.memory, memory),
    lineFrom(`memory with ${title} after ${LOAD} requests, MiB`, loaded, (mebibytes) => mebibytes, []),
  ];
}

async function main(
  only: readonly string[],
  save: boolean,
  before: string | undefined,
  documents: readonly string[],
): Promise<void> {
  const names = [...MATRIX.map(({ name }) => name), 'start', 'creates', 'mock'];
  const matches = (name: string, wanted: string): boolean => name === wanted || name.startsWith(`${wanted}-`);
  const unknown = only.filter((wanted) => !names.some((name) => matches(name, wanted)));
  if (unknown.length > 0)
    throw new Error(`expected ONLY=NAME,NAME of ${names.join(', ')}, got ${unknown.join(', ')}`);
  const selected = (name: string): boolean =>
    only.length === 0 || only.some((wanted) => matches(name, wanted));

  const own = MATRIX.filter(({ name }) => selected(name));
  const rows = before === undefined ? own : own.map((row) => besideCheckout(row, resolve(before)));
  const lines: Line[] = [];
  const lists: Line[] = [];
  for (const row of rows) {
    const measured = await measureRow(row, only.length === 0 ? WHOLE : PART);
    lines.push(...measured);
    if (GET_LISTS.includes(row)) lists.push(...measured);
  }
  if (lists.length === GET_LISTS.length) lines.push(growthOf(lists, GROWTH));
  const starts = before === undefined && selected('start') ? STARTS : [];
  for (const each of starts) lines.push(...(await measureStarts(each)));
  if (selected('creates'))
    lines.push(...(await measureCreates(progress, before && join(resolve(before), 'dist'))));
  if (before === undefined && selected('mock')) lines.push(...(await measureMocks(documents, progress)));
  progress('');

  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${printed(lines)}\n\n${legend([...rows, ...starts].flatMap(({ subjects }) => subjects))}`);
  const goals = lines.flatMap((line) => line.goals).length;
  const reached = goals - lines.flatMap(missed).length;
  console.log(`\n${reached} of ${goals} goals reached; ${machine}; ${seconds} s`);
  if (only.length > 0 || before !== undefined) return;
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(join(REPORTS, 'bench.json'), `${JSON.stringify({ machine, lines }, null, 2)}\n`);
  const chart = drawChart(lines, machine);
  writeFileSync(join(REPORTS, 'chart.svg'), chart);
  console.log(`${REPORTS}/bench.json and chart.svg are written.`);
  if (save) writeFileSync(join(__dirname, './chart.svg'), chart);
}

const REPORTS = 'reports/bench';
const machine = `${cpus()[0]?.model.trim() ?? ''}, ${availableParallelism()} cores, Node ${process.version}`;

const { values, positionals } = parseArgs({
  options: { save: { type: 'boolean' }, before: { type: 'string' }, documents: { type: 'string' } },
  allowPositionals: true,
});

const only = positionals.flatMap((names) => names.split(','));
runProgram('bench', () =>
  main(only, values.save ?? false, values.before, values.documents?.split(',') ?? []),
);
