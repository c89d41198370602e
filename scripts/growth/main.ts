import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatTable } from 'contract-first-prover';
import { runProgram } from '../program';
import { compareEngines } from './engines';
import { type Plan, type Row, survey } from './survey';

/**
 * `make growth`: what generated requests cost that are made to cost much, by what innocent ones of the same size cost;
 * with an argument, only the subjects whose names contain it.
 */
const PLAN: Plan = {
  bounds: { ratio: 25, exponent: 1.5, blocked: 50 },
  limit: 2_000,
  inputs: Infinity,
  sizes: [1_000, 10_000, 100_000, 1_000_000],
};

async function main(only: string | undefined): Promise<void> {
  const began = performance.now();
  const rows: Row[] = [];
  for await (const row of survey(PLAN, (about) => only === undefined || about.includes(only))) {
    rows.push(row);
    console.error(`${rows.length} ${cells(row).join('  ')}`);
  }
  const { line, agree } = engines(only);
  const text = formatTable([
    [
      '',
      'subject',
      '',
      'inputs',
      '1 kB',
      '10 kB',
      '100 kB',
      '1 MB',
      'innocent',
      'ratio',
      'most',
      'power',
      'blocked',
      'worst input',
    ],
    ...rows.map(cells),
  ]);
  const bad = rows.filter(({ problems }) => problems.length > 0).length;
  const inputs = rows.reduce((sum, row) => sum + row.inputs, 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const end = `\n${rows.length - bad} of ${rows.length} subjects grow as their input does, ${bad} do not; ${inputs} inputs, ${seconds} s${line}`;
  const legend =
    '\nCPU milliseconds of the worst input by size (documents: by 25, 100 and 400 of what grows); ratio and the time that' +
    '\nthe event loop is blocked at 100 kB; `over` is more than ' +
    `${PLAN.limit} ms. Bounds: ratio ${PLAN.bounds.ratio}, and 4 for each schema that the document puts to one value; power ${PLAN.bounds.exponent}, blocked ${PLAN.bounds.blocked ?? 0} ms (plant store).`;
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/growth.txt', `${text}\n${legend}\n${end}\n`);
  console.log(`${text}\n${legend}\n${end}`);
  process.exitCode = bad === 0 && agree ? 0 : 1;
}

/** Compares the engines of patterns, if that is wanted. */
function engines(only: string | undefined): { readonly line: string; readonly agree: boolean } {
  if (only !== undefined && !'engines of patterns'.includes(only)) return { line: '', agree: true };
  const seed = Date.now() % 1_000_000;
  const { compared, refused, wrong, leaks } = compareEngines(seed);
  const shown = [...wrong, ...leaks].sort((a, b) => a.length - b.length).slice(0, 3);
  const line =
    `\nengines of patterns: ours matches ${compared} generated patterns and refuses ${refused}; of their texts ` +
    `${wrong.length} are judged wrong, and ${leaks.length} by V8 with its modifiers (seed ${seed})\n${shown.join('\n')}`;
  return { line, agree: wrong.length === 0 };
}

function cells(row: Row): (string | number)[] {
  const sizes = row.direction === 'start' ? [25, 100, 400, 0] : PLAN.sizes;
  const milliseconds = (cost: number | undefined): string =>
    cost === undefined ? '' : cost === Infinity ? 'over' : cost.toFixed(1);
  const state = row.problems.length > 0 ? 'TOO MUCH' : row.refusal === undefined ? 'ok' : 'refused';
  return [
    ...[state, row.about, row.direction, row.inputs],
    ...sizes.map((size) => milliseconds(row.costs.get(size))),
    milliseconds(row.innocent),
    row.ratio?.toFixed(1) ?? '',
    row.most?.toFixed(0) ?? '',
    row.exponent?.toFixed(2) ?? '',
    row.direction === 'start' ? '' : milliseconds(row.blocked),
    (row.refusal?.split('\n')[0] ?? row.worst ?? '').slice(0, 70),
  ];
}

runProgram('growth', () => main(parseArgs({ allowPositionals: true }).positionals[0]));
