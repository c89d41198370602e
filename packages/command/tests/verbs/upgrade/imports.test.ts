import { join } from 'node:path';
import ts from 'typescript';
import { movedEntry, namesOf } from '../../../src/upgrade/entries';
import { rewriteImports } from '../../../src/upgrade/imports';
import names from './names-of-2.0.0.json';

// What each entry of 2.0.0 exported, its types too: of the version as it was tagged, and of the last commit that had the number.

/** What no entry has any more. */
const GONE = ['AcceptedSecrets', 'Concerned', 'Source', 'main', 'parseSecrets'];
/** The names that are others now. */
const RENAMED: Readonly<Record<string, string>> = {
  Surroundings: 'RuntimeOptions',
  Fate: 'Support',
  REFUSED: 'SHORT_MESSAGE',
  refusalActions: 'responseActions',
  refusalOf: 'errorResponseOf',
  undocumentedRefusals: 'undocumentedResponses',
};
const nowOf = (name: string) => RENAMED[name] ?? name;

/** The `createApp` of 2.0.0 only warned. */
const isUnexpected = ({ what }: { readonly what: string }) => !what.startsWith('this server starts only if');

const rewrite = (text: string, file = 'a.ts') => rewriteImports(ts, file, text);

/** The imports of a text: its module, and the names it asks of it. */
function importsIn(text: string): { from: string; name: string }[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  expect(
    ts.transpileModule(text, { reportDiagnostics: true }).diagnostics?.map((one) => one.messageText),
  ).toEqual([]);
  const found: { from: string; name: string }[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const literal = (inner: ts.Node | undefined) => (inner && ts.isStringLiteral(inner) ? inner.text : '');
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const list = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      const from = literal(node.moduleSpecifier);
      if (list && (ts.isNamedImports(list) || ts.isNamedExports(list)))
        for (const one of list.elements) found.push({ from, name: (one.propertyName ?? one.name).text });
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && node.qualifier)
      found.push({ from: literal(node.argument.literal), name: node.qualifier.getText() });
    if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name)) {
      const from = /\(['"](.*)['"]\)/.exec(node.initializer?.getText() ?? '')?.[1] ?? '';
      for (const one of node.name.elements)
        found.push({ from, name: (one.propertyName ?? one.name).getText() });
    }
    if (ts.isPropertyAccessExpression(node) && ts.isCallExpression(node.expression))
      found.push({ from: literal(node.expression.arguments[0]), name: node.name.text });
  };
  visit(source);
  return found;
}

type Form = (name: string, from: string) => string;
const ONE: Readonly<Record<string, Form>> = {
  import: (name, from) => `import { ${name} } from '${from}';`,
  'import of a type': (name, from) => `import type { ${name} } from "${from}";`,
  'import with a modifier': (name, from) => `import { type ${name} } from '${from}'`,
  'import by another name': (name, from) => `import { ${name} as other } from '${from}';`,
  export: (name, from) => `export { ${name} } from '${from}';`,
  'export of a type': (name, from) => `export type { ${name} as Other } from '${from}';`,
  'type of an import': (name, from) => `type T = import('${from}').${name};`,
  'typeof of an import': (name, from) => `type T = typeof import("${from}").${name};`,
  'names of require': (name, from) => `const { ${name}: other } = require('${from}');`,
  'name of require': (name, from) => `const other = require('${from}').${name};`,
  'names of a dynamic import': (name, from) =>
    `async function f() { const { ${name}: other } = await import('${from}'); }`,
  'name of what jest loads': (name, from) => `const other = jest.requireActual<object>('${from}').${name};`,
};

const all = Object.entries(names).flatMap(([from, list]) => list.map((name) => ({ from, name })));
const kept = all.filter(({ name }) => !GONE.includes(name));

test('the names of 2.0.0 are in the entries that take their place, but for a few', () => {
  const lost = all.filter(({ from, name }) => movedEntry(ts, from)?.find(name) === undefined);
  expect([...new Set(lost.map(({ name }) => name))].toSorted()).toEqual(GONE);
  expect(kept.length).toBeGreaterThan(400);
});

test.each(Object.entries(ONE))('%s: each name is asked of an entry that has it', (_, form) => {
  const texts = kept.map(({ from, name }) => rewrite(form(name, from)));
  expect(texts.flatMap(({ left }) => left).filter(isUnexpected)).toEqual([]);
  const text = texts.map((one) => one.text).join('\n');
  const found = importsIn(text);
  expect(found.map(({ name }) => name)).toEqual(kept.map(({ name }) => nowOf(name)));
  expect(found.filter(({ from, name }) => !namesOf(ts, from).has(name))).toEqual([]);
  expect(rewrite(text)).toEqual({ text, count: 0, left: [] });
});

