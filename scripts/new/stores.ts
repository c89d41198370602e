/** Decides what a service stores: the files of its storage, and the handlers that follow from the document. */
import type { OpenApiDocument } from '../../src/contract';
import { handlerName } from '../generate/handler-names';
import { handlerFile, handlersOf, isRestricted, type Shared, type Written } from './handler-code';
import type { Refused } from './overlay';
import { openerOf, partOf, storageCode, violationsOf } from './storage-code';
import type { Table } from './tables';
import type { BodyPlace } from './types';

export interface Stores {
  readonly tables: readonly Table[];
  /** The text of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  readonly written: readonly Written[];
}

export function storesOf(
  document: OpenApiDocument,
  tables: readonly Table[],
  typeOf: (body: BodyPlace) => string,
  errors: Pick<Shared, 'usual' | 'others' | 'kinds'>,
  operationIds: readonly string[],
): Stores {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const shared = { document, tables: byName, ...errors };
  const names = operationIds.map((id) => handlerName(id));
  const count = (file: string) =>
    names.filter((name) => name.file.toLowerCase() === file.toLowerCase()).length;
  const parts = tables.map((table) => {
    const { written, paging } = handlersOf(shared, table);
    // An operation whose name in code is that of another one gets a name of its own later.
    const own = written.filter(({ operation }) => count(handlerName(operation.operationId).file) === 1);
    const codes = (need: Written['needs']) =>
      own.flatMap(({ needs, code }) => (needs === need && code) || []);
    const changing = codes('change').join('');
    const file = storageCode(
      {
        ...{ table, paging, type: typeOfOne(document, table, typeOf) },
        counts: own.some(({ code = '' }) => code.includes(`store.${table.name}.count(`)),
        changes:
          changing === ''
            ? undefined
            : violationsOf(table).filter((rule) => changing.includes(`=== '${rule}'`)),
        removes: codes('remove').length > 0,
        isRestricted: isRestricted(table, byName),
      },
      byName,
    );
    return { table, file, own };
  });
  const written = parts.flatMap(({ own }) => own);
  return {
    ...{ tables, written },
    files: {
      ...Object.fromEntries(parts.map(({ table, file }) => [`src/storage/${table.file}.ts`, file])),
      ...Object.fromEntries(
        written.flatMap(({ operation, code }) =>
          code === undefined
            ? []
            : [[`src/handlers/${handlerName(operation.operationId).file}.ts`, handlerFile(operation, code)]],
        ),
      ),
    },
  };
}

/** What the handlers need to refuse, and the document lacks. */
export function lacking(
  document: OpenApiDocument,
  tables: readonly Table[],
  errors: Pick<Shared, 'usual' | 'others' | 'kinds'>,
): Refused[] {
  const shared = { document, tables: new Map(tables.map((table) => [table.name, table])), ...errors };
  return tables.flatMap((table) => handlersOf(shared, table).written.flatMap(({ lacks }) => lacks));
}

/** The TypeScript type of one object of a table, as the document has it. */
function typeOfOne(
  document: OpenApiDocument,
  { stored }: Table,
  typeOf: (body: BodyPlace) => string,
): string {
  if (!stored) return 'object';
  const { body, inside } = stored;
  const type = typeOf({ ...body, schema: document.follow(inside.schemas[0] ?? body.schema).pointer });
  if (inside.property === undefined || type.startsWith('components[')) return type;
  return `NonNullable<${type}['${inside.property}']>`;
}

/** What open.ts and the interface of the store have of the tables. */
export const imports = (tables: readonly Table[]): string =>
  tables
    .map((table) => `import { ${table.variable}, ${openerOf(table)} } from './${table.file}';\n`)
    .join('');

export const creations = (tables: readonly Table[]): string =>
  tables.map(({ variable }) => `createTable(${variable}),\n`).join('');

export const members = (tables: readonly Table[]): string =>
  tables.map((table) => `${table.name}: ${openerOf(table)}(database),\n`).join('');

export const typeImports = (tables: readonly Table[]): string =>
  tables.map((table) => `import type { ${partOf(table)} } from '../storage/${table.file}';\n`).join('');

export const typeMembers = (tables: readonly Table[]): string =>
  tables.map((table) => `readonly ${table.name}: ${partOf(table)};\n`).join('');
