/** Writes the file of a resource in src/storage/: its table, and what the store does with its rows. */
import { quoted } from '../generate/handler-names';
import { capitalized, wordsOf } from './names';
import type { Column } from './columns';
import type { Paging } from './paging';
import type { KeyColumn, Table } from './tables';

/** What a store does with one resource. */
export interface Uses {
  readonly table: Table;
  /** The TypeScript type of one object in the document. */
  readonly type: string;
  /** How its list is asked for; undefined: it has none. */
  readonly paging: Paging | undefined;
  /** Whether the handlers count what the list has. */
  readonly counts: boolean;
  /** The rules that a change may break; undefined: nothing changes. */
  readonly changes: readonly Violation[] | undefined;
  readonly removes: boolean;
  /** Whether what refers to an object keeps it from being deleted. */
  readonly isRestricted: boolean;
}

/** The types of TypeScript. */
export const TYPES: Readonly<Record<Column['type'], string>> = {
  ...{
    TEXT: 'string',
    TIMESTAMP: 'string',
    DATE: 'string',
    INT64: 'bigint',
    INTEGER: 'number',
    DOUBLE: 'number',
  },
  ...{ BOOLEAN: 'boolean', JSON_VALUE: 'unknown' },
};

/** The name of the function that makes the part of the store. */
export const openerOf = ({ name }: Table): string => `${name}In`;
/** The name of the type of the part of the store. */
export const partOf = ({ name }: Table): string => `${capitalized(name)}Store`;

/** The words of a name, for people. */
export const spoken = (name: string): string => wordsOf(name).join(' ');