const MANY: Readonly<Record<string, (names: readonly string[], from: string) => string>> = {
  import: (list, from) => `import { ${list.join(', ')} } from '${from}';`,
  'import of types': (list, from) => `import type { ${list.join(', ')}, } from '${from}';`,
  'import on lines': (list, from) =>
    `import {\r\n${list.map((name) => `  ${name}, // of ${name}\r\n`).join('')}} from '${from}';\r\n`,
  'import with comments': (list, from) =>
    `import {\n${list.map((name) => `  /* of ${name} */\n  type ${name} as ${name}2`).join(',\n')}\n} from "${from}"; // end`,
  export: (list, from) => `export {\n  ${list.join(',\n  ')}\n} from '${from}'`,
  'names of require': (list, from) => `const { ${list.join(', ')} } = require('${from}');`,
};

test.each(Object.entries(MANY))('%s: all names of an entry at once', (_, form) => {
  for (const [from, list] of Object.entries(names)) {
    // A pattern with a renamed name is not split.
    const asked = list.filter(
      (name) => !GONE.includes(name) && (nowOf(name) === name || form !== MANY['names of require']),
    );
    const before = form(asked, from);
    const { text, left } = rewrite(before);
    expect([from, left.filter(isUnexpected)]).toEqual([from, []]);
    const found = importsIn(text);
    expect(found.map(({ name }) => name).toSorted()).toEqual(asked.map(nowOf).toSorted());
    expect(found.filter((one) => !namesOf(ts, one.from).has(one.name))).toEqual([]);
    // Each comment is where it was, and the lines end as they did.
    const comments = before.match(/(?:\/\/|\/\*) of .*/g) ?? [];
    for (const comment of comments) expect(text).toContain(comment);
    if (before.includes('\r\n')) expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    for (const name of asked.filter(() => before.includes('// of')))
      expect(text).toMatch(new RegExp(`\\b${nowOf(name)}\\b.*// of ${name}\r`));
    expect(rewrite(text)).toEqual({ text, count: 0, left: [] });
  }
});

