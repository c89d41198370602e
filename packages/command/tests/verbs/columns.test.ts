import { explain } from '../../src/compiler/explain';
import { columnsLeft } from '../../src/generate/columns';
import { workOn } from '../../src/paths';
import { writeDocument } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { compileTexts, typesOfAll } from '../../../../scripts/testing/compile';
import { useFolder } from '../../../../scripts/testing/folder';
import { buildDocument, json } from '../../../../scripts/testing/service';

// Every kind of property and of edit: the lines that are offered for it, and that a table with them compiles.

jest.setTimeout(60_000);

const ROOT = process.cwd();
const folder = useFolder();
afterEach(() => {
  workOn(ROOT);
});

const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };
const asked = (name: string) =>
  `.as<NonNullable<NonNullable<operations['addThing']['requestBody']>['content']['application/json']['${name}']>>()`;
const said = (name: string) =>
  `.as<NonNullable<operations['getThing']['responses'][200]['content']['application/json']['${name}']>>()`;

/** By name: the schema of a property, its column, and the value of the rows that exist if it is required. */
const KINDS: Readonly<Record<string, readonly [schema: object, type: string, value: string]>> = {
  room: [text, 'TEXT', "'text'"],
  named: [{ ...text, default: 'it' }, 'TEXT', "'it'"],
  short: [{ ...text, maxLength: 2 }, 'TEXT', "'xt'"],
  at: [{ ...text, format: 'date-time' }, 'TIMESTAMP', "'2024-01-01T12:00:00Z'"],
  day: [{ ...text, format: 'date' }, 'DATE', "'2024-01-01'"],
  large: [int64, 'INT64', '1n'],
  few: [{ type: 'integer', minimum: 1, maximum: 9 }, 'INTEGER', '1'],
  many: [{ type: 'integer' }, 'DOUBLE', '1'],
  weight: [{ type: 'number' }, 'DOUBLE', '1'],
  lent: [{ type: 'boolean' }, 'BOOLEAN', 'true'],
  color: [{ enum: ['red', 'green'] }, `TEXT${said('color')}`, "'red'"],
  tags: [{ type: 'array', items: text }, `JSON_VALUE${said('tags')}`, '["text"]'],
  owner: [{ type: 'object', properties: { name: text } }, `JSON_VALUE${said('owner')}`, '{"name":"text"}'],
};
const schemas = Object.fromEntries(Object.entries(KINDS).map(([name, [schema]]) => [name, schema]));

const id = { id: text };
const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
});
const ok = (schema: object) => ({ description: '', content: json(schema) });
/** A document whose things have these schemas in requests and in responses. */
const documentOf = (given: object, thing: object = given, more: object = {}) =>
  buildDocument({
    components: { schemas: { NewThing: given, Thing: thing } },
    paths: {
      '/things': {
        post: {
          operationId: 'addThing',
          requestBody: { required: true, content: json({ $ref: '#/components/schemas/NewThing' }) },
          responses: { 201: ok({ $ref: '#/components/schemas/Thing' }) },
        },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: { operationId: 'getThing', responses: { 200: ok({ $ref: '#/components/schemas/Thing' }) } },
        ...more,
      },
    },
  });

const WORDS = 'BOOLEAN, DATE, DOUBLE, INT64, INTEGER, JSON_VALUE, table, TEXT, TIMESTAMP';
const filesOf = (document: JsonObject, columns: string, stored = 'addThing: things, getThing: things') => ({
  'generated/openapi.json': writeDocument(document),
  'src/storage/things.ts': `import { ${WORDS} } from 'contract-first-database';
    import type { operations } from '../../generated/openapi';
    export const things = table('things', { id: TEXT.primaryKey(), ${columns} });`,
  'src/storage/stored.ts': `import type { StoredBodies } from 'contract-first-server';
    import type { operations } from '../../generated/openapi';
    import { things } from './things';
    export const stored = { ${stored} } satisfies StoredBodies<operations>;`,
  'src/storage/open.ts': `import { addColumn, createTable } from 'contract-first-database';
    import { things } from './things';
    const SCHEMA: Schema = { name: 'it', migrations: [['tables', createTable(things)], ['none']] };`,
  'src/handlers/index.ts':
    "import { addThing } from './add-thing';\nimport { replaceThing } from './replace-thing';\nexport const createHandlers = (dependencies: Dependencies) => ({\n  addThing: addThing(dependencies),\n  replaceThing: replaceThing(dependencies),\n});\n",
  'src/handlers/add-thing.ts': 'export const addThing = undefined;',
  'src/handlers/replace-thing.ts': 'export const replaceThing = undefined;',
});
function leftIn(...args: Parameters<typeof filesOf>): string[] {
  folder.write(filesOf(...args));
  workOn(folder.path('.'));
  return columnsLeft();
}
const names = Object.keys(KINDS);
const columnLines = (lines: readonly string[]) => lines.filter((line) => line.endsWith('.added(),'));
const MIGRATION = (...columns: readonly string[]) =>
  `    { name: '${columns.map((name) => `${name} of things`).join(', ')}', oldest: 2, steps: [${columns.map((name) => `addColumn(things.${name})`).join(', ')}] },`;

