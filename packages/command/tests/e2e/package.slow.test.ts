import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { layoutFiles } from '../../src/new/layout-files';
import { neededBy, type Packages } from '../../../../scripts/pack/locked';
import { errorsIn } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { MAJOR, oldNode, pretend } from '../../../../scripts/testing/old-node';
import { installBeside, TARBALL, unpack } from '../../../../scripts/testing/package';
import { PRODUCTION } from '../../../../scripts/testing/production';

// The content of the package of `make pack`. upgrade.slow.test.ts has a service that uses it.

const ROOT = join(__dirname, '../../../..');

const folder = keepFolder();
/** The files of the package, by their paths in it. */
let files: ReadonlyMap<string, string>;

beforeAll(() => {
  unpack(TARBALL, folder);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  files = new Map(names.map((name) => [relative(folder, name), readFileSync(name, 'utf8')]));
});

const MANIFEST = () =>
  JSON.parse(files.get('package.json') ?? '') as Record<
    'dependencies' | 'peerDependencies' | 'toolchain',
    Record<string, string>
  >;

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

test('the package is smaller than 2 MB, and names neither the service of this project nor this machine', () => {
  expect(statSync(TARBALL).size).toBeLessThan(2_000_000);
  const texts = [...files].filter(([name]) => !name.startsWith('dist/swagger-ui/'));
  expect(texts.filter(([name, text]) => /plant/i.test(name + text)).map(([name]) => name)).toEqual([]);
  expect(texts.filter(([, text]) => text.includes('sourceMappingURL') || text.includes(ROOT))).toEqual([]);
  const layout = layoutFiles().map((file) => `dist/scripts/new/layout/${file}`);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json', ...layout]),
  );
});

test('what its README links is in the package', () => {
  const links = [...(files.get('README.md') ?? '').matchAll(/\]\(([^):#]+)[^:)]*\)/g)].map(
    ([, file]) => file,
  );
  expect(links).toContain('packages/server/src/runtime/README.md');
  expect(links.filter((file) => !files.has(file ?? ''))).toEqual([]);
});

const LAYOUT = 'dist/scripts/new/layout/';
interface Layout {
  readonly devDependencies: Readonly<Record<string, string>>;
}

test('each import is of a file of the package, or of a package that it declares', () => {
  const { dependencies, peerDependencies, toolchain } = MANIFEST();
  const missing = [...files].flatMap(([file, text]) => {
    if (!/\.(m?js|d\.m?ts)$/.test(file) || file.startsWith('dist/swagger-ui/')) return [];
    const isTypes = /\.d\.m?ts$/.test(file);
    // What a new service brings itself.
    const own = file.startsWith(LAYOUT)
      ? (JSON.parse(files.get(`${LAYOUT}package.json`) ?? '') as Layout)
      : undefined;
    // Only one entry needs them.
    const optional = file.startsWith('dist/src/kysely/') ? peerDependencies : {};
    const declared = {
      ...dependencies,
      ...optional,
      ...own?.devDependencies,
      ...(/^dist\/src\/|\.d\.m?ts$/.test(file) ? {} : toolchain),
    };
    const exists = (specifier: string) =>
      (isTypes ? ['.d.ts', '/index.d.ts'] : ['', '.js', '/index.js']).some((ending) =>
        files.has(join(dirname(file), specifier.replace(/\.js$/, isTypes ? '' : '.js')) + ending),
      );
    return importsOf(text)
      .filter((name) => {
        if (name.startsWith('.')) return !exists(name);
        const [owner = ''] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [];
        return !/^(node:|#)/.test(name) && !builtinModules.includes(name) && !(owner in declared);
      })
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('the lock file of the package gives a service in production what it is allowed', () => {
  const { packages } = JSON.parse(files.get('dist/scripts/new/lock.json') ?? '') as { packages: Packages };
  const installed = Object.keys(neededBy(Object.keys(MANIFEST().dependencies), packages));
  const names = installed.map((path) =>
    path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  // one-line.slow.test.ts installs and weighs them.
  expect([...new Set([...names, 'contract-first-server'])].sort()).toEqual(PRODUCTION);
});

describe('the command', () => {
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}, node: string[] = []) =>
    spawn(process.execPath, [...node, join(folder, 'dist/scripts/contract-first.cjs'), ...args], {
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
    for (const name of ['contract-first', 'node-version']) {
      const code = (files.get(`dist/scripts/${name}.cjs`) ?? '').replace(/'[^']*'|\/\/.*/g, '0');
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
});

describe('a program that has nothing but the package and its dependencies', () => {
  const consumer = join(folder, 'consumer');
  const modules = join(consumer, 'node_modules/contract-first-server');
  const entries = ['', '/database', '/runtime', '/testing'].map((entry) => `contract-first-server${entry}`);
  beforeAll(() => {
    unpack(TARBALL, modules);
    // As pnpm does: nobody else sees the dependencies.
    for (const name of Object.keys(MANIFEST().dependencies)) {
      const link = join(modules, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), link);
    }
    const text = entries.map((name, i) => `export * as entry${i} from '${name}';\n`).join('');
    for (const ending of ['cts', 'mts']) writeFileSync(join(consumer, `all.${ending}`), text);
    writeFileSync(join(consumer, 'package.json'), '{}');
  });

  test.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ])('compiles under module %s and moduleResolution %s, all declarations checked', (module, resolution) => {
    const compilerOptions = {
      target: 'es2024',
      module,
      moduleResolution: resolution,
      types: [],
      strict: true,
    };
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
    expect(errorsIn(consumer, { noEmit: true, skipLibCheck: false }, () => true)).toBe('');
  });

  test('loads every entry', () => {
    const code = entries.map((name) => `require('${name}');`).join('');
    const run = spawnSync(process.execPath, ['-e', code], { cwd: consumer, encoding: 'utf8' });
    expect(run).toMatchObject({ stderr: '', status: 0 });
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
    const isOurs = (file: string) => !/\/node_modules\/(?!contract-first-server\/)/.test(file);
    expect(errorsIn(service, { noEmit: true, skipLibCheck: false }, isOurs)).toBe('');
    const run = spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      cwd: service,
      encoding: 'utf8',
    });
    expect(run).toMatchObject({ stdout: "1n [ 'Emma' ]\n", stderr: '', status: 0 });
  });
});
