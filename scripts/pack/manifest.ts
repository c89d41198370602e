import path from 'node:path';
import ts from 'typescript';

/** The parts of the root package.json that the package takes over. */
export interface RootManifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The package.json of a package. */
export interface Manifest {
  readonly dependencies: object;
  readonly [field: string]: unknown;
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
/** What starts it, on any Node, and what that reads. They are copied as they are. */
export const LAUNCHER = 'scripts/contract-first.cjs';
export const LAUNCHERS = [LAUNCHER, 'scripts/node-version.cjs'];

/**
 * The folder of the files of Swagger UI. The package carries them, because their own brings 10 MB that no page needs, and a
 * script that reports each installation, for which pnpm fails.
 */
export const SWAGGER_UI = 'dist/swagger-ui';

/** The files of a new service: to the package they are data. */
const LAYOUT = 'dist/scripts/new/layout/';

/** What only an entry of its own imports: a service that uses the entry has it among its dependencies. */
const OPTIONAL = 'kysely';
/** The versions of it that tests/e2e/package.slow.test.ts and tests/system/consumers use. */
const OPTIONAL_RANGE = '0.28 || 0.29';

/**
 * What a service has as devDependencies: tens of megabytes, in versions that it may choose. Everything else that the package
 * names is small and comes with it, so that the commands that need no service run anywhere.
 */
const TOOLS: ReadonlySet<string> = new Set([
  'dependency-cruiser',
  'eslint',
  'openapi-typescript',
  'prettier',
  'tsx',
  'typescript',
]);

/**
 * Creates the package.json of the package. The packages that its code and its public declarations name are its dependencies,
 * in the versions of this project. Types have a range: a second copy of them beside that of a service declares its globals
 * twice. {@link TOOLS} are in the member `toolchain`. They are no optional peers, because `npm ci --omit=dev` installs those
 * (npm 11).
 *
 * @param files the text of each file, by its path in the package
 */
export function createManifest(root: RootManifest, files: ReadonlyMap<string, string>): Manifest {
  const versions = { ...root.devDependencies, ...root.dependencies };
  const named = new Set<string>();
  for (const [file, text] of files) {
    if (file.startsWith(LAYOUT)) continue; // a service names what its own files import
    const names = /\.d\.m?ts$/.test(file)
      ? importsIn(text).flatMap((name) => [packageOf(name), `@types/${packageOf(name)}`])
      : /\.m?js$/.test(file)
        ? stringsIn(text)
        : [];
    for (const name of names) if (Object.hasOwn(versions, name) && name !== OPTIONAL) named.add(name);
  }
  const range = (name: string) =>
    // The types of Node have the version of Node, which the service chooses.
    name === '@types/node'
      ? `>=${versions[name]}`
      : name.startsWith('@types/')
        ? `^${versions[name]}`
        : versions[name];
  const withVersions = (isTool: boolean) =>
    Object.fromEntries(
      [...named]
        .filter((name) => TOOLS.has(name) === isTool)
        .sort()
        .map((name) => [name, range(name)]),
    );
  const entries = Object.entries(ENTRIES).map(([entry, file]) => {
    const required = { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` };
    if (!files.has(`dist/${file}.mjs`)) return [entry, required] as const;
    const imported = { types: `./dist/${file}.d.mts`, default: `./dist/${file}.mjs` };
    return [entry, { import: imported, ...required }] as const;
  });
  const { '.': main, ...others } = Object.fromEntries(entries);
  return {
    name: NAME,
    version: root.version,
    description: root.description,
    license: root.license,
    engines: { node: root.engines.node },
    type: 'commonjs',
    bin: { 'contract-first': `dist/${LAUNCHER}` },
    imports: { '#swagger-ui/*': `./${SWAGGER_UI}/*` },
    exports: {
      ...Object.fromEntries(entries),
      './schemas/*': './schemas/*',
      './package.json': './package.json',
    },
    // For `moduleResolution: node10`, which knows no `exports`.
    main: main?.default,
    types: main?.types,
    typesVersions: {
      '*': Object.fromEntries(Object.entries(others).map(([entry, { types }]) => [entry.slice(2), [types]])),
    },
    files: [...new Set([...files.keys()].map((file) => file.split('/')[0]))].sort(),
    dependencies: withVersions(false),
    peerDependencies: { [OPTIONAL]: OPTIONAL_RANGE },
    peerDependenciesMeta: { [OPTIONAL]: { optional: true } },
    toolchain: withVersions(true),
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
