/**
 * `tsx scripts/pack/main.ts`: builds the package of the core, the databases, the runtime, the toolchain and the prover, as
 * .cache/pack/contract-first-server-VERSION.tgz, and that of create.ts. Prints its path. It does not check types: `make check` does.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { lockedPackages } from '../new/install';
import { layoutFiles, readLayout } from '../new/layout-files';
import { nameInProject, root } from '../paths';
import { CREATE, createFiles } from './create';
import { esModules } from './esm';
import { neededBy } from './locked';
import {
  COMMAND,
  createManifest,
  ENTRIES,
  LAUNCHERS,
  NAME,
  reachableTypes,
  type RootManifest,
  SWAGGER_UI,
} from './manifest';

/** The folder of the tarball and of its content, `package/`. */
export const FOLDER = path.join(root, '.cache/pack');

/** The schemas for editors of the files of a service. */
const SCHEMAS = 'scripts/schemas';

/** The scripts of the documentation page. */
const SCRIPTS = 'src/runtime/page';

/** What the page asks of Swagger UI, and its licenses. */
const PAGE = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'favicon-32x32.png',
  'oauth2-redirect.js',
  'LICENSE',
  'NOTICE',
];

/** The programs that commands run as processes and threads of their own. */
const PROGRAMS = ['scripts/gate/code', 'scripts/gate/boundaries', 'scripts/dev/rest', 'scripts/new/finish'];

/** The texts of which a generated client consists. */
const CLIENT = 'scripts/client/runtime';

const HOST = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (name: string) => name,
  getNewLine: () => '\n',
};

/** Compiles the files of the package. Returns the text of each, by its path in the package. */
function compile(): Map<string, string> {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...config.compilerOptions,
      noEmit: false,
      noCheck: true,
      incremental: false,
      tsBuildInfoFile: undefined,
      sourceMap: false,
      declaration: true,
      types: ['node'],
      rootDir: '.',
      outDir: 'dist',
    },
    root,
  );
  const names = [...Object.values(ENTRIES), COMMAND, ...PROGRAMS].map((name) =>
    path.join(root, `${name}.ts`),
  );
  const files = new Map<string, string>();
  const { diagnostics } = ts.createProgram(names, options).emit(undefined, (file, text) => {
    files.set(nameInProject(file), text);
  });
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, HOST));
  const types = reachableTypes(files);
  const packed = [...files].filter(([name]) => name.endsWith('.js') || types.has(name));
  return new Map([...packed, ...esModules(files)]);
}

/** Builds the tarballs of the package and of `npm create contract-first`. Returns the path of the first. */
export function pack(): string {
  const content = path.join(FOLDER, 'package');
  rmSync(content, { recursive: true, force: true });
  const files = compile();
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as RootManifest;
  files.set('README.md', readFileSync(path.join(root, 'scripts/pack/PACKAGE.md'), 'utf8'));
  for (const name of [
    'LICENSE',
    'CHANGELOG.md',
    'src/runtime/README.md',
    'src/kysely/README.md',
    'docs/commands.md',
    'docs/operations.md',
    'docs/packages.md',
    'docs/postgres-backup.md',
  ])
    files.set(name, readFileSync(path.join(root, name), 'utf8'));
  for (const name of readdirSync(path.join(root, SCHEMAS)))
    files.set(`schemas/${name}`, readFileSync(path.join(root, SCHEMAS, name), 'utf8'));
  const scripts = readdirSync(path.join(root, SCRIPTS)).map((name) => `${SCRIPTS}/${name}`);
  const runtime = readdirSync(path.join(root, CLIENT)).map((name) => `${CLIENT}/${name}`);
  const texts = ['scripts/prove/report/page.css', 'scripts/new/example.yaml'];
  for (const name of [...texts, ...runtime, ...scripts, ...LAUNCHERS])
    files.set(`dist/${name}`, readFileSync(path.join(root, name), 'utf8'));
  for (const file of layoutFiles()) files.set(`dist/scripts/new/layout/${file}`, readLayout(file));
  const own = createManifest(manifest, files);
  files.set('package.json', `${JSON.stringify(own, null, 2)}\n`);
  const { devDependencies } = JSON.parse(readLayout('package.json')) as RootManifest;
  const packages = neededBy(Object.keys({ ...own.dependencies, ...devDependencies }), lockedPackages());
  files.set('dist/scripts/new/lock.json', `${JSON.stringify({ packages })}\n`);
  writeFiles(content, files);
  mkdirSync(path.join(content, SWAGGER_UI));
  for (const name of PAGE)
    copyFileSync(require.resolve(`#swagger-ui/${name}`), path.join(content, SWAGGER_UI, name));
  const create = path.join(FOLDER, CREATE);
  writeFiles(create, Object.entries(createFiles(own)));
  // npm is a script of the shell on Windows: none of its arguments may need quotes.
  const shell = process.platform === 'win32';
  const folders = [content, create].map((folder) => `./${path.relative(FOLDER, folder)}`);
  execFileSync('npm', ['pack', '--silent', ...folders], { cwd: FOLDER, shell });
  return path.join(FOLDER, `${NAME}-${manifest.version}.tgz`);
}

/** Writes texts by the paths of their files. */
function writeFiles(folder: string, files: Iterable<readonly [name: string, text: string]>): void {
  for (const [name, text] of files) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

if (require.main === module) console.log(path.relative(root, pack()));
