/**
 * `tsc` and `eslint .` on one program, so that types are computed once. ESLint skips a file if neither it nor any of
 * its imports has changed since it passed. The cache of ESLint itself compares single files, but rules with type
 * information depend on imports too.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ESLint } from 'eslint';
import type ts from 'typescript';
import { Compiler } from '../compiler/compiler';
import { nameInProject, root } from '../paths';
import { contentOf, digestOf, installedList } from './tree';

const CACHE = path.join(root, '.cache/lint.json');
/** The maximum number of digests in the cache: enough for several branches. */
const MOST = 5000;
/** Files that every result depends on. */
const COMMON = ['eslint.config.mjs', 'tsconfig.json', 'src/tsconfig.json', installedList()];

/** For each file of the program, a digest of its text and the texts of all its direct and indirect imports. */
function closureDigests(builder: ts.BuilderProgram): Map<string, string> {
  const names = builder.getProgram().getRootFileNames();
  const texts = new Map(
    names.map((name) => {
      const file = nameInProject(name);
      return [name, digestOf([file, contentOf(file)])];
    }),
  );
  const common = digestOf([process.version, ...COMMON.map(contentOf)]);
  return new Map(
    builder.getSourceFiles().flatMap((file) => {
      if (!texts.has(file.fileName)) return [];
      const imported = builder.getAllDependencies(file).flatMap((name) => texts.get(name) ?? []);
      return [[nameInProject(file.fileName), digestOf([common, ...imported.sort()])] as const];
    }),
  );
}

/** The digests of files that have passed, the newest last. */
function readPassed(): string[] {
  try {
    return JSON.parse(readFileSync(CACHE, 'utf8')) as string[];
  } catch {
    return []; // no check has passed yet
  }
}

/** Prints the findings of ESLint. Returns whether there are none. */
async function lint(builder: ts.BuilderProgram): Promise<boolean> {
  const digests = closureDigests(builder);
  const passed = new Set(readPassed());
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
  mkdirSync(path.dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify([...passed].slice(-MOST)));
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