test('an optional property of each kind: a column that may be left out, all in one migration', () => {
  const lines = leftIn(documentOf(object({ ...id, ...schemas }, 'id')), '');
  expect(columnLines(lines)).toEqual(
    names.map((name) => `    ${name}: ${KINDS[name]?.[1]}.optional().added(),`),
  );
  expect(lines[0]).toMatch(
    /^no column holds room of things and .* \(addThing, getThing\): the service does not start/,
  );
  expect(lines).toContain(MIGRATION(...names));
  expect(lines.join('\n')).not.toContain('import');
});

test('a required property of each kind: a column with a valid value for the rows that exist', () => {
  const lines = leftIn(documentOf(object({ ...id, ...schemas }, 'id', ...names)), '');
  expect(columnLines(lines)).toEqual(
    names.map((name) => `    ${name}: ${KINDS[name]?.[1]}.default(${KINDS[name]?.[2]}).added(),`),
  );
  expect(lines).toContain("  Existing rows get 'text' as room: choose the value");
});

const base = object(id, 'id');
const more = object({ ...id, room: text }, 'id');
const nullable = { type: ['string', 'null'] };
const ROOM = '    room: TEXT.optional().added(),';
test.each<[edit: string, document: JsonObject, columns: readonly string[]]>([
  ['in requests alone', documentOf(more, base), [ROOM]],
  ['in responses alone', documentOf(base, more), [ROOM]],
  ['in a part of allOf', documentOf({ allOf: [base, object({ room: text })] }), [ROOM]],
  ['in a branch of oneOf', documentOf({ oneOf: [base, more] }), [ROOM]],
  [
    'that a branch alone requires',
    documentOf({ oneOf: [base, object({ ...id, room: text }, 'room')] }),
    [ROOM],
  ],
  [
    'that may be null',
    documentOf(object({ ...id, room: nullable }, 'id')),
    ['    room: TEXT.nullable().added(),'],
  ],
  [
    'that is required and may be null',
    documentOf(object({ ...id, room: nullable }, 'id', 'room')),
    ['    room: TEXT.nullable().added(),'],
  ],
  ['with readOnly', documentOf(object({ ...id, room: { ...text, readOnly: true } }, 'id')), [ROOM]],
  [
    'of JSON in requests alone',
    documentOf(object({ ...id, tags: { type: 'array', items: text } }, 'id'), base),
    [`    tags: JSON_VALUE${asked('tags')}.optional().added(),`],
  ],
])('a new property %s: %#', (_, document, columns) => {
  expect(columnLines(leftIn(document, ''))).toEqual(columns);
});

test.each<[edit: string, document: JsonObject, columns: string]>([
  [
    'a readOnly property in requests',
    documentOf(object({ ...id, room: { ...text, readOnly: true } }), base),
    '',
  ],
  ['a removed property', documentOf(base), 'room: TEXT.optional()'],
  [
    'a property that becomes required',
    documentOf(object({ ...id, room: text }, 'id', 'room')),
    'room: TEXT.optional()',
  ],
  ['a property of a nested object', documentOf(object({ ...id, owner: more }, 'id')), 'owner: JSON_VALUE'],
])('%s has its column', (_, document, columns) => {
  expect(leftIn(document, columns)).toEqual([]);
});

test('a renamed property has a new column, and the old one stays', () => {
  const lines = leftIn(documentOf(object({ ...id, hall: text }, 'id')), 'room: TEXT.optional()');
  expect(columnLines(lines)).toEqual(['    hall: TEXT.optional().added(),']);
});

