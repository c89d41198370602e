/**
 * `make pack`: builds the tarballs of the packages and of `npm create contract-first`, as .cache/pack/NAME-VERSION.tgz, and
 * prints their folder. It does not check types: `make check` does.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { layoutFiles } from '../../packages/command/src/new/layout-files';
import { CREATE, createFiles } from './create';
import { esModules } from './esm';
import { lockedPackages, neededBy } from './locked';
import { type Manifest, packedManifest } from './manifest';
import { linksTo, repositoryAddress } from './repository';

const ROOT = path.join(__dirname, '../..');
/** The folder of the tarballs, and of the content of each in a folder with the name of its package. */
export const FOLDER = path.join(ROOT, '.cache/pack');

/** The packages, by their folders in packages/, each after those that it imports. */
const PACKAGES = ['database', 'server', 'prover', 'command'];
/** It carries the others, because none of them is in the registry yet. */
const COMMAND = 'contract-first';

/** The files of Swagger UI that the documentation page needs. The whole package has 10 MB, and a script that reports each installation. */
const SWAGGER_UI = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'favicon-32x32.png',
  'oauth2-redirect.js',
  'LICENSE',
  'NOTICE',
];

/** The pages to which the command refers. */
const DOCS = ['changes-3.0.0', 'commands', 'operations', 'packages', 'postgres-backup'];

const read = (...file: string[]): string => readFileSync(path.join(...file), 'utf8');
const readManifest = (folder: string): Manifest => JSON.parse(read(folder, 'package.json')) as Manifest;

/** The files below a folder, by their paths with slashes. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));

function write(folder: string, name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}

/**
 * Writes the content of a package. Of dist/ it takes what has a source: the compiler leaves behind what it wrote for a file
 * that is gone.
 */
function stage(name: string, address: string | undefined): string {
  const from = path.join(ROOT, 'packages', name);
  const manifest = readManifest(from);
  const to = path.join(FOLDER, manifest.name);
  for (const file of filesIn(path.join(from, 'src')).filter((one) => !/\.(md|d\.ts)$/.test(one))) {
    const isText = !file.endsWith('.ts');
    // The command runs a part of the runtime of clients, and writes all of it into them.
    if (isText || file.startsWith('client/runtime/')) write(to, `dist/${file}`, read(from, 'src', file));
    if (isText) continue;
    const built = path.join('dist', file.replace(/\.ts$/, ''));
    // Nobody reads what ajv has generated, and its maps are as large as all others.
    const isGenerated = path.dirname(file).endsWith('compiled');
    for (const ending of ['.js', '.d.ts']) {
      const text = read(from, built + ending);
      write(to, built + ending, isGenerated ? text.replace(/^\/\/# sourceMappingURL=.*\n?/m, '') : text);
      if (!isGenerated) write(to, `${built}${ending}.map`, read(from, `${built}${ending}.map`));
    }
    if (!isGenerated) write(to, `src/${file}`, read(from, 'src', file));
  }
  for (const own of manifest.files.filter((one) =>
    ['bin', 'schemas', 'example.yaml', 'node-version.cjs', 'node-version.d.cts'].includes(one),
  ))
    cpSync(path.join(from, own), path.join(to, own), { recursive: true });
  cpSync(path.join(ROOT, 'LICENSE'), path.join(to, 'LICENSE'));
  if (name === 'database')
    for (const [file, text] of esModules(path.join(from, 'src/kysely')))
      write(to, `dist/kysely/${file}`, text);
  if (name === 'server')
    for (const file of SWAGGER_UI)
      cpSync(path.join(ROOT, 'node_modules/swagger-ui-dist', file), path.join(to, 'dist/swagger-ui', file));
  copyPage(path.join(from, 'README.md'), to, 'README.md');
  const packed = { ...packedManifest(manifest), ...linksTo(address, `packages/${name}`) };
  write(to, 'package.json', `${JSON.stringify(packed, null, 2)}\n`);
  return manifest.name;
}

/** Copies a page. Of its links to files that are not in the package only the words remain. */
function copyPage(from: string, folder: string, file: string): void {
  const text = read(from).replace(/\[([^\]]+)\]\(([^):#]+)[^):]*\)/g, (link, words: string, to: string) =>
    existsSync(path.join(folder, path.dirname(file), to)) ? link : words,
  );
  write(folder, file, text);
}

/**
 * Completes the command: with what a new service gets from the layout and the versions that it begins with, with the other
 * packages, and with the pages to which it refers.
 */
function complete(others: readonly string[]): void {
  const folder = path.join(FOLDER, COMMAND);
  for (const file of layoutFiles())
    cpSync(path.join(ROOT, 'packages/command/layout', file), path.join(folder, 'layout', file));
  const manifests = others.map((name) => readManifest(path.join(FOLDER, name)));
  const own = readManifest(folder);
  const dependencies = Object.assign(
    {},
    ...manifests.map((one) => one.dependencies),
    own.dependencies,
  ) as object;
  // Some package managers install no dependencies of the packages that another one carries.
  const whole = { ...own, dependencies, bundleDependencies: others };
  write(folder, 'package.json', `${JSON.stringify(whole, null, 2)}\n`);
  for (const name of others)
    cpSync(path.join(FOLDER, name), path.join(folder, 'node_modules', name), { recursive: true });
  const pages = [...DOCS.map((name) => `docs/${name}.md`), 'CHANGELOG.md'];
  for (const page of pages) cpSync(path.join(ROOT, page), path.join(folder, page));
  for (const page of pages) copyPage(path.join(ROOT, page), folder, page);
  const { devDependencies } = readManifest(path.join(folder, 'layout'));
  const packages = neededBy(Object.keys({ ...dependencies, ...devDependencies }), lockedPackages(ROOT));
  write(folder, 'lock.json', `${JSON.stringify({ packages })}\n`);
}

/** Builds the tarballs. Returns their folder. */
export function pack(): string {
  execFileSync(
    process.execPath,
    [path.join(ROOT, 'node_modules/typescript-7/bin/tsc'), '-b', 'packages/command/tsconfig.build.json'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  rmSync(FOLDER, { recursive: true, force: true });
  const address = repositoryAddress(process.env, ROOT);
  if (address === undefined)
    console.error(
      'no address of this repository is known: the packages have no repository, homepage and bugs',
    );
  const names = PACKAGES.map((name) => stage(name, address));
  complete(names.filter((name) => name !== COMMAND));
  const { version, license, engines } = readManifest(path.join(FOLDER, COMMAND));
  const links = linksTo(address, 'scripts/pack');
  for (const [file, text] of Object.entries(createFiles({ version, license, engines }, links)))
    write(path.join(FOLDER, CREATE), file, text);
  // npm is a script of the shell on Windows: none of its arguments may need quotes.
  execFileSync('npm', ['pack', '--silent', ...[...names, CREATE].map((name) => `./${name}`)], {
    cwd: FOLDER,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return FOLDER;
}

if (require.main === module) console.log(path.relative(ROOT, pack()));
