import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import {
  contractReport,
  createProgress,
  formatReport,
  githubAnnotations,
  type Json,
  type Locate,
  messageOf,
  parseReplay,
  readWaivers,
  run,
  type RunOptions,
  type Target,
  type Waiver,
  writeReport,
} from 'contract-first-prover';
import { parse, type YAMLParseError } from 'yaml';
import { type Outcome, type Parsed, UsageError } from '../command';
import type { RUN_OPTIONS } from './options';
import type { Supervision } from './supervise';

type RunValues = Parsed<typeof RUN_OPTIONS>['values'];

interface CommandOptions {
  /** Generated requests for each operation, valid and faulty each. */
  readonly runs?: number;
  /** Finds the lines of the document, if its files are known. */
  readonly locate?: Locate | undefined;
  readonly supervision?: Supervision | undefined;
}

/**
 * Runs the prover as a command: shows the progress, prints the result, and writes the report.
 *
 * @returns the exit status, and the report
 * @throws {Error} if an option is wrong or the run could not start
 */
export async function runCommand(
  target: Target,
  values: RunValues,
  { runs, locate, supervision }: CommandOptions = {},
): Promise<Outcome> {
  // In a thread, process.stderr does not know that it is a terminal.
  const { update, end } = createProgress({
    isTTY: isatty(2),
    columns: process.stderr.columns || 80,
    write: (text) => process.stderr.write(text),
  });
  // One case must not replace the report that names it.
  const folder = values.report ?? (values.replay === undefined ? 'reports/contract' : undefined);
  const result = await run(target, {
    onRequest: update,
    generated: integerOption('runs', values.runs, 0, MAX_RUNS) ?? runs,
    seed: integerOption('seed', values.seed),
    only: values.only?.split(',').map((name) => name.trim()),
    replay: values.replay === undefined ? undefined : parseReplay(values.replay),
    signal: supervision?.signal,
    onStep: supervision && keeper(supervision, folder),
  }).finally(end);
  const report = folder === undefined ? contractReport(result, locate) : writeReport(result, folder, locate);
  console.log(formatReport(result));
  if (values.github ?? process.env['GITHUB_ACTIONS'] === 'true')
    for (const annotation of githubAnnotations(report)) console.log(annotation);
  if (folder !== undefined) console.log(`\nAll of it: ${folder}/index.html, contract.json, junit.xml`);
  const couldNotEnd = result.stopped !== undefined && result.failures.length === 0;
  return { status: result.passed ? 0 : couldNotEnd ? 2 : 1, json: report };
}

/** Keeps the report so far, as often as it takes a tenth of the time. */
function keeper({ keep }: Supervision, folder: string | undefined): NonNullable<RunOptions['onStep']> {
  let next = 0;
  let isCold = true;
  return (resultSoFar) => {
    const began = performance.now();
    if (began < next) return;
    const result = resultSoFar();
    keep({ report: contractReport(result), text: formatReport(result), folder });
    const ended = performance.now();
    // The first one compiles the code.
    next = isCold ? 0 : ended + 9 * (ended - began);
    isCold = false;
  };
}

/** Generated requests for each operation, and no run takes longer. */
const MAX_RUNS = 1_000_000;

/** @throws {UsageError} if the option is not an integer from `least` to `most` */
export function integerOption(
  name: string,
  text: string | undefined,
  least = Number.MIN_SAFE_INTEGER,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^-?\d+$/.test(text) && number >= least && number <= most) return number;
  const range = least === Number.MIN_SAFE_INTEGER ? 'an integer' : `an integer from ${least} to ${most}`;
  throw new UsageError(`expected --${name} to be ${range}, got ${JSON.stringify(text)}`);
}

/**
 * The content of a file.
 *
 * @param expected what it must be, for the sentence about one that is not
 * @throws {Error} if it cannot be read, or is something else, with its place
 */
export function readParsed(file: string, expected: string, parseText: (text: string) => unknown): Json {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Error(`${file}: cannot read the file (${code})`, { cause: error });
  }
  try {
    return parseText(text) as Json;
  } catch (error) {
    // The sentences of the libraries name neither the file nor what is expected.
    const { linePos, message } = error as YAMLParseError;
    const [, line = linePos?.[0].line, column = linePos?.[0].col] =
      /line (\d+) column (\d+)/.exec(message) ?? [];
    const place = line === undefined ? '' : `:${line}:${column ?? ''}`;
    throw new Error(`${file}${place}: expected ${expected}`, { cause: error });
  }
}

/** @throws {Error} if the file cannot be read, or is no list of waivers */
export function readWaiversFile(file: string): Waiver[] {
  const list = readParsed(file, 'a list of waivers in JSON or YAML', (text) =>
    parse(text, { logLevel: 'error' }),
  );
  try {
    return readWaivers(list);
  } catch (error) {
    throw new Error(messageOf(error).replaceAll(/^/gm, `${file}: `), { cause: error });
  }
}
