/** Names the tables of a service: one for each kind of object that its document stores, with its columns, keys and references. */
import { joinPointer, type OpenApiDocument, viewSchemas } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { DEVICES, isIdentifier, LONGEST } from '../../generate/handler-names';
import { type ColumnType, typeOf } from '../../generate/column-types';
import { HANDLER_NAMES } from '../code';
import { type Column, columnName, columnsOf } from './columns';
import { bodySchemas } from '../errors/envelopes';
import { camelOf, capitalized, type Names, singularOf, wordsOf } from '../names';
import { isConvertible, numbersFor } from './path-keys';
import type { Resource, Stored } from './resources';
import { secretOf } from './secrets';
import { componentOf } from '../types';

/** How an object gets its key. `either`: a UUID, unless the client gives it. `digits`: the text of a random number. */
export type KeySource = 'given' | 'either' | 'uuid' | 'counted' | 'digits' | 'unknown';

/** A column by which a path names an object. */
export interface KeyColumn extends Column {
  /** The parameter of the path; undefined: no path has it. */
  readonly parameter: string | undefined;
  /** JSON pointers to the schemas of the parameter, if it has another type. */
  readonly inPath?: readonly string[];
}

export interface Reference {
  /** The name of the other resource. */
  readonly to: string;
  /** The column of its key. */
  readonly column: string;
  /** What becomes of what refers to one that is deleted; undefined: it cannot be deleted. */
  readonly onDelete: 'CASCADE' | 'SET NULL' | undefined;
}

/** The table of a resource. */
export interface Table {
  readonly stored: Stored | Resource | undefined;
  /** The name of its part of the store: `specialEvents`. */
  readonly name: string;
  /** The name of the variable with the table. */
  readonly variable: string;
  /** The name of its file, without `.ts`. */
  readonly file: string;
  /** The name of the type of its objects, and of a variable with one. */
  readonly typeName: string;
  readonly one: string;
  /** What people call one of its objects: `special event`. */
  readonly noun: string;
  /**
   * What it keeps beside the keys: a column for each property; these and the other properties in a column of JSON, `others`;
   * or the whole object in one, `value`.
   */
  readonly kind: 'columns' | 'others' | 'value';
  readonly columns: readonly Column[];
  /** The primary key: what is before the object in its path, then its own key. */
  readonly keys: readonly KeyColumn[];
  readonly source: KeySource;
  /** The column of which no two objects have the same value: the document says 409. */
  readonly unique: Column | undefined;
  /** Whether an object is not deleted while another refers to it: the document says 409. */
  readonly isKept?: boolean;
  readonly references: ReadonlyMap<string, Reference>;
}

/** The name of the function that makes the part of the store. */
export const openerOf = ({ name }: Pick<Table, 'name'>): string => `${name}In`;
/** The name of the type of the part of the store. `Store` ends the name of the whole: a service of its name may have the table. */
export const partOf = ({ name }: Pick<Table, 'name'>): string => `${capitalized(name)}Part`;

/** Names that the files of a service use: types of TypeScript, of JavaScript and of the library. */
const TYPES = `Database Store OwnRefusal RefusalRule Scenario ServiceTarget Waiver Kind RowOf NewRowOf ChangesOf Schema StoreObserver Record
  Readonly Partial Required Pick Omit Extract Exclude NonNullable ReturnType Document Query Dependencies StoredBodies`;
const VARIABLES = `components operations INTEGER table select update insertInto deleteFrom equal and or sql only unlessViolated database count query openDatabase
  createTable store body path status errorBody randomInt randomUUID now others value added rest limit offset
  openStore partsIn onceIn idempotencyTtl stored where columns changes changed removed direction found sorts`;
const taken = (words: string): Set<string> =>
  new Set([...words.split(/\s+/), ...Object.getOwnPropertyNames(globalThis)]);
/** The names that the functions of a store and of its handlers use. */
const IN_FUNCTIONS = {
  store: taken(
    'database select update insertInto deleteFrom equal and sql only unlessViolated toDocument INTEGER columns where changes changed removed direction found sorts',
  ),
  handler: taken(`query path body now ${HANDLER_NAMES.join(' ')}`),
};
/** Whether such a function can have a variable of this name. */
export const isFreeIn = (where: keyof typeof IN_FUNCTIONS, name: string): boolean =>
  isIdentifier(name) && !IN_FUNCTIONS[where].has(name);

/** Properties that name what no other object has, the surest first. */
const NATURAL = [
  /^(slug|email|emailaddress|mail|username|userid|login|handle|code|sku|isbn|ean|barcode|iban|vin|serial|serialnumber|number|key)$/,
  /^(name|title|url|uri|phone|phonenumber|label)$/,
];