/** @param others the tables, by the names of their resources */
export function storageCode(uses: Uses, others: ReadonlyMap<string, Table>): string {
  const { table } = uses;
  const references = [...new Set([...table.references.values()].map(({ to }) => others.get(to)))].flatMap(
    (one) => one ?? [],
  );
  const part = partCode(uses);
  const types = typesCode(uses, part.includes(': Query'));
  const body = [tableCode(uses, others), types, conversions(uses), part].join('\n');
  const code = body.replace(/\/\*\*.*?\*\//g, '');
  const used = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
  const library = LIBRARY.filter((name) => used(name.replace('type ', '')));
  const generated = ['components', 'operations'].filter((name) => body.includes(`${name}[`));
  return `import { ${library.join(', ')} } from 'contract-first-server/database';
${generated.length > 0 ? `import type { ${generated.join(', ')} } from '../../generated/openapi';\n` : ''}${references
    .map(({ variable, file }) => `import { ${variable} } from './${file}';\n`)
    .join('')}
${body}`;
}

/** What a file may import of the library, in the order of a linter. */
const LIBRARY = [
  ...'and BOOLEAN type=ChangesOf COUNTER type=Database DATE deleteFrom DOUBLE equal IDENTITY insertInto INT64 INTEGER JSON_VALUE'.split(
    ' ',
  ),
  ...'type=NewRowOf only type=RowOf select sql table TEXT TIMESTAMP unlessViolated update'.split(' '),
].map((name) => name.replace('=', ' '));

/** Whether the type of the document stands in the code. */
const narrowed = ({ property = '' }: Column): string => `NonNullable<Document[${quoted(property)}]>`;

function columnCode(column: Column, { table }: Uses, others: ReadonlyMap<string, Table>): string {
  const { name, type, narrow, required, nullable } = column;
  const reference = table.references.get(name);
  const target = reference && others.get(reference.to);
  return [
    `${name}: ${type}`,
    narrow && column.property !== undefined ? `.as<${narrowed(column)}>()` : '',
    table.unique?.name === name ? '.unique()' : '',
    nullable ? '.nullable()' : required ? '' : '.optional()',
    reference && target
      ? `.references(${target.variable}.${reference.column}${reference.onDelete ? `, '${reference.onDelete}'` : ''})`
      : '',
  ].join('');
}

function tableCode(uses: Uses, others: ReadonlyMap<string, Table>): string {
  const { table } = uses;
  const { keys, columns, variable, name, kind } = table;
  const [only, another] = keys;
  const keyNames = new Set(keys.map((key) => key.name));
  const keyCode = (key: KeyColumn): string => {
    if (another) return columnCode(key, uses, others);
    if (table.source === 'counted') return `${key.name}: ${key.type === 'INTEGER' ? 'COUNTER' : 'IDENTITY'}`;
    return `${columnCode(key, uses, others)}.primaryKey()`;
  };
  // A key that is counted is one of its own.
  const counted = table.source === 'counted' && another ? keys.at(-1) : undefined;
  const lines = [
    ...keys.map((key) =>
      key === counted ? `${key.name}: ${key.type === 'INTEGER' ? 'COUNTER' : 'IDENTITY'}` : keyCode(key),
    ),
    ...columns
      .filter((column) => !keyNames.has(column.name))
      .map((column) => columnCode(column, uses, others)),
    ...(kind === 'others' ? ['/** Further properties. */ others: JSON_VALUE.as<object>()'] : []),
    ...(kind === 'value' ? ['value: JSON_VALUE.as<Document>()'] : []),
  ];
  const primary =
    only && another && !counted
      ? `, sql\`PRIMARY KEY (${keys.map((key) => `"${key.name}"`).join(', ')})\``
      : '';
  return `export const ${variable} = table(${quoted(name)}, { ${lines.join(',\n')} }${primary});\n`;
}

/** @param asks whether it names the query of a list */
function typesCode({ table, type, paging }: Uses, asks: boolean): string {
  const { kind, typeName, variable, columns } = table;
  const usesDocument = kind !== 'columns' || columns.some((column) => column.narrow);
  const row = kind === 'others' ? 'Document' : `RowOf<typeof ${variable}>`;
  const added = kind === 'others' ? 'Document' : `NewRowOf<typeof ${variable}>`;
  return `${usesDocument ? `/** As the document has it. */\ntype Document = ${type};\n\n` : ''}/** ${article(spoken(typeName))}, as the store has it. */
export type ${typeName} = ${row};
/** What the store takes to add one. */
export type New${typeName} = ${added};
${paging?.query === undefined || !asks ? '' : `/** What a list is asked for by. */\ntype Query = ${paging.query};\n`}`;
}

const article = (words: string): string => `${/^[aeiou]/.test(words) ? 'An' : 'A'} ${words}`;

/** Objects with properties of which the table has no column. */
function conversions({ table }: Uses): string {
  if (table.kind !== 'others') return '';
  const names = table.columns.map(({ name }) => name).join(', ');
  const { one, variable } = table;
  return `const toRow = ({ ${names}, ...others }: Document): NewRowOf<typeof ${variable}> => ({ ${names}, others });
const toDocument = ({ others, ...${one} }: RowOf<typeof ${variable}>) => ({ ...others, ...${one} }) as Document;
`;
}

/** The variables and types of a key. */
const parametersOf = ({ keys, variable }: Table): string =>
  keys
    .map((key) => `${key.name}: ${key.narrow ? `RowOf<typeof ${variable}>['${key.name}']` : TYPES[key.type]}`)
    .join(', ');

function partCode(uses: Uses): string {
  const { table, paging, counts, changes, removes } = uses;
  const { variable, one, typeName, keys, kind, references, unique, source } = table;
  const key = keys.map(({ name }) => name).join(', ');
  const where = `WHERE \${equal(${variable}, { ${key} })}`;
  const is = spoken(one);
  const read = (rows: string) => (kind === 'others' ? `(${rows}).map(toDocument)` : rows);
  const violations = violationsOf(table);
  const caught = (rules: readonly Violation[], work: string) =>
    rules.length === 0 ? work : `unlessViolated([${rules.map(quoted).join(', ')}], ${work})`;
  const rules = [
    ...(unique || source === 'given'
      ? ['`unique` if its key' + (unique ? ` or its ${spoken(unique.name)}` : '') + ' is taken']
      : []),
    ...(references.size > 0 ? [`\`foreign key\` if it refers to what is not there`] : []),
  ].join(', and to ');
  const taken = unique ? rules.replace('its key or ', '') : rules;
  const added = kind === 'others' ? `toRow(${one})` : one;
  const add = `database.query(insertInto(${variable}, ${added})\`\`)`;
  const methods = [
    `async get(${parametersOf(table)}): Promise<${typeName} | undefined> {
      const [${one}] = ${read(`await database.query(select(${variable})\`${where}\`)`)};
      return ${one};
    }`,
    ...(paging ? [listCode(uses, paging)] : []),
    ...(paging && counts ? [countCode(uses, paging)] : []),
    `${taken === '' ? '' : `/** Resolves to ${taken}. Nothing is written then. */\n`}async add(${one}: New${typeName}) {
${
  violations.length === 0
    ? `return only(${read(`await ${add}`)});`
    : `const added = await ${caught(violations, add)};
      return typeof added === 'string' ? added : only(${read('added')});`
}
    }`,
    ...(changes
      ? [
          `/** Changes what is there, and leaves what is undefined. Resolves to undefined if there is no such ${is}. */
    async change(${parametersOf(table)}, changes: ChangesOf<typeof ${variable}>) {
      const changed = await ${caught(changes, `database.query(update(${variable}, changes)\`${where}\`)`)};
      return ${changes.length > 0 ? "typeof changed === 'string' ? changed : changed[0]" : 'changed[0]'};
    }`,
        ]
      : []),
    ...(removes ? [removeCode(uses, where)] : []),
  ];
  return `/** What the store does with ${spoken(table.name)}. */
export const ${openerOf(table)} = (database: Database) => ({
${methods.join(',\n')},
});

export type ${partOf(table)} = ReturnType<typeof ${openerOf(table)}>;
`;
}

export type Violation = 'unique' | 'foreign key';

/** The rules of its table that a new object may break. */
export const violationsOf = ({ unique, source, references }: Table): Violation[] => [
  ...(unique || source === 'given' ? (['unique'] as const) : []),
  ...(references.size > 0 ? (['foreign key'] as const) : []),
];

/** What stands before the object in its path. */
const above = ({ keys }: Table): readonly KeyColumn[] =>
  keys.slice(0, -1).filter(({ parameter }) => parameter !== undefined);

/** The parameters of list and count. */
function listParameters({ table }: Uses, { query, names }: Paging): string {
  return [
    ...(above(table).length > 0 ? [parametersOf({ ...table, keys: above(table) })] : []),
    ...(query === undefined || names.length === 0 ? [] : [`{ ${names.join(', ')} }: Query`]),
  ].join(', ');
}

/** The statement that says which objects a list has, and the end of the query that uses it. */
function conditions(
  { table }: Uses,
  { filters, after }: Paging,
  isCount: boolean,
): readonly [code: string, where: string] {
  const { variable, keys } = table;
  const own = keys.at(-1)?.name ?? '';
  const equals = [
    ...above(table).map(({ name }) => name),
    ...filters.map(({ column, variable: from }) => (column.name === from ? from : `${column.name}: ${from}`)),
  ];
  const equality = equals.length > 0 ? `equal(${variable}, { ${equals.join(', ')} })` : undefined;
  const later = `${after} === undefined ? undefined : sql\`\${${variable}.${own}} > \${${after}}\``;
  if (after !== undefined && !isCount)
    return [
      `const where = and([${equality === undefined ? '' : `${equality}, `}${later}]);\n`,
      ' WHERE ${where}',
    ];
  return equality === undefined ? ['', ''] : [`const where = ${equality};\n`, ' WHERE ${where}'];
}

