import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { layoutFiles } from '../../scripts/new/layout-files';
import { keepFolder } from '../support/folder';
import { TARBALL, unpack } from '../support/package';

// The content of the package of `make pack`. upgrade.test.ts has a service that uses it.

const ROOT = join(__dirname, '../..');

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

test('the package is smaller than 1 MB, and names neither the service of this project nor this machine', () => {
  expect(statSync(TARBALL).size).toBeLessThan(1_000_000);
  const texts = [...files];
  expect(texts.filter(([name, text]) => /plant/i.test(name + text)).map(([name]) => name)).toEqual([]);
  expect(texts.filter(([, text]) => text.includes('sourceMappingURL') || text.includes(ROOT))).toEqual([]);
  const layout = layoutFiles().map((file) => `dist/scripts/new/layout/${file}`);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json', ...layout]),
  );
});

test('each import is of a file of the package, or of a package that it declares', () => {
  const { dependencies, toolchain } = JSON.parse(files.get('package.json') ?? '') as {
    dependencies: Record<string, string>;
    toolchain: Record<string, string>;
  };
  const missing = [...files].flatMap(([file, text]) => {
    if (!/\.(js|d\.ts)$/.test(file)) return [];
    const isTypes = file.endsWith('.d.ts');
    const declared = { ...dependencies, ...(/^dist\/src\/.*\.js$/.test(file) ? {} : toolchain) };
    const exists = (specifier: string) =>
      (isTypes ? ['.d.ts', '/index.d.ts'] : ['', '.js', '/index.js']).some((ending) =>
        files.has(join(dirname(file), specifier.replace(/\.js$/, isTypes ? '' : '.js')) + ending),
      );
    return importsOf(text)
      .filter((name) => {
        if (name.startsWith('.')) return !exists(name);
        const [owner = ''] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [];
        return !name.startsWith('node:') && !builtinModules.includes(name) && !(owner in declared);
      })
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('the command lists its commands, and refuses others', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(folder, 'dist/scripts/cli.js'), ...args], { encoding: 'utf8' });
  expect(run()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^ {2}generate {2}/m) as string,
    stderr: '',
  });
  expect(run('nothing').status).toBe(1);
});
