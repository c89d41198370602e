/**
 * Runs in a new service, with its toolchain: generates what the layout lacks, formats it, checks it and tests it. Prints a line
 * for each step. Exits with {@link RED} if a check or a test fails.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import prettier from 'prettier';
import { compileContract, isObject, OpenApiDocument } from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';
import { outliveReaders, sentenceOf } from '../command';
import { generate } from '../generate/main';
import { handlerName } from '../generate/handler-names';
import { stubText } from '../generate/stub-text';
import { PUBLISHED } from '../paths';
import { tablesCreatedBy, writeWithout } from './again';
import { codeOf } from './code';
import { type Checks, type Finding, findingsIn, findingsOf, firstRules, type Report } from './findings';
import { UNFIT } from './tables/stores';
import { RED, run } from './write/programs';
import { Steps } from './write/steps';

/** The target of the contract tests in a service. */
const SERVICE = 'tests/contract/service.ts';
/** The folder of one file for each handler, and files that are none. */
const [HANDLERS, NO_HANDLERS] = ['src/handlers', ['index', 'types']];
/** The files of src/storage that are no tables of the document. */
const SHARED = ['open', 'stored', 'users'];
const REPORT = 'reports/contract/contract.json';
/** Milliseconds. The budgets of the prover are counted in requests. */
const LONGEST_MS = 600_000;

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

