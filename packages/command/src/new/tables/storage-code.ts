/** Writes the file of a resource in src/storage/: its table, and what the store does with its rows. */
import { quoted } from '../../generate/handler-names';
import { mentions } from '../fill';
import {
  conversions,
  parametersOf,
  spoken,
  tableCode,
  typesCode,
  type Uses,
  type Violation,
  violationsOf,
} from './table-code';
import { propertyName } from '../code';
import type { Paging, Sort } from './paging';
import { type KeyColumn, openerOf, partOf, type Table } from './tables';

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
  const library = LIBRARY.filter((name) => mentions(code, name.replace('type ', '')));
  const generated = ['components', 'operations'].filter((name) => body.includes(`${name}[`));
  return `import { ${library.join(', ')} } from 'contract-first-database';
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

function partCode(uses: Uses): string {
  const { table, paging, counts, changes, removes } = uses;
  const { variable, one, noun, typeName, keys, kind, unique } = table;
  const key = keys.map(({ name }) => name).join(', ');
  const where = `WHERE \${equal(${variable}, { ${key} })}`;
  const is = noun;
  const read = (rows: string) => (kind === 'others' ? `(${rows}).map(toDocument)` : rows);
  const violations = violationsOf(table);
  const caught = (rules: readonly Violation[], work: string) =>
    rules.length === 0 ? work : `unlessViolated([${rules.map(quoted).join(', ')}], ${work})`;
  const meaning = {
    unique: `\`unique\` if its ${unique ? spoken(unique.name) : 'key'} is taken`,
    'foreign key': '`foreign key` if it refers to what is not there',
  };
  const taken = violations.map((rule) => meaning[rule]).join(', and to ');
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
  { filters, after, before }: Paging,
  isCount: boolean,
): readonly [code: string, where: string] {
  const { variable, keys } = table;
  const own = keys.at(-1)?.name ?? '';
  const equals = [
    ...above(table).map(({ name }) => name),
    ...filters.map(({ column, variable: from }) => (column.name === from ? from : `${column.name}: ${from}`)),
  ];
  const equality = equals.length > 0 ? `equal(${variable}, { ${equals.join(', ')} })` : undefined;
  const beyond = (
    [
      [after, '>'],
      [before?.variable, '<'],
    ] as const
  ).flatMap(([from, sign]) =>
    from === undefined || isCount
      ? []
      : `${from} === undefined ? undefined : sql\`\${${variable}.${own}} ${sign} \${${from}}\``,
  );
  if (beyond.length > 0)
    return [
      `const where = and([${[...(equality === undefined ? [] : [equality]), ...beyond].join(', ')}]);\n`,
      ' WHERE ${where}',
    ];
  return equality === undefined ? ['', ''] : [`const where = ${equality};\n`, ' WHERE ${where}'];
}

function listCode(uses: Uses, paging: Paging): string {
  const { variable, kind, keys } = uses.table;
  const { before, sort } = paging;
  // The page before an object is read from there, and then turned.
  const isDown = before === undefined ? paging.direction : `${before.variable} !== undefined`;
  const turn = isDown === undefined ? '' : ' ${direction}';
  const sorted = sort ? sortCode(variable, sort, turn) : { code: '', first: '' };
  const order = `${sorted.first}${keys.map(({ name }) => `\${${variable}.${name}}`).join(', ')}${turn}`;
  const [code, where] = conditions(uses, paging, false);
  const rows = `database.query(select(${variable})\`${where === '' ? '' : `\n        ${where.trimStart()}\n        `}ORDER BY ${order} ${paging.page}\`)`;
  const found = kind === 'others' ? `(await ${rows}).map(toDocument)` : rows;
  const direction =
    isDown === undefined ? '' : `const direction = ${isDown} ? sql\`DESC\` : sql\`ASC\`;\n      `;
  const end =
    before === undefined
      ? `return ${found};`
      : `const found = ${kind === 'others' ? found : `await ${found}`};
      return ${before.variable} === undefined ? found : found.toReversed();`;
  return `/** ${paging.says} */
    async list(${listParameters(uses, paging)}) {
      ${code}${sorted.code}${direction}${end} }`;
}

/** What sorts a list by the value of a parameter: the code before its query, and the first part of its order. */
function sortCode(table: string, { variable, isOptional, columns }: Sort, turn: string) {
  const sorts = [...columns].map(
    ([value, { column, isDown }]) =>
      `${propertyName(value)}: sql\`\${${table}.${column.name}}${isDown ? ' DESC' : ''}\``,
  );
  const first = `\${sorts[${variable}]}${turn}, `;
  return {
    code: `const sorts = { ${sorts.join(', ')} };\n      `,
    first: isOptional ? `\${${variable} === undefined ? sql\`\` : sql\`${first}\`}` : first,
  };
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