function listCode(uses: Uses, paging: Paging): string {
  const { variable, kind, keys } = uses.table;
  const order = keys.map(({ name }) => `\${${variable}.${name}}`).join(', ');
  const [code, where] = conditions(uses, paging, false);
  const rows = `database.query(select(${variable})\`${where === '' ? '' : `\n        ${where.trimStart()}\n        `}ORDER BY ${order} ${paging.page}\`)`;
  return `/** ${paging.says} */
    async list(${listParameters(uses, paging)}) {
      ${code}return ${kind === 'others' ? `(await ${rows}).map(toDocument)` : rows}; }`;
}

function countCode(uses: Uses, paging: Paging): string {
  const { variable } = uses.table;
  const counted = { ...paging, names: paging.filters.map(({ taken }) => taken) };
  const [code, where] = conditions(uses, paging, true);
  return `/** How many there are in all pages of a list. */
    async count(${listParameters(uses, counted)}): Promise<number> {
      ${code}const columns = { count: INTEGER.from(sql\`count(*)\`) };
      return only(await database.query(select(columns)\`FROM \${${variable}}${where}\`)).count;
    }`;
}

function removeCode({ table, isRestricted }: Uses, where: string): string {
  const { variable } = table;
  const work = `database.execute(deleteFrom(${variable})\`${where}\`)`;
  if (!isRestricted)
    return `/** Resolves to whether there was one. */
    async remove(${parametersOf(table)}): Promise<boolean> {
      return (await ${work}) === 1;
    }`;
  return `/** Resolves to whether there was one, and to \`foreign key\` if something refers to it. Nothing is deleted then. */
    async remove(${parametersOf(table)}) {
      const removed = await unlessViolated(['foreign key'], ${work});
      return removed === 'foreign key' ? removed : removed === 1;
    }`;
}