const isStub = (file: string): boolean => /=>\s+stub\(/.test(readFileSync(`${HANDLERS}/${file}.ts`, 'utf8'));

/** The files in src/handlers of the operations. */
const handlerFiles = (): string[] =>
  readdirSync(HANDLERS)
    .map((file) => path.parse(file).name)
    .filter((name) => !NO_HANDLERS.includes(name));

/** What the checks and the tests of the service say. */
interface Verdict {
  /** The commands that fail. */
  readonly failing: readonly string[];
  readonly findings: readonly Finding[];
  /** undefined: the contract tests could not run. */
  readonly report: Report | undefined;
}

interface Proof {
  readonly green: boolean;
  readonly summary: string;
}

/**
 * Runs the checks and the tests of the service, as `npm run check` and `npm run test` do. Adds a waiver for each promise that no
 * request of the prover can prove or disprove, with the reason, so that the first run of the team is green and its list of
 * exceptions is whole; then it runs them again. A promise that a case disproved stays as it is.
 *
 * A handler that a check finds fault with, or that a case disproves, becomes a stub. So do all handlers on a table if a check finds
 * fault with its file, or if the stub is the one that creates its objects.
 */
async function prove(progress: (text: string) => void): Promise<Proof> {
  const [unsound, without, waived] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let verdict = await verdictOf(progress);
  for (;;) {
    const written = handlerFiles().filter((file) => !isStub(file));
    const wrong = handlersIn(verdict).filter((file) => written.includes(file));
    const tables = [...tablesIn(verdict), ...(await tablesCreatedBy(wrong, without))].filter(
      (file) => !without.has(file),
    );
    const waivable = waivableIn(verdict).filter(({ key }) => !waived.has(key));
    if (wrong.length + tables.length + waivable.length === 0) break;
    for (const file of wrong) unsound.add(file);
    if (tables.length > 0) {
      progress(`writing the service without ${tables.join(', ')}`);
      for (const file of tables) without.add(file);
      await writeWithout(without);
      await generate(true);
      waived.clear();
    } else if (wrong.length === 0) {
      await addWaivers(SERVICE, waivable);
      for (const { key } of waivable) waived.add(key);
    }
    await writeStubs([...unsound].filter((file) => !isStub(file)));
    if (tables.length > 0) await format();
    verdict = await verdictOf(progress);
  }
  const added = waived.size === 1 ? '1 waiver is' : `${waived.size} waivers are`;
  const news = [
    ...(waived.size > 0 ? [`; ${added} added to ${SERVICE} for rules that no request can prove`] : []),
    ...(unsound.size > 0
      ? [
          `; left as stubs, because the generated handlers do not conform to the document: ${[...unsound].join(', ')}`,
        ]
      : []),
    ...(without.size > 0
      ? [
          `; left out of src/storage/, because the generated tables do not match the document: ${[...without].join(', ')}`,
        ]
      : []),
  ].join('');
  const { failing, report, findings } = verdict;
  const figures = report?.headline.replace(/, \d+ requests.*/, '') ?? 'the contract tests could not run';
  if (failing.length > 0)
    return {
      green: false,
      summary: `${failing.join(' and ')} ${failing.length === 1 ? 'fails' : 'fail'}: ${figures}${news}\n${firstRules(findings)}`,
    };
  // No case of a stub could be made. That is no fault of the service.
  const unmade = (report?.leftOut ?? [])
    .filter(({ family }) => family === 'baseline')
    .map(({ operation, reason }) => `\n  no request could be generated for the stub ${operation}: ${reason}`);
  return { green: true, summary: `npm run check and npm run test pass: ${figures}${news}${unmade.join('')}` };
}

/** The files of tables that a check finds fault with. */
const tablesIn = ({ findings }: Verdict): string[] => [
  ...new Set(
    findings.flatMap(({ place }) => {
      const file = /^src\/storage\/(.*)\.ts:/.exec(place)?.[1];
      return file === undefined || SHARED.includes(file) ? [] : file;
    }),
  ),
];

/** The files of handlers that a check finds fault with, or that a case disproves. */
function handlersIn({ findings, report }: Verdict): string[] {
  const checked = findings.flatMap(({ place }) => /^src\/handlers\/(.*)\.ts:/.exec(place)?.[1] ?? []);
  const failed = (report?.failures ?? []).map(({ operation }) => handlerName(operation).file);
  return [...checked, ...failed];
}

/** The promises that no request can prove or disprove. */
const waivableIn = ({ report }: Verdict): Report['obligations'] =>
  report === undefined || report.stopped !== undefined
    ? []
    : report.obligations.filter(({ state, failed }) => state === 'UNPROVEN' && failed === 0);

/** Makes stubs of these handlers. */
async function writeStubs(files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const document = readDocument(readFileSync(PUBLISHED, 'utf8'));
  const operations = isObject(document)
    ? [...compileContract(new OpenApiDocument(document)).served.keys()]
    : [];
  const wrong = operations.filter(({ operationId }) => files.includes(handlerName(operationId).file));
  for (const operation of wrong) {
    const name = handlerName(operation.operationId);
    const file = `${HANDLERS}/${name.file}.ts`;
    writeFileSync(file, stubText(operation, name, '', UNFIT));
    await formatFile(file);
  }
}

/** Runs `npm run check` and `npm run test`, as package.json has them, at the same time. */
async function verdictOf(progress: (text: string) => void): Promise<Verdict> {
  rmSync(REPORT, { force: true });
  const running = new Set(['npm run check', 'npm run test']);
  const say = () => {
    progress([...running].join(' and '));
  };
  const one = async (verb: 'check' | 'test'): Promise<Checks> => {
    const command = [process.execPath, path.join(__dirname, '../../bin/contract-first.cjs'), verb, '--json'];
    const { stdout, stderr } = await run(command, '.', { timeout: LONGEST_MS });
    running.delete(`npm run ${verb}`);
    say();
    try {
      return JSON.parse(stdout) as Checks;
    } catch {
      return { passed: false, checks: [{ name: verb, passed: false, output: `${stderr}${stdout}` }] };
    }
  };
  say();
  const [checked, tested] = await Promise.all([one('check'), one('test')]);
  const report = readReport();
  const told = report === undefined ? [] : findingsIn(report);
  return {
    failing: [...(checked.passed ? [] : ['npm run check']), ...(tested.passed ? [] : ['npm run test'])],
    // What the contract tests report tells more than the output of jest.
    findings: [...findingsOf(checked), ...(told.length > 0 ? told : findingsOf(tested))],
    report,
  };
}

function readReport(): Report | undefined {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8')) as Report;
  } catch {
    return undefined; // the tests could not be built, or not begin
  }
}

/** Adds a waiver for each of the promises to the file of the target, and formats it. */
export async function addWaivers(
  file: string,
  added: readonly Pick<Report['obligations'][number], 'key' | 'reason'>[],
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
  const generated = async () => {
    await generate(true);
    return handlerFiles().filter(isStub).length;
  };
  await steps.step(
    'generating the types',
    generated,
    (stubs) =>
      `generated the types${stubs === 0 ? '' : `, and ${stubs} handler stub${stubs === 1 ? '' : 's'}`}`,
  );
  await steps.step('formatting', format, (count) => `formatted ${count} files`);
  const { green } = await steps.step('checking and testing', prove, ({ summary }) => summary);
  if (!green) process.exitCode = RED;
}

if (require.main === module) {
  outliveReaders();
  main().catch((error: unknown) => {
    console.error(process.argv.includes('--debug') ? error : sentenceOf(error, 'new'));
    process.exitCode = 1;
  });
}
