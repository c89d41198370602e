import path from 'node:path';
import ts from 'typescript';

/** The parts of the root package.json that the package takes over. */
export interface RootManifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export const NAME = 'contract-first-server';

/** The entries of the package, and their files in the project. */
export const ENTRIES: Readonly<Record<string, string>> = {
  '.': 'src/contract/index',
  './database': 'src/database/index',
  './kysely': 'src/kysely/index',
  './runtime': 'src/runtime/index',
  './operational': 'src/runtime/operational', // the name of 2.0.0
  './testing': 'scripts/prove/index',
};
export const COMMAND = 'scripts/cli';

/** What only an entry of its own imports: a service that uses the entry has it among its dependencies. */
const OPTIONAL = 'kysely';

/**
 * Creates the package.json of the package. The packages that the code of src/ names are its dependencies, with the
 * versions of this project. Those that only the toolchain, the tests or the types name are in the member `toolchain`: a
 * service has them as devDependencies. They are no optional peers, because `npm ci --omit=dev` installs those (npm 11).
 *
 * @param files the text of each compiled file, by its path in the package
 */
export function createManifest(root: RootManifest, files: ReadonlyMap<string, string>): object {
  const versions = { ...root.devDependencies, ...root.dependencies };
  const [needed, tools] = [new Set<string>(), new Set<string>()];
  for (const [file, text] of files) {
    const isRunTime = file.startsWith('dist/src/') && file.endsWith('.js');
    const names = file.endsWith('.d.ts')
      ? importsIn(text).flatMap((name) => [packageOf(name), `@types/${packageOf(name)}`])
      : stringsIn(text);
    for (const name of names) if (Object.hasOwn(versions, name)) (isRunTime ? needed : tools).add(name);
  }
  needed.delete(OPTIONAL);
  const pinned = (names: Iterable<string>) =>
    Object.fromEntries([...names].sort().map((name) => [name, versions[name]]));
  return {
    name: NAME,
    version: root.version,
    description: root.description,
    license: root.license,
    engines: root.engines,
    type: 'commonjs',
    bin: { 'contract-first': `dist/${COMMAND}.js` },
    exports: {
      ...Object.fromEntries(
        Object.entries(ENTRIES).map(([entry, file]) => [
          entry,
          { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
        ]),
      ),
      './package.json': './package.json',
    },
    dependencies: pinned(needed),
    peerDependencies: { [OPTIONAL]: `~${versions[OPTIONAL]}` },
    peerDependenciesMeta: { [OPTIONAL]: { optional: true } },
    toolchain: pinned([...tools].filter((name) => !needed.has(name) && name !== OPTIONAL)),
  };
}

/** The packages that the strings of a program name: imports, `require.resolve`, and names of programs and transports. */
function stringsIn(text: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) names.push(packageOf(node.text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('', text, ts.ScriptTarget.Latest));
  return names;
}

/** The modules that a declaration file imports. */
const importsIn = (text: string): string[] =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);

/** The declaration files that the entries of the package reach. Nobody can import the others. */
export function reachableTypes(files: ReadonlyMap<string, string>): Set<string> {
  const reached = new Set<string>();
  const reach = (file: string): void => {
    const text = files.get(file);
    if (text === undefined || reached.has(file)) return;
    reached.add(file);
    for (const name of importsIn(text).filter((one) => one.startsWith('.'))) {
      const target = path.posix.join(path.posix.dirname(file), name).replace(/\.js$/, '');
      reach(`${target}.d.ts`);
      reach(`${target}/index.d.ts`);
    }
  };
  for (const entry of Object.values(ENTRIES)) reach(`dist/${entry}.d.ts`);
  return reached;
}

/** `node:fs` -> `node`, `tsx/cjs` -> `tsx`, `@cfworker/json-schema` as it is. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node';
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? path.posix.join(scope, name) : scope;
}
