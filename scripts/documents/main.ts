import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from 'contract-first-prover';
import { laidOut, type LaidOut } from './laid-out';
import { mockAgainstEngine, type Mocked } from './mocked';
import { cached, type Listed } from './source';
import { writtenOf, type WrittenOf } from './written';

/*
 * `make documents`: what the tools make of documents that others wrote. The documents are in no commit: they are fetched
 * from their sources into `.cache/documents/`.
 */

/** A check of one document. A further check is a further row here. */
interface Check<T> {
  readonly columns: readonly string[];
  /** @param folder a folder for its files */
  readonly run: (file: string, folder: string) => Promise<T>;
  readonly cells: (result: T) => readonly (string | number)[];
  readonly isGood: (result: T) => boolean;
}

const MOCK: Check<Mocked> = {
  columns: [
    ...['operations', 'served', 'without a sample', 'rejected by proof', 'status', 'proven', 'failed'],
    ...['out of reach', 'blocked', 'unproven', 'left out', 'waived', 'seconds', 'MB'],
  ],
  run: mockAgainstEngine,
  cells: ({ operations, served, withoutSample, rejected, status, states, failed, seconds, megabytes }) => [
    ...[operations, served, withoutSample, rejected, status, states['PROVEN'] ?? 0, failed],
    ...['OUT OF REACH', 'BLOCKED', 'UNPROVEN', 'LEFT OUT', 'WAIVED'].map((state) => states[state] ?? 0),
    ...[seconds, megabytes],
  ],
  isGood: ({ status }) => status === 0,
};

const word = (isGreen: boolean | undefined): string =>
  isGreen === undefined ? '-' : isGreen ? 'green' : 'RED';

const NEW: Check<LaidOut> = {
  columns: ['operations', 'served', 'handlers', 'written', 'seconds', 'check', 'contract', 'test'],
  run: (file) => laidOut(file),
  cells: ({ operations, served, handlers, written, seconds, check, contract, test }) => [
    ...[operations, served, handlers, written, seconds, word(check), word(contract), word(test)],
  ],
  isGood: ({ check, contract, test = true }) => check && contract && test,
};

const WRITTEN: Check<WrittenOf> = {
  columns: ['on resources', 'written', 'of halves'],
  run: (file) => writtenOf(file),
  cells: ({ onResources, written, ofHalves }) => [onResources, written, ofHalves],
  isGood: () => true,
};

interface Row {
  readonly name: string;
  readonly cells: readonly (string | number)[];
  readonly isGood: boolean;
  readonly result: unknown;
  /** Why a check has no result. */
  readonly problem?: string;
}

const REPORTS = 'reports/documents';
/** `documents`, chosen for what they contain, or `drawn`, by draw.ts. */
const LIST = process.env['LIST'] ?? 'documents';

async function rowOf<T>(listed: Listed, { columns, run, cells, isGood }: Check<T>): Promise<Row> {
  const { name } = listed;
  try {
    const folder = join(REPORTS, name);
    mkdirSync(folder, { recursive: true });
    const result = await run(await cached(listed), folder);
    return { name, cells: cells(result), isGood: isGood(result), result };
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const problem = cause instanceof Error ? `${message}: ${cause.message}` : message;
    return { name, cells: columns.map(() => '-'), isGood: false, result: undefined, problem };
  }
}

/** Runs a check of each document, or of those that the command names. */
async function tabulate<T>(check: Check<T>, name: string, named: string | undefined): Promise<void> {
  const list = JSON.parse(readFileSync(join(__dirname, `${LIST}.json`), 'utf8')) as Listed[];
  const only = named?.split(',') ?? list.map(({ name }) => name);
  const unknown = only.find((name) => list.every((listed) => listed.name !== name));
  if (unknown !== undefined) throw new Error(`expected names of ${LIST}.json, got ${unknown}`);
  const rows: Row[] = [];
  for (const listed of list.filter((one) => only.includes(one.name))) {
    const row = await rowOf(listed, check);
    rows.push(row);
    const said = row.problem ?? row.cells.map((cell, i) => `${check.columns[i] ?? ''} ${cell}`).join(', ');
    console.log(`${row.isGood ? 'good' : 'BAD '}  ${listed.name}: ${said}`);
  }
  const report = `${REPORTS}/${name}.json`;
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(report, `${JSON.stringify(rows, undefined, 2)}\n`);
  console.log(
    `\n${formatTable([['document', ...check.columns], ...rows.map(({ name, cells }) => [name, ...cells])])}`,
  );
  const good = rows.filter(({ isGood }) => isGood).length;
  console.log(`\n${good} of ${rows.length} documents without a failure. All of it: ${report}`);
  if (good < rows.length) process.exitCode = 1;
}

const [kind, names] = parseArgs({ allowPositionals: true }).positionals;
void (kind === 'new'
  ? tabulate(NEW, 'new', names)
  : kind === 'written'
    ? tabulate(WRITTEN, 'written', names)
    : tabulate(MOCK, 'mock', names));