/** The tables, without their references. */
export function tablesOf(
  document: OpenApiDocument,
  stored: readonly (Stored | Resource)[],
  names: Names,
): Table[] {
  const types = taken(TYPES).add(`${names.pascal}Store`);
  const [variables, files] = [taken(VARIABLES), new Set(['open', 'stored', ...DEVICES])];
  for (const { name } of stored) {
    variables.add(openerOf({ name }));
    types.add(partOf({ name }));
  }
  return stored.flatMap((one): Table[] => {
    const { create, inside, name } = one;
    const found = columnsOf(document, inside.schemas, create ? bodySchemas(document, create) : []);
    const keys = keysOf(document, one, found?.columns ?? []);
    if (keys.some(({ type }) => type === 'JSON_VALUE')) return []; // a path of lists or objects
    const isNamed = ({ name, property }: Column) => name === property;
    const isWhole = !found || !keys.every((key) => key.property === undefined || isNamed(key));
    // A secret that no client gives, and no response needs, is nothing that the service has.
    const isKept = ({ made, required, property = '', schemas }: Column) =>
      !made || required || secretOf(document, property, schemas) === undefined;
    const columns = isWhole ? [] : found.columns.filter((each) => isNamed(each) && isKept(each));
    const hasOthers = found && (found.isOpen || !found.columns.every(isNamed));
    // The path names what the object need not have.
    const isApart = keys.some(
      ({ property }) => !found?.columns.some((column) => column.property === property && column.required),
    );
    const kind = isWhole || (hasOthers && isApart) ? 'value' : hasOthers ? 'others' : 'columns';
    const component = componentOf(document.follow(inside.schemas[0] ?? '').pointer);
    const item = camelOf(component ?? singularOf(name), 'item');
    const typeName = free(capitalized(item), 'Item', types);
    types.add(capitalized(name));
    // A parameter would hide the table.
    for (const one of kind === 'others' ? [...keys, ...columns] : keys)
      if (name === one.name) variables.add(name);
    const variable = free(isIdentifier(name) ? name : `${name}Table`, 'Table', variables);
    return [
      {
        ...{ stored: one, name, variable, typeName, kind, keys, noun: wordsOf(item).join(' ') },
        columns: kind === 'value' ? [] : columns,
        source: sourceOf(document, keys.at(-1), create),
        file: free(wordsOf(name).join('-').slice(0, LONGEST), '', files),
        one: free(
          isIdentifier(item) ? item : `${item}Item`,
          'Item',
          new Set([...variables, ...keys.map((key) => key.name)]),
        ),
        unique: uniqueOf(document, create, columns, keys),
        isKept: 'remove' in one && one.remove !== undefined && conflictOf(document, one.remove) !== undefined,
        references: new Map(),
      },
    ];
  });
}

const column = (name: string, type: ColumnType): Column => ({
  ...{ property: undefined, name, type, schemas: [] },
  ...{ required: true, nullable: false, narrow: false, made: true },
});

/** The table of a service whose document has neither a resource nor users: an example. */
export const ITEMS: Table = {
  ...{
    stored: undefined,
    name: 'items',
    variable: 'items',
    file: 'items',
    typeName: 'Item',
    one: 'item',
    noun: 'item',
    kind: 'columns',
  },
  ...{
    columns: [column('name', 'TEXT')],
    keys: [{ ...column('id', 'INT64'), parameter: undefined }],
    source: 'counted',
  },
  ...{ unique: undefined, references: new Map() },
};

/** A name that is not taken: with an ending, or a number. */
function free(base: string, ending: string, taken: Set<string>): string {
  let name = base;
  for (let n = 1; taken.has(name); n++)
    name = n === 1 && ending !== '' ? `${base}${ending}` : `${base}${n + (ending === '' ? 1 : 0)}`;
  taken.add(name);
  return name;
}

/** The columns that hold whole documents. */
const DOCUMENTS = ['value', 'others'];

