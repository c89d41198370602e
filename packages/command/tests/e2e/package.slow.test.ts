import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { layoutFiles } from '../../src/new/layout-files';
import { lockedPackages, neededBy, type Packages } from '../../../../scripts/pack/locked';
import { errorsIn } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { MAJOR, oldNode, pretend } from '../../../../scripts/testing/old-node';
import { installBeside, NAMES, tarballOf, unpack } from '../../../../scripts/testing/package';
import { PRODUCTION } from '../../../../scripts/testing/production';

// The content of the packages of `make pack`. upgrade.slow.test.ts has a service that uses them.

const ROOT = join(__dirname, '../../../..');
const COMMAND = 'contract-first';
const CREATE = 'create-contract-first';
const PACKAGES = [...NAMES, CREATE];

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly bundleDependencies?: readonly string[];
  readonly toolchain?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

const folder = keepFolder();
/** The files of each package, by their paths in it. */
const contents = new Map<string, ReadonlyMap<string, string>>();

beforeAll(() => {
  for (const name of PACKAGES) {
    const to = join(folder, 'unpacked', name);
    unpack(tarballOf(name), to);
    const files = readdirSync(to, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    contents.set(name, new Map(files.map((file) => [relative(to, file), readFileSync(file, 'utf8')])));
  }
});

const filesOf = (name: string) => contents.get(name) ?? new Map<string, string>();
const textOf = (name: string, file: string) => filesOf(name).get(file) ?? '';
const manifestOf = (name: string) => JSON.parse(textOf(name, 'package.json')) as Manifest;
const isOwn = (name: string) => (NAMES as readonly string[]).includes(name);
/** The packages that npm installs with one: its dependencies and the peers that it cannot do without. */
function installedWith(name: string): string[] {
  const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(name);
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  return [...Object.keys(dependencies), ...peers];
}
/** The entries that a program may import, which are not files. */
const entriesOf = (name: string) =>
  Object.keys(manifestOf(name).exports ?? {})
    .filter((entry) => !/\.json$|\*/.test(entry))
    .map((entry) => name + entry.slice(1));

/** What a package may have beside the code of dist/, of which each file has a source, and what every package has. */
const OTHERS: Readonly<Record<string, RegExp>> = {
  'contract-first-database': /^dist\/kysely\/(\w+\.mjs|index\.d\.mts)$/,
  'contract-first-server':
    /^(node-version\.(cjs|d\.cts)|dist\/runtime\/page\/browser\/\w+\.mjs|dist\/swagger-ui\/(LICENSE|NOTICE|favicon-32x32\.png|oauth2-redirect\.js|swagger-ui(\.css|-bundle\.js(\.LICENSE\.txt)?)))$/,
  'contract-first-prover': /^dist\/report\/page\.css$/,
  'contract-first':
    /^(bin\/contract-first\.cjs|CHANGELOG\.md|docs\/(changes-3\.0\.0|commands|operations|packages|postgres-backup)\.md|example\.yaml|lock\.json|schemas\/[\w-]+\.json|dist\/client\/runtime\/\w+\.ts)$/,
  'create-contract-first': /^create\.js$/,
};
const COMMON = /^(package\.json|README\.md|LICENSE)$/;
/** The bytes that a tarball may have. */
const BYTES: Readonly<Record<string, number>> = {
  'contract-first-database': 220_000,
  'contract-first-server': 1_600_000,
  'contract-first-prover': 570_000,
  'contract-first': 3_260_000,
  'create-contract-first': 1_000,
};

describe.each(PACKAGES)('%s', (name) => {
  const CARRIED = 'node_modules/';

  test('has what it should have, and nothing else', () => {
    expect(statSync(tarballOf(name)).size).toBeLessThan(BYTES[name] ?? 0);
    const names = [...filesOf(name).keys()].filter((file) => !file.startsWith(CARRIED));
    const sources = join(ROOT, 'packages', name.split('-')[2] ?? 'command', 'src');
    const hasSource = (file: string) => {
      const [, built, source] = /^(?:dist\/(.*)(?:\.js|\.d\.ts)(?:\.map)?|src\/(.*)\.ts)$/.exec(file) ?? [];
      const path = built ?? source;
      return path !== undefined && ts.sys.fileExists(join(sources, `${path}.ts`));
    };
    const isLayout = (file: string) =>
      name === COMMAND && layoutFiles().includes(file.replace(/^layout\//, ''));
    const isListed = (file: string) => COMMON.test(file) || (OTHERS[name]?.test(file) ?? false);
    expect(names.filter((file) => !isListed(file) && !hasSource(file) && !isLayout(file))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        ...(name === COMMAND ? layoutFiles().map((file) => `layout/${file}`) : []),
        ...(name === CREATE ? [] : ['LICENSE']),
      ]),
    );
  });

  test('names neither the service of this project nor this machine', () => {
    const texts = [...filesOf(name)].filter(([file]) => !file.includes('dist/swagger-ui/'));
    const isForeign = (text: string) => /plant/i.test(text) || text.includes(ROOT);
    expect(texts.filter(([file, text]) => isForeign(file + text)).map(([file]) => file)).toEqual([]);
  });

  test('has the map that each file names, and the source that each map names', () => {
    const own = [...filesOf(name)].filter(([file]) => !/^node_modules\/|dist\/swagger-ui\//.test(file));
    const named = own.flatMap(([file, text]) => {
      const [, map] = /^\/\/# sourceMappingURL=(.*)$/m.exec(text) ?? [];
      const sources = file.endsWith('.map') ? (JSON.parse(text) as { sources: string[] }).sources : [];
      return [...(map === undefined ? [] : [map]), ...sources].map((one) => join(dirname(file), one));
    });
    expect(named.filter((file) => !filesOf(name).has(file))).toEqual([]);
    // What ajv has generated has neither.
    const isCode = (file: string) => /^dist\/.*\.(js|d\.ts)$/.test(file) && !file.includes('/compiled/');
    const codes = own.map(([file]) => file).filter(isCode);
    expect(codes.filter((file) => !named.includes(`${file}.map`))).toEqual([]);
    expect(own.filter(([file]) => file.startsWith('src/')).map(([file]) => file)).toEqual(
      name === CREATE ? [] : (expect.arrayContaining([expect.stringMatching(/\.ts$/)]) as string[]),
    );
  });

  test('has what its pages link', () => {
    const pages = [...filesOf(name)].filter(([file]) => /^(docs\/)?[^/]+\.md$/.test(file));
    const links = pages.flatMap(([page, text]) =>
      [...text.matchAll(/\]\(([^):#]+)[^:)]*\)/g)].map(([, file = '']) => join(dirname(page), file)),
    );
    expect(links.filter((file) => !filesOf(name).has(file))).toEqual([]);
    if (name === COMMAND) expect(links).toContain('docs/operations.md');
  });

  test('imports its own files and the packages that it declares', () => {
    const { peerDependencies, toolchain } = manifestOf(name);
    const missing = [...filesOf(name)].flatMap(([file, text]) => {
      if (!/\.([cm]?js|d\.m?ts)$/.test(file) || /dist\/swagger-ui\/|^node_modules\//.test(file)) return [];
      const isTypes = /\.d\.m?ts$/.test(file);
      const declared = [
        ...installedWith(name),
        // Only these parts need those.
        ...(/^dist\/(kysely|mcp)\//.test(file) ? Object.keys(peerDependencies ?? {}) : []),
        ...Object.keys(toolchain ?? {}),
        // What a new service brings itself.
        ...(file.startsWith('layout/') ? Object.keys(layoutManifest().devDependencies) : []),
      ];
      const exists = (specifier: string) =>
        (isTypes ? ['.d.ts', '/index.d.ts', '.ts'] : ['', '.js', '/index.js']).some((ending) =>
          filesOf(name).has(join(dirname(file), specifier.replace(/\.js$/, isTypes ? '' : '.js')) + ending),
        );
      return importsOf(text)
        .filter((one) => {
          // The program asks for its sources where there are any.
          if (one.startsWith('.')) return !exists(one) && !file.startsWith('bin/');
          const [owner = ''] = /^(@[^/]+\/)?[^/]+/.exec(one) ?? [];
          return (
            !/^(node:|#)/.test(one) &&
            !builtinModules.includes(one) &&
            ![owner, ...(isTypes ? [`@types/${owner}`] : [])].some((each) => declared.includes(each))
          );
        })
        .map((one) => `${file}: ${one}`);
    });
    expect(missing).toEqual([]);
  });

  test('declares the versions with which it is tested', () => {
    const locked = lockedPackages(ROOT) as Readonly<Record<string, { readonly version: string }>>;
    const { version, dependencies, peerDependencies, ...others } = manifestOf(name);
    expect(others).not.toHaveProperty('scripts');
    expect(others).not.toHaveProperty('devDependencies');
    const exact = Object.entries({ ...dependencies, ...peerDependencies }).filter(([, one]) =>
      /^\d+\.\d+\.\d+$/.test(one),
    );
    expect(exact).toEqual(
      exact.map(([one]) => [one, isOwn(one) ? version : locked[`node_modules/${one}`]?.version]),
    );
  });
});

/** The modules that a file imports, or loads by `require` or `import()`. */
function importsOf(text: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const named =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : ts.isCallExpression(node) && /^(require|import|require\.resolve)$/.test(node.expression.getText())
            ? node.arguments[0]
            : undefined;
    if (named && ts.isStringLiteral(named)) names.push(named.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('', text, ts.ScriptTarget.Latest, true));
  return names;
}

const layoutManifest = () =>
  JSON.parse(textOf(COMMAND, 'layout/package.json')) as Record<
    'dependencies' | 'devDependencies',
    Readonly<Record<string, string>>
  >;

test('the command carries the other packages as they are packed', () => {
  const { bundleDependencies = [] } = manifestOf(COMMAND);
  expect([...bundleDependencies].sort()).toEqual(NAMES.filter((name) => name !== COMMAND));
  const carried = [...filesOf(COMMAND)].filter(([file]) => file.startsWith('node_modules/'));
  const packed = bundleDependencies.flatMap((name) =>
    [...filesOf(name)].map(([file, text]) => [`node_modules/${name}/${file}`, text] as const),
  );
  expect(carried.map(([file]) => file).sort()).toEqual(packed.map(([file]) => file).sort());
  expect(new Map(carried)).toEqual(new Map(packed));
});

test('the lock file of the command gives a service in production what it is allowed', () => {
  const { packages } = JSON.parse(textOf(COMMAND, 'lock.json')) as { packages: Packages };
  const own = Object.keys(layoutManifest().dependencies);
  expect(own.filter((name) => !isOwn(name))).toEqual([]);
  const others = own.flatMap(installedWith).filter((name) => !isOwn(name));
  const names = Object.keys(neededBy(others, packages)).map((path) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  // one-line.slow.test.ts installs and weighs them.
  expect([...new Set([...names, ...own])].sort()).toEqual(PRODUCTION);
  // It has the versions of all that a new service installs.
  const { devDependencies } = layoutManifest();
  const whole = [...Object.keys(devDependencies), ...own.flatMap(installedWith), ...installedWith(COMMAND)];
  expect(whole.filter((name) => !isOwn(name) && !(`node_modules/${name}` in packages))).toEqual([]);
});

describe('the command', () => {
  const program = join(folder, 'program/node_modules', COMMAND);
  beforeAll(() => {
    installAlone(join(folder, 'program'), COMMAND);
  });

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}, node: string[] = []) =>
    spawn(process.execPath, [...node, join(program, 'bin/contract-first.cjs'), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...env },
    });
  /** @param isRead whether somebody reads its output: `| head -1` goes away */
  async function ended(child: ReturnType<typeof start>, isRead = true) {
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
    if (!isRead) child.stdout.destroy();
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, ...printed };
  }
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

  test.each([
    [[], 0, /^ {2}generate {2}/m, /^$/],
    [['--help'], 0, /^ {2}mock {2}/m, /^$/],
    [['generate', '--help'], 0, /^ {2}--check {2}/m, /^$/],
    [['help', 'generate'], 0, /^ {2}--check {2}/m, /^$/],
    [['--version'], 0, new RegExp(`^${version.replaceAll('.', '\\.')}\n$`), /^$/],
    [['genrate'], 2, /^$/, /^contract-first: unknown command "genrate"; did you mean generate\?\n.*\n$/],
    [['nothing'], 2, /^$/, /^contract-first: unknown command "nothing"\n.*\n$/],
    [['--verbose'], 2, /^$/, /^contract-first: unknown command "--verbose".*\n.*\n$/],
    [
      ['check', '--json'],
      2,
      /^\{\n {2}"error": ".* is not the folder of a service: /,
      / is not the folder of a service: /,
    ],
  ])('%j ends with %i', async (args, status, stdout, stderr) => {
    const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;
    const expected = { status, stdout: matching(stdout), stderr: matching(stderr) };
    expect(await ended(start(args))).toEqual(expected);
  });

  test('tells an old Node, which cannot read the rest of it, the one that it needs', async () => {
    const asked = ['new', 'my museum.yaml'];
    const env = { npm_config_package: 'node@20\n\n./package.tgz' };
    const line = `npx -y -p node@${MAJOR} -p ./package.tgz contract-first new "my museum.yaml"`;
    expect(await ended(start(asked, env, ['--import', pretend('18.20.8')]))).toEqual({
      status: 2,
      stdout: '',
      stderr: oldNode('18.20.8', line),
    });
    for (const [name, file] of [
      [COMMAND, 'bin/contract-first.cjs'],
      ['contract-first-server', 'node-version.cjs'],
      [CREATE, 'create.js'],
    ] as const) {
      const code = textOf(name, file).replace(/'[^']*'|\/\/.*/g, '0');
      expect(code).not.toBe('');
      expect(code).not.toMatch(/\b(?:const|let|import|class|async)\b|=>|`|\?\.|\?\?|,\s*\)/);
    }
  });

  test('is in color on a terminal, or if FORCE_COLOR asks for it, unless NO_COLOR does not', async () => {
    const isColored = async (env: Readonly<Record<string, string>>) =>
      (await ended(start(['check', '--help'], env))).stdout.includes('\u001b[');
    expect(await isColored({})).toBe(false);
    expect(await isColored({ FORCE_COLOR: '1' })).toBe(true);
    expect(await isColored({ NO_COLOR: '1' })).toBe(false);
  });

  test('works on after its reader has gone', async () => {
    for (const [args, status] of [
      [['--help'], 0],
      [['contract', '--help'], 0],
      [['check'], 2],
    ] as const)
      expect(await ended(start(args), false)).toMatchObject({
        status,
        stderr: expect.not.stringMatching(/EPIPE|\n\s+at /) as string,
      });
  });

  test('is what `npm create` runs', () => {
    const create = join(folder, 'program/node_modules', CREATE);
    unpack(tarballOf(CREATE), create);
    const run = spawnSync(process.execPath, [join(create, 'create.js'), '--help'], { encoding: 'utf8' });
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(run.stdout).toContain('contract-first new');
  });
});

/**
 * Installs a package in an empty folder with what npm installs with it. As pnpm does it, each package finds what it declares
 * and nothing else.
 *
 * @param more optional peers
 */
function installAlone(to: string, name: string, more: readonly string[] = []): void {
  const modules = join(to, 'node_modules');
  if (ts.sys.directoryExists(join(modules, name))) return;
  unpack(tarballOf(name), join(modules, name));
  const carried = manifestOf(name).bundleDependencies ?? [];
  for (const one of [...installedWith(name), ...more]) {
    if (carried.includes(one)) continue;
    if (isOwn(one)) {
      installAlone(to, one);
      continue;
    }
    const link = join(modules, name, 'node_modules', one);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', one), link);
  }
}

describe.each(NAMES)('a program that has nothing but %s and what that declares', (name) => {
  const consumer = join(folder, 'consumers', name);
  let entries: readonly string[] = [];
  beforeAll(() => {
    const optional = Object.keys(manifestOf(name).peerDependenciesMeta ?? {});
    installAlone(consumer, name, optional);
    entries = entriesOf(name);
    const text = entries.map((entry, i) => `export type Entry${i} = typeof import('${entry}');\n`).join('');
    for (const ending of ['cts', 'mts', 'ts']) writeFileSync(join(consumer, `all.${ending}`), text);
    writeFileSync(join(consumer, 'package.json'), '{}');
  });

  test.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
    ['commonjs', 'node10'],
  ])('compiles under module %s and moduleResolution %s, all declarations checked', (module, resolution) => {
    const compilerOptions = {
      target: 'es2024',
      module,
      moduleResolution: resolution,
      types: [],
      strict: true,
    };
    // Some packages of others have no declarations for it.
    const isOld = resolution === 'node10';
    const include = isOld ? ['all.ts'] : ['*'];
    const isChecked = (file: string) => !isOld || !/\/node_modules\/(?!contract-first)/.test(file);
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    expect(errorsIn(consumer, { noEmit: true, skipLibCheck: false }, isChecked)).toBe('');
  });

  test('loads every entry', () => {
    expect(entries).not.toEqual([]);
    const required = entries.map((entry) => `require('${entry}');`).join('');
    const imported = entries.map((entry) => `await import('${entry}');`).join('');
    for (const [type, code] of [
      ['commonjs', required],
      ['module', imported],
    ]) {
      const args = [`--input-type=${type}`, '-e', code ?? ''];
      const run = spawnSync(process.execPath, args, { cwd: consumer, encoding: 'utf8' });
      expect(run).toMatchObject({ stdout: '', stderr: '', status: 0 });
    }
  });
});

/** What a service may write: each marked line is refused by the types. */
const CONSUMER = `
import { createTable, IDENTITY, openDatabase, sql, table, TEXT, type Schema } from 'contract-first-database';
import { kysely } from 'contract-first-database/kysely';

const books = table('books', { id: IDENTITY, title: TEXT });
const SCHEMA: Schema = {
  name: 'books',
  mark: 'Book',
  migrations: [['books', createTable(books)]],
  probe: sql\`INSERT INTO books (title) SELECT title FROM books WHERE 1 = 0\`,
};

async function main(): Promise<void> {
  const database = await openDatabase('memory:', SCHEMA);
  const db = kysely(database, { books });
  const { id } = await db.insertInto('books').values({ title: 'Emma' }).returning('id').executeTakeFirstOrThrow();
  const titles: string[] = await database.transaction(async (queries) => {
    const found = await kysely(queries, { books }).selectFrom('books').select('title').where('id', '=', id).execute();
    return found.map(({ title }) => title);
  });
  console.log(id, titles);
  await database.close();
  // @ts-expect-error no such column
  db.selectFrom('books').select('name');
  // @ts-expect-error no such type
  db.insertInto('books').values({ title: 1n });
  // @ts-expect-error no such table
  db.selectFrom('book');
  // @ts-expect-error it is no database
  kysely<object>({ ready: () => Promise.resolve() });
}
void main();
`;

describe('Kysely in a service', () => {
  const service = join(folder, 'service');
  beforeAll(() => {
    mkdirSync(join(service, 'src'), { recursive: true });
    installBeside(service);
    writeFileSync(join(service, 'src/main.ts'), CONSUMER);
    const compilerOptions = {
      target: 'es2024',
      module: 'node16',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
    };
    writeFileSync(join(service, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  });

  test.each([
    ['kysely', 'commonjs'],
    ['kysely-0.29', 'module'],
  ])('%s: its types and its queries work in a program of type %s', (version, type) => {
    rmSync(join(service, 'node_modules/kysely'));
    symlinkSync(join(ROOT, 'node_modules', version), join(service, 'node_modules/kysely'));
    writeFileSync(join(service, 'package.json'), JSON.stringify({ type }));
    const isOurs = (file: string) => !/\/node_modules\/(?!contract-first-database\/)/.test(file);
    expect(errorsIn(service, { noEmit: true, skipLibCheck: false }, isOurs)).toBe('');
    const run = spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      cwd: service,
      encoding: 'utf8',
    });
    expect(run).toMatchObject({ stdout: "1n [ 'Emma' ]\n", stderr: '', status: 0 });
  });
});
