/** The columns that the document asks for and the tables lack, with the lines that add them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  isJson,
  type Lacking,
  lackingColumns,
  OpenApiDocument,
  readOperations,
  samples,
  stringifyJson,
  viewSchemas,
} from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';
import { PUBLISHED, root } from '../paths';
import { type ColumnType, storedType } from './column-types';
import { HandlerList } from './handler-list';
import { quoted } from './handler-names';
import {
  columnsIn,
  countMigrations,
  importOf,
  OPEN,
  type Place,
  storedPlaces,
  type TableCode,
} from './stored-tables';

const DATABASE = 'contract-first-database';

/** A column to add, for properties of one name in bodies whose objects have the same table. */
interface Wanted {
  readonly table: TableCode;
  readonly name: string;
  readonly found: readonly Lacking[];
}

/** Lines about the columns that the tables lack; none if they have all of them. The first line says what is wrong. */
export function columnsLeft(): string[] {
  const places = storedPlaces();
  if (places.size === 0) return [];
  const document = new OpenApiDocument(readDocument(readFileSync(path.join(root, PUBLISHED), 'utf8')));
  const found = readOperations(document).flatMap((operation) => {
    const place = places.get(operation.operationId);
    if (!place) return [];
    return lackingColumns(document, operation, columnsIn(place)).map((lacking) => ({
      lacking,
      place: lacking.within.reduce(innerOf, place),
    }));
  });
  const apart: string[] = [];
  const columns = new Map<string, Wanted>();
  for (const { lacking, place } of found) {
    const { name, operation } = lacking;
    const where = `the property ${name} of ${operation.operationId}`;
    if (place?.kind !== 'table') apart.push(`no table holds ${where}: ${OTHERWISE}`);
    else if (certain(document, lacking.schemas).some((schema) => schema['writeOnly'] === true))
      apart.push(`${where} is writeOnly, and a secret must not be stored as it was sent: ${OTHERWISE}`);
    else if (!/^[a-z_]\w{0,62}$/i.test(name) || place.columns.some((one) => isAlike(one, name)))
      apart.push(
        `${place.variable} cannot have a column named ${name}, for ${where}: rename the property, or ${OTHERWISE}`,
      );
    else {
      const key = `${place.file} ${name}`;
      columns.set(key, { table: place, name, found: [...(columns.get(key)?.found ?? []), lacking] });
    }
  }
  return [...(columns.size > 0 ? linesFor(document, [...columns.values()]) : []), ...new Set(apart)];
}

const OTHERWISE =
  'delete the line of the operation in src/storage/stored.ts, and store or compute the property in its handler';
/** The schemas that a value of a property must conform to. */
const certain = (document: OpenApiDocument, schemas: readonly string[]) =>
  schemas.flatMap((pointer) => document.subschemas.certain(pointer)).map(({ value }) => value);
const isAlike = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
const innerOf = (place: Place | undefined, name: string): Place | undefined =>
  place?.kind === 'envelope' ? place.places.get(name) : undefined;

function linesFor(document: OpenApiDocument, columns: readonly Wanted[]): string[] {
  const operations = [
    ...new Set(columns.flatMap(({ found }) => found.map(({ operation }) => operation.operationId))),
  ];
  const made = columns.map((column) => ({ ...column, ...columnCode(document, column) }));
  const ofFile = Map.groupBy(made, ({ table }) => table.file);
  const steps = columns.map(({ table, name }) => `addColumn(${table.variable}.${name})`);
  const titles = columns.map(({ table, name }) => `${name} of ${table.variable}`);
  const oldest = countMigrations();
  return [
    `no column holds ${titles.join(' and ')} (${operations.join(', ')}): the service does not start until you add these lines`,
    ...[...ofFile].flatMap(([file, all]) => [
      `  ${file}, to the columns of ${[...new Set(all.map(({ table }) => table.variable))].join(', ')}:`,
      ...all.map(({ code }) => `    ${code},`),
      ...importLines(file, new Set(all.map(({ type }) => type))),
      ...(all.some(({ isNarrow }) => isNarrow) && !importOf(file, 'operations')
        ? [`    import type { operations } from '../../generated/openapi';`]
        : []),
    ]),
    `  ${OPEN}, to the end of migrations:`,
    `    { name: ${quoted(titles.join(', '))}, ${oldest === undefined ? '' : `oldest: ${oldest}, `}steps: [${steps.join(', ')}] },`,
    ...importLines(OPEN, new Set(['addColumn'])),
    ...columns.flatMap(replacementLines),
    ...made.flatMap(({ name, value }) =>
      value === undefined ? [] : [`  Existing rows get ${value} as ${name}: choose the value`],
    ),
    `  Or, if it is not a column: ${OTHERWISE}`,
  ];
}

const importLines = (file: string, names: ReadonlySet<string>): string[] => {
  const missing = [...names].filter((name) => !importOf(file, name));
  return missing.length === 0 ? [] : [`    import { ${missing.join(', ')} } from '${DATABASE}';`];
};

/** What a replacement leaves out is gone, which the handlers that `new` writes say by null. */
const replacementLines = ({ name, found }: Wanted): string[] =>
  found.flatMap(({ operation, required }) => {
    const file = HandlerList.read()?.sourceOf(operation.operationId);
    return operation.method === 'PUT' && !required && file !== undefined
      ? [`  ${file}, before ...body, so that a replacement without it removes it:`, `    ${name}: null,`]
      : [];
  });

function columnCode(document: OpenApiDocument, { name, found }: Wanted) {
  const of = found.find(({ operation }) => !operation.requestBody) ?? found[0];
  const schemas = of?.schemas ?? [];
  const isGiven = found.some(({ operation }) => operation.requestBody);
  const { type, nullable, narrow } = storedType(document, schemas, isGiven);
  const needsValue = !nullable && found.some(({ required }) => required);
  const value = needsValue ? valueCode(document, schemas, type) : undefined;
  const rule = value !== undefined ? `.default(${value})` : nullable ? '.nullable()' : '.optional()';
  const as = narrow && of ? `.as<${typeCode(of)}>()` : '';
  return { code: `${name}: ${type}${as}${rule}.added()`, type, value, isNarrow: as !== '' };
}

/** The type of a property, as generated/openapi.d.ts has it. */
function typeCode({ operation, within, name }: Lacking): string {
  const { operationId, requestBody, responses } = operation;
  const [status = '', response] = [...responses].find(([key]) => key.startsWith('2')) ?? [];
  const media = (requestBody ?? response)?.content.find(({ type }) => isJson(type.essence));
  const own = `operations[${quoted(operationId)}]`;
  const body = requestBody
    ? `NonNullable<${own}['requestBody']>`
    : `${own}['responses'][${/^\d+$/.test(status) ? status : quoted(status)}]`;
  const members = [...within, name].map((each) => `[${quoted(each)}]`).join('');
  return `NonNullable<${body}['content'][${quoted(media?.key ?? '')}]${members}>`;
}

/** A value for the rows that exist: the default of the schema, or any value that is valid. */
function valueCode(document: OpenApiDocument, schemas: readonly string[], type: ColumnType): string {
  const { values, examples } = viewSchemas(document, schemas, 'response');
  const defaults = certain(document, schemas).flatMap((schema) =>
    'default' in schema ? [schema['default']] : [],
  );
  const [value] = [
    ...[...defaults, ...(values?.values() ?? []), ...examples],
    ...samples(document, schemas[0] ?? '', 'response'),
  ];
  if (typeof value === 'string') return quoted(value);
  return type === 'INT64' ? `${String(value)}n` : stringifyJson(value);
}