test.each([
  [
    'a comment behind the statement stays with the first',
    "import { run, serviceTarget, type Waiver } from 'contract-first-server/testing'; // why\nrun();\n",
    "import { run, type Waiver } from 'contract-first-prover'; // why\nimport { serviceTarget } from 'contract-first-prover/service';\nrun();\n",
  ],
  [
    'what stays, and what other packages have, is left as it is',
    "import { readDocument } from 'contract-first-server';\nimport { x } from 'contract-first-server-x/testing';\n// contract-first\n",
    undefined,
  ],
  [
    'uses of a type by a former name',
    "import type { Surroundings } from 'contract-first-server/operational';\nconst f = (s: Surroundings<'a'>, o: { Other: 1 }) => s;\n",
    "import type { RuntimeOptions } from 'contract-first-server/runtime';\nconst f = (s: RuntimeOptions<'a'>, o: { Other: 1 }) => s;\n",
  ],
  [
    'a former name stays where something stands in the way',
    "import { type Surroundings } from 'contract-first-server/runtime';\nconst s = { Surroundings: 1 };\nlet x: Surroundings;\n",
    "import { type RuntimeOptions as Surroundings } from 'contract-first-server/runtime';\nconst s = { Surroundings: 1 };\nlet x: Surroundings;\n",
  ],
  [
    'a module as a whole',
    "import * as testing from 'contract-first-server/testing';\ntesting.serviceTarget(x as testing.TestedService);\n",
    "import * as testing from 'contract-first-prover/service';\ntesting.serviceTarget(x as testing.TestedService);\n",
  ],
  [
    'a module that a name of TypeScript requires',
    "import db = require('contract-first-server/database');\n",
    "import db = require('contract-first-database');\n",
  ],
  [
    'what runs only',
    "import 'contract-first-server/operational';\n",
    "import 'contract-first-server/runtime';\n",
  ],
  [
    'all of a module again',
    "export * from 'contract-first-server/testing';\nexport * as db from 'contract-first-server/database';\n",
    "export * from 'contract-first-prover';\nexport * from 'contract-first-prover/service';\nexport * as db from 'contract-first-database';\n",
  ],
  [
    'a mock',
    "jest.mock('contract-first-server/testing', () => ({\n  ...jest.requireActual<object>('contract-first-server/testing'),\n  serviceTarget: jest.fn(),\n}));\n",
    "jest.mock('contract-first-prover/service', () => ({\n  ...jest.requireActual<object>('contract-first-prover/service'),\n  serviceTarget: jest.fn(),\n}));\n",
  ],
  [
    'a mock with the type of what it replaces',
    "jest.mock('contract-first-server/testing', () => ({\n  ...jest.requireActual<typeof import('contract-first-server/testing')>('contract-first-server/testing'),\n  emptied: jest.fn(),\n}));\n",
    "jest.mock('contract-first-prover/service', () => ({\n  ...jest.requireActual<typeof import('contract-first-prover/service')>('contract-first-prover/service'),\n  emptied: jest.fn(),\n}));\n",
  ],
  [
    'names of two entries, with the type of what has them',
    "const { run, emptied } = jest.requireActual<typeof import('contract-first-server/testing')>('contract-first-server/testing');\n",
    "const { run } = jest.requireActual<typeof import('contract-first-prover')>('contract-first-prover'), { emptied } = jest.requireActual<typeof import('contract-first-prover/service')>('contract-first-prover/service');\n",
  ],
  [
    'what a promise brings',
    "void import('contract-first-server/testing').then(({ emptied }) => emptied);\n",
    "void import('contract-first-prover/service').then(({ emptied }) => emptied);\n",
  ],
  [
    'more declarations in the module',
    "declare module 'contract-first-server/testing' {\n  interface Target {}\n}\n",
    "declare module 'contract-first-prover' {\n  interface Target {}\n}\n",
  ],
  [
    'a schema',
    "import schema from 'contract-first-server/schemas/overlay.json' with { type: 'json' };\n",
    "import schema from 'contract-first/schemas/overlay.json' with { type: 'json' };\n",
  ],
  [
    'the dependencies of a service',
    "import { runService as go } from 'contract-first-server/operational';\ngo({ openStore: (c) => open(c), other: { openStore } });\n",
    "import { runService as go } from 'contract-first-server/runtime';\ngo({ open: (c) => open(c), other: { openStore } });\n",
  ],
  [
    'the dependencies of a target, and a profile',
    "import { run, serviceTarget } from 'contract-first-server/testing';\nrun(serviceTarget({ openStore }), { profile: 'house' });\n",
    "import { run } from 'contract-first-prover';\nimport { serviceTarget } from 'contract-first-prover/service';\nrun(serviceTarget({ open: openStore }), { profile: 'strict' });\n",
  ],
])('%s', (_, before, after) => {
  const { text, count, left } = rewrite(before);
  expect(text).toBe(after ?? before);
  expect([count > 0, left]).toEqual([after !== undefined, []]);
  expect(rewrite(text)).toEqual({ text, count: 0, left: [] });
});

test.each([
  [
    "import {\n  run,\n  main,\n} from 'contract-first-server/testing';\n",
    3,
    'contract-first-server/testing no longer has main',
  ],
  [
    "\nimport * as t from 'contract-first-server/testing';\nt.run(\n  t.emptied);\n",
    4,
    'emptied is in contract-first-prover/service',
  ],
  [
    "import { createApp as create } from 'contract-first-server/operational';\n",
    1,
    'this server starts only if each operation documents its rejections: paste the actions that it prints at the end of openapi/overlay.yaml, and run `npx contract-first generate`',
  ],
  [
    "const t = load(require('contract-first-server/testing'));\n",
    1,
    'what it uses may be in another entry: contract-first-prover, contract-first-prover/service',
  ],
  [
    "import { serviceTarget } from 'contract-first-server/testing';\nserviceTarget(parts);\nopenStore();\n",
    2,
    'if it has a property openStore, rename it to open',
  ],
])('what it cannot rewrite is listed: %j', (text, line, what) => {
  expect(rewrite(text).left).toEqual([{ line, what }]);
});

test('the code of this repository needs no change', () => {
  for (const file of [
    'packages/command/layout/src/seed.ts',
    'packages/command/layout/tests/contract/service.ts',
  ]) {
    const text = ts.sys.readFile(join(__dirname, '../../../../..', file)) ?? '';
    expect([file, rewrite(text, file)]).toEqual([file, { text, count: 0, left: [] }]);
  }
});
