/** Writes the domain of a service and its storage: a collection for each resource of the document. */
import type { Names } from './names';
import { camelOf, capitalized, pascalOf, wordsOf } from './names';
import type { Stored } from './resources';
import type { Types } from './types';

/** A collection of the store. */
export interface Collection {
  readonly name: string;
  readonly table: string;
  /** The name of the type of its objects. */
  readonly typeName: string;
  readonly type: string;
}

/** Words of SQL that cannot be the name of a table. */
const RESERVED = new Set(
  'all and analyse array as asc case cast check collate column commit create default desc distinct do else end except false fetch for foreign from grant group having in index initially intersect into join key leading left like limit natural not null offset on only or order placing primary references returning right rollback select set some symmetric table then to trailing transaction true union unique update user using values when where window with'.split(
    ' ',
  ),
);

/** Types of this file and of tests/contract/service.ts, of TypeScript and of JavaScript. */
const TAKEN = new Set([
  ...[
    'Collection',
    'Entry',
    'Store',
    'OwnRefusal',
    'RefusalRule',
    'Scenario',
    'ServiceTarget',
    'Waiver',
    'Kind',
  ],
  ...['Record', 'Readonly', 'Partial', 'Required', 'Pick', 'Omit', 'Extract', 'Exclude'],
  ...Object.getOwnPropertyNames(globalThis),
]);

export function collectionsOf(stored: readonly Stored[], names: Names, types: Types): Collection[] {
  const typeNames = new Set([...TAKEN, `${names.pascal}Store`]);
  const found = stored.map(({ name, schema, read, status, mediaType }): Collection => {
    const component = /^\/components\/schemas\/([^/~]+)$/.exec(schema)?.[1];
    const singular = pascalOf(read.operationId).replace(
      /^(Get|Read|Fetch|Find|Retrieve|Show|Create|Add|Post|New)(?=[A-Z])/,
      '',
    );
    const base = capitalized(camelOf(component ?? singular, 'Item'));
    let typeName = base;
    for (let n = 1; typeNames.has(typeName); n++) typeName = `${base}${n === 1 ? 'Item' : n}`;
    typeNames.add(typeName);
    const words = wordsOf(name).join('_');
    return {
      name,
      table: RESERVED.has(words) ? `${words}_table` : words,
      typeName,
      type: types.of(schema, { operationId: read.operationId, status, mediaType }),
    };
  });
  if (found.length > 0) return found;
  return [{ name: 'items', table: 'items', typeName: 'Item', type: 'Readonly<Record<string, unknown>>' }];
}

export function domainFile(names: Names, collections: readonly Collection[]): string {
  const imported = ['components', 'operations'].filter((name) =>
    collections.some(({ type }) => type.startsWith(`${name}[`)),
  );
  return `import type { Store } from 'contract-first-server/database';
${imported.length > 0 ? `import type { ${imported.join(', ')} } from '../../generated/openapi';\n` : ''}
${collections.map(({ typeName, type }) => `export type ${typeName} = ${type};\n`).join('')}
/** An object with the key under which it is stored. */
export interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

/**
 * Objects of one kind. A write resolves only when it survives the end of the process and a power failure.
 *
 * Each method rejects with a StoreUnavailable if the store cannot do its work now: the client gets 503; and with an
 * InvalidValue if it cannot hold what it is given: the client gets 400 with its place. A limit may be as large as it likes.
 */
export interface Collection<T> {
  /**
   * At most \`limit\` entries after a key, in the order of their keys. The first page is after the empty key. What belongs to
   * another object has its key first: \`7/2\`, so that those of 7 follow \`7/\`.
   */
  list(after: string, limit: number): Promise<readonly Entry<T>[]>;
  get(key: string): Promise<T | undefined>;
  /** Resolves to false, and changes nothing, if the key is taken. */
  add(key: string, value: T): Promise<boolean>;
  /** Reads, changes and writes one object, so that no concurrent change is lost. Resolves to undefined if there is none. */
  update(key: string, change: (value: T) => T): Promise<T | undefined>;
  /** Resolves to false if there is none. */
  remove(key: string): Promise<boolean>;
}

/** All that this service stores. */
export interface ${names.pascal}Store extends Store {
${collections.map(({ name, typeName }) => `  readonly ${name}: Collection<${typeName}>;\n`).join('')}}
`;
}

