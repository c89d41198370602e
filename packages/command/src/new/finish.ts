/**
 * Runs in a new service, with its toolchain: generates what the layout lacks, formats it, and runs the contract tests. Prints
 * a line for each step. Exits with {@link RED} if the contract tests are not green.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import prettier from 'prettier';
import { compileContract, isObject, OpenApiDocument } from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';
import { outliveReaders, sentenceOf } from '../command';
import { generate } from '../generate/main';
import { handlerName } from '../generate/handler-names';
import { stubText } from '../generate/handlers';
import { PUBLISHED } from '../paths';
import { codeOf } from './code';
import { RED, run } from './write/programs';
import { Steps } from './write/steps';

/** The target of the contract tests in a service. */
const SERVICE = 'tests/contract/service.ts';
/** The folder of one file for each handler, and files that are none. */
const [HANDLERS, NO_HANDLERS] = ['src/handlers', ['index', 'types']];
/** Milliseconds. The prover then ends with the report so far. Its own budgets are counted in requests. */
const LONGEST_MS = 300_000;

/** Formats a file as the format check of its service demands. Leaves a file that is ignored there as it is. */
async function formatFile(file: string): Promise<void> {
  const { inferredParser, ignored } = await prettier.getFileInfo(file, { ignorePath: '.prettierignore' });
  if (inferredParser === null || ignored) return;
  const options = await prettier.resolveConfig(file);
  const text = await prettier.format(readFileSync(file, 'utf8'), { ...options, filepath: file });
  writeFileSync(file, text);
}

/** Formats every file that is laid out. */
async function format(): Promise<number> {
  const own = readdirSync('.', { withFileTypes: true }).filter(
    ({ name }) => !/^(node_modules|vendor|\.git)$/.test(name),
  );
  const files = own.flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(entry.name, { recursive: true, withFileTypes: true })
          .filter((one) => one.isFile())
          .map((one) => path.join(one.parentPath, one.name))
      : entry.name,
  );
  for (const file of files) await formatFile(file);
  return files.length;
}

/** The operations with a handler, by the names of their files. */
const handlersIn = (): Set<string> =>
  new Set(
    readdirSync(HANDLERS)
      .map((file) => path.parse(file).name)
      .filter((name) => !NO_HANDLERS.includes(name)),
  );

interface Obligation {
  readonly key: string;
  readonly state: string;
  /** The number of cases that disproved it. */
  readonly failed: number;
  readonly reason?: string;
}

/** A run of the contract tests. */
interface Run {
  readonly green: boolean;
  readonly output: string;
  /** What this file reads of contract.json; undefined: there is none. */
  readonly report?: {
    readonly obligations: readonly Obligation[];
    readonly failures?: readonly { readonly operation: string }[];
    /** Requests that were not sent. */
    readonly leftOut?: readonly Readonly<Record<'operation' | 'family' | 'reason', string>>[];
    /** Why the run ended early. */
    readonly stopped?: string;
  };
}

interface Proof {
  readonly green: boolean;
  readonly summary: string;
}

/**
 * Runs the contract tests. Adds a waiver for each promise that no request of the prover can prove or disprove, with the reason,
 * so that the first run of the team is green and its list of exceptions is whole; then it runs them again. A promise that a case
 * disproved stays as it is.
 *
 * @param written the files of handlers that were laid out: one that does not compile, or that a case disproves, becomes a stub
 */
