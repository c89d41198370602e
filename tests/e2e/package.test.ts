import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { version } from '../../package.json';
import { startProcess } from '../support/process';

// The package of `make pack`, in a small service that has it in node_modules/ beside the packages of this project.

jest.setTimeout(120_000);

const ROOT = join(__dirname, '../..');
const TARBALL = join(ROOT, `.cache/pack/contract-first-server-${version}.tgz`);

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "notes", "version": "1.0.0", "private": true }',
  'tsconfig.json': JSON.stringify({
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      incremental: false,
      types: ['node'],
      skipLibCheck: false,
      noUnusedLocals: true,
      noUnusedParameters: true,
      rootDir: 'src',
      outDir: 'dist',
    },
    include: ['src'],
  }),
  'src/auth.ts': `import { bearerTokens, type PrincipalsOf, type VerifiersFor } from 'contract-first-server/operational';
import type { security } from '../generated/openapi';

export const verifiers = {
  bearerAuth: bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' }),
} satisfies VerifiersFor<security>;
export type Principals = PrincipalsOf<typeof verifiers>;
`,
  'src/handlers/types.ts': `import type { Handlers as HandlersOf } from 'contract-first-server';
import type { operations, security } from '../../generated/openapi';
import type { Principals } from '../auth';

export type Handlers = HandlersOf<operations, security, Principals>;
export type CreateHandler<Id extends keyof Handlers> = () => Handlers[Id];
`,
  'src/handlers/index.ts': `import type { Handlers } from './types';

export const createHandlers = (): Handlers => ({});
`,
  'src/extensions.ts': `import type { Extensions } from 'contract-first-server';

export const extensions: Extensions = { formats: { topic: (text) => text !== '' } };
`,
  'src/main.ts': `import path from 'node:path';
import * as testing from 'contract-first-server/testing';
import type { StoreObserver } from 'contract-first-server/database';
import * as running from 'contract-first-server/operational';
import { verifiers } from './auth';
import { extensions } from './extensions';
import { createHandlers } from './handlers';

const { PLAIN_ERRORS: errors } = running;
const openStore = (_: unknown, observer: StoreObserver) => {
  observer.waiting(0);
  return Promise.resolve({ ready: () => Promise.resolve(), close: () => Promise.resolve() });
};
if (typeof testing.run !== 'function') throw new Error('expected the engine');
running.runService({
  readConfig: () =>
    running.readEnvironment(process.env, (variables) => ({
      ...running.readServerConfig(variables),
      credentials: running.readCredentials(verifiers, variables),
    })),
  document: path.join(__dirname, '../generated/openapi.json'),
  errors,
  openStore,
  createApp: (_store, surroundings) =>
    running.createApp({ handlers: createHandlers(), errors, ...extensions }, surroundings),
});
`,
};

let service: string;
let unpacked: string;
/** The files of the package, by their paths in it. */
let files: ReadonlyMap<string, string>;

beforeAll(() => {
  if (!existsSync(TARBALL)) throw new Error(`expected ${relative(ROOT, TARBALL)}: run \`make pack\``);
  service = mkdtempSync(join(tmpdir(), 'contract-first-'));
  const modules = join(service, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  unpacked = join(modules, 'contract-first-server');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', TARBALL, '-C', unpacked, '--strip-components=1']);
  const names = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  files = new Map(names.map((name) => [relative(unpacked, name), readFileSync(name, 'utf8')]));
});
afterAll(() => {
  rmSync(service, { recursive: true });
});

const program = (...args: readonly string[]) => {
  const command = join(unpacked, 'dist/scripts/cli.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: service,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
};

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
  expect([...files.keys()]).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']));
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
  expect(program()).toEqual({ status: 0, output: expect.stringMatching(/^ {2}generate {2}/m) as string });
  expect(program('nothing').status).toBe(1);
});

test('a service generates, compiles under the strictest flags, and answers', async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(service, name)), { recursive: true });
    writeFileSync(join(service, name), text);
  }
  cpSync(join(__dirname, '../support/fixture/openapi'), join(service, 'openapi'), { recursive: true });
  mkdirSync(join(service, 'generated'));
  expect(program('generate')).toMatchObject({ status: 0 });
  expect(program('generate', '--check')).toEqual({ status: 0, output: '' });
  expect(readFileSync(join(service, 'src/handlers/create-note.ts'), 'utf8')).toContain(
    `from 'contract-first-server'`,
  );
  const compiled = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), { cwd: service, encoding: 'utf8' });
  expect(compiled.stdout).toBe('');

  const server = startProcess(['dist/main.js'], { PORT: '0', API_TOKENS: 'token' }, service);
  const [address] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const response = await fetch(`${address}/notes`, {
    method: 'POST',
    headers: { Authorization: 'Bearer token', 'Content-Type': 'application/json' },
    body: '{"id": 1, "text": "Water the fern"}',
  });
  expect([response.status, response.headers.get('x-stub')]).toEqual([200, 'createNote']);
  expect(await server.stop()).toBe(0);
});