test('a replacement without an optional property removes it', () => {
  const put = {
    operationId: 'replaceThing',
    requestBody: { required: true, content: json({ $ref: '#/components/schemas/NewThing' }) },
    responses: { 204: { description: '' } },
  };
  const lines = leftIn(documentOf(more, more, { put }), '', 'replaceThing: things, addThing: things');
  expect(lines.filter((line) => / before | null/.test(line))).toEqual([
    '  src/handlers/replace-thing.ts, before ...body, so that a replacement without it removes it:',
    '    room: null,',
  ]);
});

test('names that no column can have, secrets, and properties beside an object, are left to the handler', () => {
  const odd = object({ ...id, 'wall-number': text, ID: text }, 'id');
  expect(leftIn(documentOf(odd), '', 'addThing: things')).toEqual([
    expect.stringMatching(
      /^things cannot have a column named wall-number, for the property wall-number of addThing: rename/,
    ),
    expect.stringMatching(/^things cannot have a column named ID, /),
  ]);
  const secret = object({ ...id, password: { ...text, writeOnly: true } }, 'id');
  expect(leftIn(documentOf(secret), '')).toEqual([
    expect.stringMatching(/^the property password of addThing is writeOnly, and a secret must not be stored/),
  ]);
  const envelope = object({ thing: more, note: text }, 'thing');
  expect(leftIn(documentOf(envelope), 'room: TEXT', 'addThing: { thing: things }')).toEqual([
    expect.stringMatching(/^no table holds the property note of addThing: delete the line/),
  ]);
  expect(columnLines(leftIn(documentOf(object({ thing: more })), '', 'addThing: { thing: things }'))).toEqual(
    [ROOM],
  );
});

test('what is missing in imports is offered, too', () => {
  const document = documentOf(object({ ...id, tags: { type: 'array', items: text } }, 'id'));
  folder.write({
    ...filesOf(document, ''),
    'src/storage/things.ts':
      "import { table, TEXT } from 'contract-first-database';\nexport const things = table('things', { id: TEXT });",
    'src/storage/open.ts': "import { things } from './things';\nconst SCHEMA = { migrations: [['tables']] };",
  });
  workOn(folder.path('.'));
  expect(columnsLeft().filter((line) => line.includes('import'))).toEqual([
    "    import { JSON_VALUE } from 'contract-first-database';",
    "    import type { operations } from '../../generated/openapi';",
    "    import { addColumn } from 'contract-first-database';",
  ]);
});

/** What the compiler sees of a service, by name. */
function filesWith(
  document: JsonObject,
  types: string,
  columns: readonly string[] = [],
  stored?: string,
): (readonly [name: string, text: string])[] {
  const files = filesOf(document, columns.join(''), stored);
  return [
    ['openapi.d.ts', types],
    ['things.ts', files['src/storage/things.ts'].replace('../../generated', '.')],
    ['stored.ts', files['src/storage/stored.ts'].replace('../../generated', '.')],
  ];
}

test('the compiler names what lacks, and takes what is offered', () => {
  const optional = documentOf(object({ ...id, ...schemas }, 'id'));
  const required = documentOf(object({ ...id, ...schemas }, 'id', ...names));
  const [offered, withValues] = [optional, required].map((document) => columnLines(leftIn(document, '')));
  workOn(ROOT);
  const [forOptional = '', forRequired = ''] = typesOfAll([optional, required]).map(
    ({ text: types }) => types,
  );
  const variants = [
    filesWith(optional, forOptional, offered),
    filesWith(required, forRequired, withValues),
    filesWith(optional, forOptional, offered?.slice(1)),
    filesWith(optional, forOptional, offered, 'addThings: things'),
  ];
  // One program for all: each parses the libraries again.
  const all = Object.fromEntries(
    variants.flatMap((files, i) =>
      files.map(([name, it]) => [`${i}-${name}`, it.replaceAll("'./", `'./${i}-`)]),
    ),
  );
  const { program, diagnosticsOf } = compileTexts(__dirname, all);
  const advice = { renamed: new Map<string, string>(), gone: () => '', columns: () => ['the columns'] };
  const said = variants.map((files, i) => {
    const found = files.flatMap(([name]) => diagnosticsOf(`${i}-${name}`));
    return explain(program, found, advice).map(({ messageText }) =>
      typeof messageText === 'string' ? messageText : messageText.messageText,
    );
  });
  expect(said).toEqual([
    [],
    [],
    ['the columns'],
    ['addThings is not an operation of the document: rename its line, or delete it\nthe columns'],
  ]);
});