async function prove(written: ReadonlySet<string>, progress: (text: string) => void): Promise<Proof> {
  const sound = new Set(written);
  const unsound: string[] = [];
  const leave = async (wrong: readonly string[]): Promise<boolean> => {
    const found = wrong.filter((file) => sound.delete(file));
    unsound.push(...(found.length > 0 ? await writeStubs(found) : []));
    return found.length > 0;
  };
  let [errors, tests] = await Promise.all([typeErrors(), runContract(progress)]);
  for (;;) {
    const failed = (tests.report?.failures ?? []).map(({ operation }) => handlerName(operation).file);
    const mistyped = [...sound].filter((file) => errors.includes(`${HANDLERS}/${file}.ts(`));
    if (!(await leave([...mistyped, ...failed]))) break;
    [errors, tests] = await Promise.all([mistyped.length > 0 ? typeErrors() : errors, runContract(progress)]);
  }
  const all = tests.report?.stopped === undefined ? (tests.report?.obligations ?? []) : [];
  const waivable = all.filter(({ state, failed }) => state === 'UNPROVEN' && failed === 0);
  if (waivable.length > 0) {
    await addWaivers(SERVICE, waivable);
    tests = await runContract(progress);
  }
  const { output, report } = tests;
  const stubs =
    unsound.length === 0
      ? ''
      : `; left as stubs, because the generated handlers do not conform to the document: ${unsound.join(', ')}`;
  if (errors !== '')
    return { green: false, summary: `type checking failed (contract-first check):\n${errors}` };
  if (!report)
    return {
      green: false,
      summary: `the contract tests could not run (contract-first contract):\n${output}`,
    };
  const added = waivable.length === 1 ? '1 waiver is' : `${waivable.length} waivers are`;
  const news =
    waivable.length > 0
      ? `; ${added} added to ${SERVICE} for rules that no request can prove${stubs}`
      : stubs;
  if (!tests.green) return { green: false, summary: `${output.trimEnd()}${news}` };
  const figures = /^.*PROVEN \d+\/.*?(?=, \d+ requests|$)/m.exec(output)?.[0] ?? '';
  // No case of a stub could be made. That is no fault of the service.
  const unmade = (report.leftOut ?? [])
    .filter(({ family }) => family === 'baseline')
    .map(({ operation, reason }) => `\n  no request could be generated for the stub ${operation}: ${reason}`);
  return { green: true, summary: `contract tests: ${figures}${news}${unmade.join('')}` };
}

/** Makes stubs of these handlers. Returns the names of their operations. */
async function writeStubs(files: readonly string[]): Promise<string[]> {
  const document = readDocument(readFileSync(PUBLISHED, 'utf8'));
  const operations = isObject(document)
    ? [...compileContract(new OpenApiDocument(document)).served.keys()]
    : [];
  const wrong = operations.filter(({ operationId }) => files.includes(handlerName(operationId).file));
  for (const operation of wrong) {
    const name = handlerName(operation.operationId);
    const file = `${HANDLERS}/${name.file}.ts`;
    writeFileSync(file, stubText(operation, name));
    await formatFile(file);
  }
  return wrong.map(({ operationId }) => operationId);
}

/** What the compiler says of the service. */
async function typeErrors(): Promise<string> {
  const command = [process.execPath, path.resolve('node_modules/typescript/bin/tsc'), '--noEmit'];
  return (await run(command, '.')).stdout;
}

async function runContract(progress: (text: string) => void): Promise<Run> {
  const command = [process.execPath, path.join(__dirname, '../../bin/contract-first.cjs'), 'contract'];
  const { status, stdout, stderr } = await run(command, '.', {
    timeout: LONGEST_MS,
    onError: (text) => {
      progress(text.trim());
    },
  });
  try {
    const text = readFileSync('reports/contract/contract.json', 'utf8');
    return { green: status === 0, output: stdout, report: JSON.parse(text) as NonNullable<Run['report']> };
  } catch {
    return { green: false, output: `${stdout}${stderr}` };
  }
}

/** Adds a waiver for each of the promises to the file of the target, and formats it. */
export async function addWaivers(
  file: string,
  added: readonly Pick<Obligation, 'key' | 'reason'>[],
): Promise<void> {
  const lines = added.map(
    ({ key, reason = '' }) =>
      `  ${codeOf({ obligation: key, reason: `at the start: ${reason.split(':')[0] ?? ''}` })},\n`,
  );
  const list = /(export const waivers: readonly Waiver\[\] = \[)\n?([^]*?)(\];\n)/;
  const text = readFileSync(file, 'utf8');
  if (!list.test(text)) throw new Error(`${file}: expected the list of waivers`);
  writeFileSync(
    file,
    text.replace(
      list,
      (_, open: string, old: string, end: string) => `${open}\n${old}${lines.join('')}${end}`,
    ),
  );
  await formatFile(file);
}

async function main(): Promise<void> {
  const steps = new Steps();
  mkdirSync('generated', { recursive: true });
  const written = handlersIn();
  const generated = async () => {
    await generate(true);
    return [...handlersIn()].filter((name) => !written.has(name)).length;
  };
  await steps.step(
    'generating the types',
    generated,
    (stubs) =>
      `generated the types${stubs === 0 ? '' : `, and ${stubs} handler stub${stubs === 1 ? '' : 's'}`}`,
  );
  await steps.step('formatting', format, (count) => `formatted ${count} files`);
  const { green } = await steps.step(
    'checking the types and running the contract tests',
    (progress) => prove(written, progress),
    ({ summary }) => summary,
  );
  if (!green) process.exitCode = RED;
}

if (require.main === module) {
  outliveReaders();
  main().catch((error: unknown) => {
    console.error(process.argv.includes('--debug') ? error : sentenceOf(error, 'new'));
    process.exitCode = 1;
  });
}
