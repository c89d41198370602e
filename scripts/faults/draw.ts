import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { progress, randomOf } from '../program';
import { applyFault, type Fault, faultsOf } from './operators';

/** Changing it draws another list. */
const SEED = 40;
/** The fewest faults of a part, unless it has few lines. */
const LEAST = 3;

/** Types, what ajv has written, and what is a test or a setting of a created service. */
const EXCLUDED = /\.d\.ts$|\/compiled\/|^packages\/command\/layout\/(tests|generated|eslint)/;

/** The files of product code. */
export const productFiles = (): string[] =>
  ['src', 'packages', 'scripts/pack']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .map((name) => name.replaceAll('\\', '/'))
    .filter(
      (name) =>
        /^(src|packages\/[^/]+\/(bin|src|layout)|scripts\/pack)\/.*\.(ts|mjs|cjs)$/.test(name) &&
        !EXCLUDED.test(name),
    )
    .sort();

/** The part of a file: a folder of src/ of the service or of a package, or the files beside these folders. */
export const partOf = (file: string): string =>
  file
    .split('/')
    .slice(0, -1)
    .slice(0, file.startsWith('packages/') ? 4 : 2)
    .join('/');

/** Tells whether a fault changes the program, and compiles. */
function createJudge(): (fault: Fault) => boolean {
  const parsed = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, ' '));
    },
  });
  if (!parsed) throw new Error('tsconfig.json cannot be read');
  const options: ts.CompilerOptions = { ...parsed.options, incremental: false };
  delete options.tsBuildInfoFile;
  const changed = new Map<string, { text: string; version: number }>();
  const relative = (name: string) => name.replace(`${process.cwd()}/`, '');
  const host: ts.LanguageServiceHost = {
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => parsed.fileNames,
    getScriptVersion: (name) => `${changed.get(relative(name))?.version ?? 0}`,
    getScriptSnapshot(name) {
      const text = changed.get(relative(name))?.text ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
  };
  const service = ts.createLanguageService(host);
  let version = 0;
  const emitted = (text: string) =>
    ts.transpileModule(text, {
      compilerOptions: { ...options, removeComments: true },
      reportDiagnostics: true,
    });
  return (fault) => {
    const { file } = fault;
    const text = readFileSync(file, 'utf8');
    const mutant = applyFault(text, fault);
    if (mutant === undefined) throw new Error(`${file}:${fault.line}: the fault cannot be applied`);
    const { outputText, diagnostics = [] } = emitted(mutant);
    if (diagnostics.length > 0 || outputText === emitted(text).outputText) return false;
    if (!file.endsWith('.ts')) return true;
    changed.set(file, { text: mutant, version: ++version });
    const errors = service.getSemanticDiagnostics(`${process.cwd()}/${file}`);
    changed.set(file, { text, version: ++version });
    return errors.length === 0;
  };
}

/** The lines of files that a fault can be made in, each with its faults, in an order that depends on the seed alone. */
function shuffledLines(files: readonly string[]): Fault[][] {
  const place = ({ file, text, column, operator }: Fault) => randomOf(SEED, file, text, column, operator);
  const lines = files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    return [...Map.groupBy(faultsOf(source), ({ line }) => line).values()];
  });
  const rank = ([first]: readonly Fault[]) =>
    first ? randomOf(SEED, first.file, first.line, first.text) : 1;
  return lines.sort((a, b) => rank(a) - rank(b)).map((faults) => faults.sort((a, b) => place(a) - place(b)));
}

/** Draws so many faults on the lines of some files, of which each line has one at most. */
function drawFrom(
  files: readonly string[],
  count: number,
  judge: (fault: Fault) => boolean,
  taken: readonly Fault[],
) {
  const isTaken = (faults: readonly Fault[]) =>
    faults.some(({ file, text }) => taken.some((each) => each.file === file && each.text === text));
  const drawn: Fault[] = [];
  for (const faults of shuffledLines(files)) {
    if (drawn.length === count) break;
    progress(`${files[0] ?? ''}: ${drawn.length + 1} of ${count}`);
    const fault = isTaken(faults) ? undefined : faults.find(judge);
    if (fault) drawn.push(fault);
  }
  return drawn;
}

/** Draws about so many faults over all parts, in proportion to their lines. */
export function drawFaults(count: number): Fault[] {
  const judge = createJudge();
  const parts = [...Map.groupBy(productFiles(), partOf)].map(([, files]) => ({
    files,
    lines: shuffledLines(files).length,
  }));
  const all = parts.reduce((sum, { lines }) => sum + lines, 0);
  return parts.flatMap(({ files, lines }) =>
    drawFrom(
      files,
      Math.max(Math.round((count * lines) / all), Math.min(LEAST, Math.ceil(lines / 10))),
      judge,
      [],
    ),
  );
}

/** Keeps the faults that still apply. Replaces each other one by one of its file, or of its part if the file is gone. */
export function redrawFaults(faults: readonly Fault[]): Fault[] {
  const judge = createJudge();
  const files = productFiles();
  const kept = faults.filter(applies);
  for (const { file } of faults.filter((fault) => !applies(fault))) {
    const beside = files.filter((name) => partOf(name) === partOf(file));
    const [drawn] = drawFrom(files.includes(file) ? [file] : beside, 1, judge, kept);
    if (drawn) kept.push(drawn);
  }
  return kept;
}

/** Whether the file still has the line of a fault. */
export function applies(fault: Fault): boolean {
  const text = ts.sys.readFile(fault.file);
  return text !== undefined && applyFault(text, fault) !== undefined;
}