/** The key of an object: the parameters before it in its path, and its own. */
function keysOf(document: OpenApiDocument, one: Stored | Resource, columns: readonly Column[]): KeyColumn[] {
  const operation = 'read' in one ? one.read : one.create;
  const [path = ''] = operation?.paths ?? [];
  // In the order of the path: the list of parameters may have another one.
  const parameters = (operation?.parameters ?? [])
    .filter((parameter) => parameter.in === 'path')
    .sort((a, b) => path.indexOf(`{${a.name}}`) - path.indexOf(`{${b.name}}`));
  const taken = new Set([...DOCUMENTS, ...columns.map(({ name }) => name.toLowerCase())]);
  const isFree = (each: string) =>
    !DOCUMENTS.includes(each) && isFreeIn('store', each) && isFreeIn('handler', each);
  const found = new Set<Column>();
  const keys = parameters.map(({ name, schemaPointer }, i): KeyColumn => {
    const schemas = schemaPointer === undefined ? [] : [schemaPointer];
    const { type } = typeOf(document, schemas);
    const isAlike = (each: Column) => each.type === type || (each.type === 'DOUBLE' && type === 'INTEGER');
    const isOwn = 'read' in one && i === parameters.length - 1;
    const property = columns.find(
      (each) =>
        each.property === (isOwn ? one.id : name) &&
        // The property that names the object is not that of what is above it.
        (isOwn || !('read' in one) || each.property !== one.id) &&
        !found.has(each) &&
        (isAlike(each) || (isOwn && each.made && isConvertible(document, schemas, each))) &&
        isFree(each.name),
    );
    if (property) found.add(property);
    // The path names it: it is always there, even where its schema requires nothing. The service never makes it null.
    if (property && (property.made || !property.nullable))
      return {
        ...{ ...property, required: true, nullable: false, parameter: name },
        ...(isAlike(property) ? {} : { inPath: schemas }),
      };
    const own = columnName(isFree(name) ? name : `${name}Key`, 'key', taken);
    return { ...column(own, type), schemas, parameter: name };
  });
  if ('read' in one) return keys;
  const id = columns.find(({ name, required, type }) => name === 'id' && required && type !== 'JSON_VALUE');
  return [...keys, { ...(id ?? column(columnName('number', 'key', taken), 'INT64')), parameter: undefined }];
}

/** Where the own key of an object comes from. */
function sourceOf(
  document: OpenApiDocument,
  key: KeyColumn | undefined,
  create: Operation | undefined,
): KeySource {
  if (!key || !create) return 'unknown';
  if (key.property === undefined) return key.parameter === undefined ? 'counted' : 'unknown';
  const asked = viewSchemas(document, bodySchemas(document, create), 'request');
  if (!key.made && asked.required.has(key.property)) return 'given';
  if (!key.made && !/^(id|uuid|guid)$/i.test(key.property)) return 'unknown';
  if (key.made && (key.type === 'INT64' || key.type === 'INTEGER')) return 'counted';
  if (key.inPath && key.type === 'TEXT') return numbersFor(document, key.inPath) ? 'digits' : 'unknown';
  const { formats, patterns, values, least, most } = viewSchemas(document, key.schemas, 'response');
  const isFree =
    (formats.size === 0 || (formats.size === 1 && formats.has('uuid'))) &&
    patterns.size === 0 &&
    !values &&
    Number(least.get('Length')?.value ?? 0) <= 36 &&
    Number(most.get('Length')?.value ?? 36) >= 36;
  return key.type !== 'TEXT' || !isFree ? 'unknown' : key.made ? 'uuid' : 'either';
}

/** What the document says of the 409 of an operation; undefined if it has none, or one about the Idempotency-Key alone. */
export function conflictOf(document: OpenApiDocument, operation: Operation | undefined): string | undefined {
  if (!operation?.responses.has('409')) return undefined;
  const text = document.follow(joinPointer(operation.pointer, 'responses', '409')).value['description'];
  const said = typeof text === 'string' ? (text.split('\n')[0] ?? '').replace(/\.$/, '') : '';
  return /^[^.,;]*idempotency.key[^.,;]*$/i.test(said) ? undefined : said;
}

/** What the description of a 409 says where two objects may not share a value. */
const DUPLICATE = /^$|^conflict\b|exist|already|duplicate|taken|unique|same|in use|another/i;

/** The property that 409 speaks of, where the key is none that a client chooses: the one that it names, or the only natural key. */
function uniqueOf(
  document: OpenApiDocument,
  create: Operation | undefined,
  columns: readonly Column[],
  keys: readonly KeyColumn[],
): Column | undefined {
  const said = conflictOf(document, create);
  if (!create || said === undefined || keys.at(-1)?.made !== true || !DUPLICATE.test(said)) return undefined;
  const asked = viewSchemas(document, bodySchemas(document, create), 'request');
  const texts = columns.filter(
    ({ type, narrow, property = '' }) => type === 'TEXT' && !narrow && asked.required.has(property),
  );
  const words = new Set(wordsOf(said));
  const named = texts.filter(({ name }) => wordsOf(name).every((word) => words.has(word)));
  const natural = NATURAL.map((pattern) => texts.filter(({ name }) => pattern.test(wordsOf(name).join(''))));
  const [only, another] = [named, ...natural, texts].find(({ length }) => length > 0) ?? [];
  return another ? undefined : only;
}
