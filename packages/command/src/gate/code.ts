/**
 * `tsc` and `eslint .` on one program, so that types are computed once. ESLint skips a file if neither it nor what it
 * sees of its direct and indirect imports has changed since it passed. The cache of ESLint itself compares single files,
 * but rules with type information depend on imports too.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { Compiler } from '../compiler/compiler';
import { nameInProject, root } from '../paths';
import { contentOf, digestOf, installedList } from './tree';

const CACHE = path.join(root, '.cache/lint.json');
const SHAPES = path.join(root, '.cache/shapes.json');
/** The maximum number of digests in the cache: enough for several branches. */
const MOST = 5000;
/** Files that every result depends on. */
const COMMON = ['eslint.config.mjs', 'tsconfig.json', 'src/tsconfig.json', installedList()];

/**
 * What importers see of a module: its declarations, if they follow from it alone (TypeScript's `isolatedDeclarations`). An
 * edit within an annotated function leaves them as they were. Where something is inferred, the whole text.
 */
function shapeOf(fileName: string, text: string): string {
  if (!/(?<!\.d)\.ts$/.test(fileName)) return text;
  const { outputText, diagnostics } = ts.transpileDeclaration(text, {
    fileName,
    reportDiagnostics: true,
    compilerOptions: { declaration: true, isolatedDeclarations: true, target: ts.ScriptTarget.ESNext },
  });
  return diagnostics?.length === 0 ? outputText : text;
}

/** For each file of the program, a digest of its text and of the shapes of all its direct and indirect imports. */
function closureDigests(builder: ts.BuilderProgram): Map<string, string> {
  const common = digestOf([process.version, ...COMMON.map(contentOf)]);
  const names = builder.getProgram().getRootFileNames();
  const texts = new Map(
    names.map((name) => {
      const file = nameInProject(name);
      return [name, digestOf([common, file, contentOf(file)])];
    }),
  );
  const known = read<Record<string, string>>(SHAPES, {});
  const shapes: Record<string, string> = {};
  const shapeDigest = (name: string, text: string) =>
    (shapes[text] ??=
      known[text] ?? digestOf([nameInProject(name), shapeOf(name, String(contentOf(nameInProject(name))))]));
  const digests = builder.getSourceFiles().flatMap((file) => {
    const own = texts.get(file.fileName);
    if (own === undefined) return [];
    const imported = builder.getAllDependencies(file).flatMap((name) => {
      const text = texts.get(name);
      return text === undefined || text === own ? [] : shapeDigest(name, text);
    });
    return [[nameInProject(file.fileName), digestOf([own, ...imported.sort()])] as const];
  });
  write(SHAPES, shapes);
  return new Map(digests);
}

function read<T>(file: string, otherwise: T): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return otherwise; // no check has written it yet
  }
}

function write(file: string, value: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

/** Prints the findings of ESLint. Returns whether there are none. */
async function lint(builder: ts.BuilderProgram): Promise<boolean> {
  const digests = closureDigests(builder);
  /** The digests of files that have passed, the newest last. */
  const passed = new Set(read<string[]>(CACHE, []));
  const unchanged = [...digests].flatMap(([file, digest]) => (passed.has(digest) ? file : []));
  const eslint = new ESLint({
    cwd: root,
    overrideConfig: [
      ...(unchanged.length > 0 ? [{ ignores: unchanged }] : []),
      {
        files: ['**/*.ts'],
        languageOptions: { parserOptions: { projectService: false, programs: [builder.getProgram()] } },
      },
    ],
  });
  const results = await eslint.lintFiles('.');
  const dirty = new Set(
    results.flatMap(({ messages, filePath }) => (messages.length > 0 ? nameInProject(filePath) : [])),
  );
  for (const [file, digest] of digests) if (!dirty.has(file)) passed.add(digest);
  write(CACHE, [...passed].slice(-MOST));
  const text = await (await eslint.loadFormatter('stylish')).format(results);
  if (text !== '') console.log(text);
  return dirty.size === 0;
}

async function main(): Promise<boolean> {
  const compiler = new Compiler('tsconfig.json');
  const errors = compiler.compile();
  if (errors !== undefined) console.log(errors);
  return compiler.builder !== undefined && (await lint(compiler.builder)) && errors === undefined;
}

void main().then((clean) => {
  process.exitCode = clean ? 0 : 1;
});