/** Explains when a table of its own is due, with one that is tested: see tests/unit/new. */
const EXAMPLE = (table: string) => `/**
 * Keeps each object as JSON text. What is unique, counted, searched by or a reference deserves columns. A migration adds
 * them, here as a table of its own:
 *
 *     [
 *       'loans',
 *       createTable(
 *         'loans',
 *         sql\`id \${IDENTITY}, item \${TEXT} NOT NULL REFERENCES ${table} (key), code \${TEXT} NOT NULL UNIQUE\`,
 *       ),
 *     ],
 *
 * IDENTITY contains PRIMARY KEY. A statement that breaks a rule of its table throws a ConstraintViolation:
 *
 *     try {
 *       const [row] = await database.query(sql<{ id: bigint }>\`
 *         INSERT INTO loans (item, code) VALUES (\${item}, \${code}) RETURNING id\`);
 *       return row?.id;
 *     } catch (error) {
 *       if (error instanceof ConstraintViolation && error.constraint === 'unique') return 'taken';
 *       if (error instanceof ConstraintViolation && error.constraint === 'foreign key') return 'no such item';
 *       throw error;
 *     }
 */`;

export function storageFile(names: Names, collections: readonly Collection[]): string {
  const [first] = collections;
  const table = first?.table ?? 'items';
  return `import {
  createTable, type Database, openDatabase, type PerDialect, type Queries, type Schema, sql, type StoreObserver, TEXT,
} from 'contract-first-server/database';
import type { Collection, ${names.pascal}Store } from '../${names.kebab}/${names.kebab}-store';

const COLUMNS = sql\`key \${TEXT} PRIMARY KEY, value \${TEXT} NOT NULL\`;

const SCHEMA: Schema = {
  name: '${names.snake}',
  mark: '${names.mark}',
  // Append only, because databases out there have run the first ones: ['prices', sql\`ALTER TABLE ...\`]
  migrations: [
    ['collections', ${collections.map(({ table: name }) => `createTable('${name}', COLUMNS)`).join(', ')}],
  ],
  probe: sql\`INSERT INTO ${table} (key, value) SELECT key, value FROM ${table} WHERE 1 = 0\`,
};

/**
 * Opens the store in the database that a URL names: \`memory:\`, \`sqlite:PATH\` or
 * \`postgres://USER:PASSWORD@HOST:PORT/DATABASE\`.
 *
 * @throws {Error} when it cannot be used, with a sentence that says why and what to do
 */
export async function openStore(url: string, observer?: StoreObserver): Promise<${names.pascal}Store> {
  const database = await openDatabase(url, SCHEMA, observer);
  return {
${collections.map(({ name, table: own }) => `    ${name}: collection(database, '${own}'),\n`).join('')}    ready: () => database.ready(),
    close: () => database.close(),
  };
}

interface Row {
  readonly key: string;
  readonly value: string;
}

${EXAMPLE(table)}
function collection<T>(database: Database, name: string): Collection<T> {
  const table: PerDialect = { kind: 'dialect', sqlite: name, postgres: name };
  const find = async ({ query }: Pick<Queries, 'query'>, key: string): Promise<T | undefined> => {
    const [row] = await query(sql<Row>\`SELECT key, value FROM \${table} WHERE key = \${key}\`);
    return row && (read(row.value) as T);
  };
  return {
    async list(after, limit) {
      const rows = await database.query(sql<Row>\`
        SELECT key, value FROM \${table} WHERE key > \${after} ORDER BY key LIMIT \${limit}\`);
      return rows.map(({ key, value }) => ({ key, value: read(value) as T }));
    },
    get: (key) => find({ query: (statement) => database.query(statement) }, key),
    async add(key, value) {
      const added = await database.execute(sql\`
        INSERT INTO \${table} (key, value) VALUES (\${key}, \${write(value)}) ON CONFLICT (key) DO NOTHING\`);
      return added === 1;
    },
    update: (key, change) =>
      database.transaction(async (queries) => {
        const found = await find(queries, key);
        if (found === undefined) return undefined;
        const changed = change(found);
        await queries.execute(sql\`UPDATE \${table} SET value = \${write(changed)} WHERE key = \${key}\`);
        return changed;
      }),
    async remove(key) {
      return (await database.execute(sql\`DELETE FROM \${table} WHERE key = \${key}\`)) === 1;
    },
  };
}

/**
 * JSON text. A bigint, which handlers have for an integer of 64 bits, is # and its digits. A text that begins with # has
 * another before it, so that nothing a client sends is read as a bigint.
 */
const write = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return \`#\${member}\`;
    return typeof member === 'string' && member.startsWith('#') ? \`#\${member}\` : member;
  });

const read = (text: string): unknown =>
  JSON.parse(text, (_, member: unknown) => {
    if (typeof member !== 'string' || !member.startsWith('#')) return member;
    return member.startsWith('##') ? member.slice(1) : BigInt(member.slice(1));
  });
`;
}
