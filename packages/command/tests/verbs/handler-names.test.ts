import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runInNewContext, Script } from 'node:vm';
import ts from 'typescript';
import { HandlerList, unquoted } from '../../src/generate/handler-list';
import { handlerName, isIdentifier, quoted } from '../../src/generate/handler-names';
import { keepFolder } from '../../../../scripts/testing/folder';
import { KEYWORDS } from '../support/keywords';

const folder = keepFolder();

const GLOBALS = Object.getOwnPropertyNames(globalThis);
const MEMBERS = Object.getOwnPropertyNames(Object.prototype);
const MODULE = 'arguments eval exports module require __filename __dirname __esModule then'.split(' ');
const IMPORTED =
  'stub types index dependencies createHandlers CreateHandler Handlers PlantStore import from type'.split(
    ' ',
  );
const DEVICES = 'con PRN aux nul com1 COM0 lpt9 CONIN$ con.get'.split(' ');
const SAME = 'getFoo get-foo get.foo GetFoo GETFOO getfoo get_foo getFoo2 get-foo-2 ǵetFoo'.split(' ');
const LINES = ['', ' ', '\n', 'a\nb', 'a\r\nb', '\u2028', '\ufeff', 'get foo', "a', evil: '"];
const LONG = ['x'.repeat(500), 'é'.repeat(500), '😀x'.repeat(200)];
const ODD =
  "a'b a\"b a\\ a\\'b */ ${a} ` 😀 👨‍👩‍👧 \ud800 créer cre\u0301er 読む 1st 42 - _ $ / ../../up a/b .hidden \\u0041 a\u200db constructor.prototype".split(
    ' ',
  );
const ALL = [
  ...new Set([KEYWORDS, GLOBALS, MEMBERS, MODULE, IMPORTED, DEVICES, SAME, LINES, LONG, ODD].flat()),
];

const INDEX = readFileSync(join(__dirname, '../../../../src/handlers/index.ts'), 'utf8');

/** The list after each operation was added, and the names of each. */
function listed(operationIds: readonly string[]) {
  const list = new HandlerList(INDEX);
  const names = operationIds.map((operationId) => {
    const name = list.nameFor(operationId);
    expect({ operationId, added: list.add(operationId, name) }).toEqual({ operationId, added: true });
    return { operationId, ...name };
  });
  return { list, names };
}

const NEW = ALL.filter((id) => id !== 'createPlant');

it('every operationId has an entry of its own, and is found by it', () => {
  const { list, names } = listed(NEW);
  expect(list.names()).toEqual(['createPlant', ...NEW]);
  for (const { operationId, file, identifier } of names) {
    expect(list.has(operationId)).toBe(true);
    expect([operationId, list.identifierOf(operationId), list.fileOf(operationId)]).toEqual([
      operationId,
      identifier,
      `src/handlers/${file}.ts`,
    ]);
  }
});

it('the names differ, also on file systems that ignore case, and no file has a name that a system refuses', () => {
  const { names } = listed(NEW);
  const files = names.map(({ file }) => file.normalize('NFC').toLowerCase());
  expect(new Set(files).size).toBe(files.length);
  expect(new Set(names.map(({ identifier }) => identifier)).size).toBe(names.length);
  for (const { file } of names) {
    expect(file).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}-]*$/u);
    expect(Buffer.byteLength(`${file}.ts`)).toBeLessThan(256);
    expect(file).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d|index|types|create-plant)$/i);
  }
});

it('every name can be exported and imported, and every operationId is the key of its handler', () => {
  const { list, names } = listed(NEW);
  const parts = names.map(
    ({ operationId, identifier }) =>
      `import { stub } from 'x';\nimport type { CreateHandler } from './types';\nexport const ${identifier}: CreateHandler = async () => stub(${quoted(operationId)});\n`,
  );
  const options = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    strict: true,
    types: [],
    noResolve: true,
  };
  for (const [i, text] of parts.entries()) writeFileSync(join(folder, `${names[i]?.file}.ts`), text);
  const program = ts.createProgram(
    readdirSync(folder).map((name) => join(folder, name)),
    { ...options, noLib: true },
  );
  const syntax = program
    .getSourceFiles()
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
  const reserved = syntax.filter(
    ({ code }) => ![2307, 2304, 2552, 2705, 2318, 2697, 1055, 2583, 2468].includes(code),
  );
  expect(reserved.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);

  const modules: Record<string, object> = { './create-plant': { createPlant: () => 'createPlant' } };
  // All at once: to transpile each alone takes ten times as long.
  const emitted = new Map<string, string>();
  program.emit(undefined, (file, text) => emitted.set(basename(file, '.js'), text));
  for (const { file } of names)
    modules[`./${file}`] = run(emitted.get(file) ?? '', () => ({ stub: (id: string) => id }));
  const index = ts.transpileModule(list.text, { compilerOptions: options }).outputText;
  const { createHandlers } = run(index, (name) => modules[name] ?? {}) as {
    createHandlers: () => Record<string, Promise<string>>;
  };
  const handlers = createHandlers();
  return Promise.all(
    NEW.map(async (operationId) => {
      expect(Object.hasOwn(handlers, operationId)).toBe(true);
      expect(await handlers[operationId]).toBe(operationId);
    }),
  );

  function run(code: string, load: (name: string) => object): object {
    const exported = {};
    // As Node wraps a module.
    const wrapped = runInNewContext(
      `(function (exports, require, module, __filename, __dirname) {${code}\n})`,
    ) as (...args: unknown[]) => void;
    wrapped(exported, load, { exports: exported }, '', '');
    return exported;
  }
});

it.each(ALL)('a text is the same in code: %j', (text) => {
  expect(quoted(text)).not.toMatch(/[\n\r\u2028\u2029]/);
  expect(unquoted(quoted(text).slice(1, -1))).toBe(text);
  expect(runInNewContext(quoted(text))).toBe(text);
});

it('a keyword is an identifier where Node reads it as one in the async functions of a module', () => {
  const isVariable = (word: string) => {
    try {
      return new Script(`'use strict'; async () => { var ${word} }`) instanceof Script;
    } catch {
      return false;
    }
  };
  const words = ['arguments', 'eval', ...KEYWORDS];
  expect(words.filter(isIdentifier)).toEqual(words.filter(isVariable));
});

it('a name stays as it is where it can', () => {
  expect([
    handlerName('getFoo'),
    handlerName('get-foo-by-id'),
    handlerName('delete'),
    handlerName('2fa'),
  ]).toEqual([
    { identifier: 'getFoo', file: 'get-foo' },
    { identifier: 'getFooById', file: 'get-foo-by-id' },
    { identifier: '_delete', file: 'delete' },
    { identifier: '_2fa', file: '2fa' },
  ]);
});
