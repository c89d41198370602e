/** Writes the table of a resource, and the types of its rows. */
import { isIdentifier, quoted } from '../../generate/handler-names';
import type { Column } from './columns';
import { wordsOf } from '../names';
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

export type Violation = 'unique' | 'foreign key';

/** The rules of its table that a new object may break. */
export const violationsOf = ({ unique, source, references }: Table): Violation[] => [
  ...(unique || source === 'given' || source === 'either' ? (['unique'] as const) : []),
  ...(references.size > 0 ? (['foreign key'] as const) : []),
];

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

/** The words of a name, for people. */
export const spoken = (name: string): string => wordsOf(name).join(' ');

/** A column as the library has it. */
export const columnText = (
  { name, type, nullable, required }: Pick<Column, 'name' | 'type' | 'nullable' | 'required'>,
  narrow: string | undefined,
  isUnique: boolean,
): string =>
  [
    `${name}: ${type}`,
    narrow === undefined ? '' : `.as<${narrow}>()`,
    isUnique ? '.unique()' : '',
    nullable ? '.nullable()' : required ? '' : '.optional()',
  ].join('');

function columnCode(column: Column, { table }: Uses, others: ReadonlyMap<string, Table>): string {
  const { name, narrow, property } = column;
  const reference = table.references.get(name);
  const target = reference && others.get(reference.to);
  const type = narrow && property !== undefined ? `NonNullable<Document[${quoted(property)}]>` : undefined;
  const refers =
    reference && target
      ? `.references(${target.variable}.${reference.column}${reference.onDelete ? `, '${reference.onDelete}'` : ''})`
      : '';
  return `${columnText(column, type, table.unique?.name === name)}${refers}`;
}

export function tableCode(uses: Uses, others: ReadonlyMap<string, Table>): string {
  const { table } = uses;
  const { keys, columns, variable, name, kind } = table;
  const keyNames = new Set(keys.map((key) => key.name));
  // A key that is counted is one of its own.
  const counted = table.source === 'counted' ? keys.at(-1) : undefined;
  const keyCode = (key: KeyColumn): string => {
    if (key === counted) return `${key.name}: ${key.type === 'INTEGER' ? 'COUNTER' : 'IDENTITY'}`;
    return `${columnCode(key, uses, others)}${keys.length > 1 ? '' : '.primaryKey()'}`;
  };
  const lines = [
    ...keys.map(keyCode),
    ...columns
      .filter((column) => !keyNames.has(column.name))
      .map((column) => columnCode(column, uses, others)),
    ...(kind === 'others' ? ['/** Further properties. */ others: JSON_VALUE.as<object>()'] : []),
    ...(kind === 'value' ? ['value: JSON_VALUE.as<Document>()'] : []),
  ];
  const primary =
    keys.length > 1 && !counted
      ? `, sql\`PRIMARY KEY (${keys.map((key) => `"${key.name}"`).join(', ')})\``
      : '';
  return `export const ${variable} = table(${quoted(name)}, { ${lines.join(',\n')} }${primary});\n`;
}

/** @param asks whether it names the query of a list */
export function typesCode({ table, type, paging }: Uses, asks: boolean): string {
  const { kind, typeName, variable, columns } = table;
  const usesDocument = kind !== 'columns' || columns.some((column) => column.narrow);
  const row = kind === 'others' ? 'Document' : `RowOf<typeof ${variable}>`;
  const added = kind === 'others' ? 'Document' : `NewRowOf<typeof ${variable}>`;
  return `${usesDocument ? `/** As the document has it. */\ntype Document = ${type};\n\n` : ''}/** A stored ${spoken(typeName)}. */
export type ${typeName} = ${row};
/** The fields of a new ${spoken(typeName)}. */
export type New${typeName} = ${added};
${paging?.query === undefined || !asks ? '' : `/** What a list is asked for by. */\ntype Query = ${paging.query};\n`}`;
}

/** Objects with properties of which the table has no column. */
export function conversions({ table }: Uses): string {
  if (table.kind !== 'others') return '';
  const { one, variable } = table;
  const names = table.columns
    .map(({ name }) => (isIdentifier(name) ? name : `${name}: ${name}Value`))
    .join(', ');
  return `const toRow = ({ ${names}, ...others }: Document): NewRowOf<typeof ${variable}> => ({ ${names}, others });
const toDocument = ({ others, ...${one} }: RowOf<typeof ${variable}>) => ({ ...others, ...${one} }) as Document;
`;
}

/** The variables and types of a key. */
export const parametersOf = ({ keys, variable }: Table): string =>
  keys
    .map((key) => `${key.name}: ${key.narrow ? `RowOf<typeof ${variable}>['${key.name}']` : TYPES[key.type]}`)
    .join(', ');
