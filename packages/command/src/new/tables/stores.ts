/** Decides what a service stores: the files of its storage, and the handlers that follow from the document. */
import { isJson, lackingColumns, type OpenApiDocument, viewSchemas } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { handlerName } from '../../generate/handler-names';
import { stubText } from '../../generate/stub-text';
import { changeCode, createCode } from './change-code';
import { handlerFile, handlerPath, propertyName, Unclear } from '../code';
import { askedOf, bodySchemas, type Inside, insideOf } from '../errors/envelopes';
import {
  type Handled,
  isRestricted,
  type Method,
  readCode,
  removeCode,
  type Shared,
  successOf,
} from '../handler-code';
import { keyRefusals, retriable } from '../idempotent';
import type { Lack } from '../lack';
import { listCode } from './list-code';
import { type Paging, pagingOf } from './paging';
import { related } from './references';
import type { Resource } from './resources';
import { secretIn, secretOf } from './secrets';
import { storageCode } from './storage-code';
import { violationsOf } from './table-code';
import type { Table } from './tables';
import type { BodyPlace } from '../types';

/** A handler that follows from the document. */
export interface Written extends Pick<Handled, 'operation' | 'rejections' | 'calls'> {
  /** From its parameters on. */
  readonly code: string;
  /** Parameters that it does not use, because the document does not say what they change. */
  readonly unused: readonly string[];
}

/** An operation on a table whose handler does not follow from the document. */
export interface Stub {
  readonly operation: Operation;
  readonly reason: string;
}

export interface Stores {
  readonly tables: readonly Table[];
  /** The text of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  readonly written: readonly Written[];
  readonly stubs: readonly Stub[];
  /** The lines of src/storage/stored.ts: the table of the objects in the body of an operation. */
  readonly places: string;
}

/** Why an operation is a stub that was written, and did not work. */
export const UNFIT = 'what was generated for it does not conform to the document';

/**
 * The tables that a service has: those that a handler uses, and whose objects have no secret.
 *
 * @param without the files of tables that turned out not to conform to the document
 */
export function wholeOf(
  all: readonly Table[],
  errors: Omit<Shared, 'tables'>,
  without: ReadonlySet<string>,
): { readonly tables: readonly Table[]; readonly stubs: readonly Stub[] } {
  const stubs: Stub[] = [];
  for (let tables = related(all); ;) {
    const shared = sharedBy(tables, errors);
    const half = new Set(
      tables.filter((table) => {
        const own = handlersOf(shared, table);
        const reason = without.has(table.file)
          ? () => UNFIT
          : (secretReason(table, errors.document) ?? wholeReason(table, own));
        if (reason !== undefined)
          stubs.push(...operationsOn(table).map((operation) => ({ operation, reason: reason(operation) })));
        return reason !== undefined;
      }),
    );
    if (half.size === 0) return { tables, stubs };
    tables = related(tables.filter((table) => !half.has(table)));
  }
}

/** Why nothing of a table is stored, if its objects have a secret. */
function secretReason({ stored, columns }: Table, document: OpenApiDocument): (() => string) | undefined {
  const { create, replace, patch }: Partial<Resource> = stored ?? {};
  const secret =
    [create, replace, patch]
      .map((operation) => secretIn(document, operation ? bodySchemas(document, operation) : []))
      .find((name) => name !== undefined) ??
    columns
      .map(({ property = '', schemas }) => secretOf(document, property, schemas))
      .find((name) => name !== undefined);
  return secret === undefined
    ? undefined
    : () => `${secret} is a secret: decide how to store it, not as it was sent`;
}

/** Why no handler of a table is written; undefined: some are. */
function wholeReason(
  { stored, keys }: Table,
  { stubs, written, lacks }: ReturnType<typeof handlersOf>,
): ((operation: Operation) => string) | undefined {
  if (!stored) return undefined;
  // Its handlers would agree on no table: what one creates, no other would find.
  const own = keys.at(-1);
  if ('read' in stored && stored.create && own?.property === undefined)
    return () =>
      stored.id === undefined
        ? `its objects have no property for ${own?.parameter}, by which their path names them: decide where it comes from`
        : `its path has ${own?.parameter} in another form than its objects have ${stored.id}: decide how one becomes the other`;
  if (written.length > 0 || lacks.length > 0) return undefined;
  return (operation) => stubs.find((one) => one.operation === operation)?.reason ?? '';
}

const operationsOn = ({ stored }: Table): Operation[] => {
  const { list, create, read, replace, patch, remove, also = [] }: Partial<Resource> = stored ?? {};
  return [list, create, read, replace, patch, remove, ...also].flatMap((operation) => operation ?? []);
};

const sharedBy = (tables: readonly Table[], errors: Omit<Shared, 'tables'>): Shared => ({
  ...errors,
  tables: new Map(tables.map((table) => [table.name, table])),
});

export function storesOf(
  tables: readonly Table[],
  typeOf: (body: BodyPlace) => string,
  errors: Omit<Shared, 'tables'>,
  operationIds: readonly string[],
  others: readonly Stub[],
): Stores {
  const { document } = errors;
  const shared = sharedBy(tables, errors);
  const names = operationIds.map((id) => handlerName(id).file.toLowerCase());
  // An operation whose name in code is that of another one gets a name of its own later.
  const isNamed = ({ operation }: { readonly operation: Operation }) =>
    names.filter((name) => name === handlerName(operation.operationId).file.toLowerCase()).length === 1;
  const parts = tables.map((table) => {
    const { paging, ...own } = handlersOf(shared, table);
    const written = own.written.filter(isNamed);
    const callers = (method: Method) => written.filter(({ calls }) => calls.includes(method));
    const rules = callers('change').flatMap(({ rejections }) => rejections.map(({ rule }) => rule));
    const file = storageCode(
      {
        ...{ table, type: typeOfOne(document, table, typeOf) },
        // A list that no handler asks for would be one that ignores what the document says of it.
        paging: callers('list').length > 0 ? paging : undefined,
        ...{ counts: callers('count').length > 0, removes: callers('remove').length > 0 },
        changes:
          callers('change').length === 0
            ? undefined
            : violationsOf(table).filter((rule) => rules.includes(rule)),
        isRestricted: isRestricted(table, shared.tables),
      },
      shared.tables,
    );
    const places = placesOf(shared, table);
    return { files: [[`src/storage/${table.file}.ts`, file] as const], written, places, stubs: own.stubs };
  });
  const written = parts.flatMap((part) => part.written);
  const stubs = [...others, ...parts.flatMap((part) => part.stubs)].filter(isNamed);
  return {
    ...{ tables, written, stubs, places: parts.map(({ places }) => places).join('') },
    files: Object.fromEntries([
      ...parts.flatMap(({ files }) => files),
      ...written.map(
        ({ operation, code }) => [handlerPath(operation), handlerFile(operation, code)] as const,
      ),
      ...stubs.map(
        ({ operation, reason }) =>
          [
            handlerPath(operation),
            stubText(operation, handlerName(operation.operationId), '', reason),
          ] as const,
      ),
    ]),
  };
}

/** What the handlers need, and the document lacks. */
export function lacking(tables: readonly Table[], errors: Omit<Shared, 'tables'>): Lack[] {
  const shared = sharedBy(tables, errors);
  return tables.flatMap((table) => handlersOf(shared, table).lacks);
}

/** The handlers of a table, what they lack, and the operations that the document does not describe well enough. */
function handlersOf(shared: Shared, table: Table) {
  const paging = pagingFor(shared.document, table);
  const stored: Partial<Resource> = table.stored ?? {};
  const makers: [Operation | undefined, (of: Handled) => string][] = [
    [stored.list, (of) => listCode(of, paging)],
    [stored.create, createCode],
    [stored.read, readCode],
    [stored.replace, (of) => changeCode(of, true)],
    [stored.patch, (of) => changeCode(of, false)],
    [stored.remove, removeCode],
  ];
  const [written, lacks, stubs]: [Written[], Lack[], Stub[]] = [[], [], []];
  for (const [operation, make] of makers) {
    if (!operation) continue;
    const of: Handled = { ...shared, table, operation, ...nothing() };
    try {
      const code = make(of);
      if (of.lacks.length === 0) {
        // A list uses its parameters, or is a stub that says which it cannot use.
        const unused = operation === stored.list ? [] : unusedBy(operation);
        written.push({ ...of, unused, code: retriable(operation, withTodo(code, unused)) });
      }
      lacks.push(...of.lacks, ...keyRefusals(operation, of.lacks));
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      stubs.push({ operation, reason: error.message });
    }
  }
  for (const operation of stored.also ?? [])
    stubs.push({
      operation,
      reason: `its path names the objects of ${stored.read?.paths[0] ?? ''}: decide what differs here`,
    });
  return {
    paging,
    written,
    lacks,
    stubs: stubs.map((stub) => (stub.operation === stored.create ? waitedFor(stub, written) : stub)),
  };
}

/** The parameters that a handler on one object does not use. The server reads the standard ones. */
const unusedBy = ({ parameters }: Operation): string[] =>
  parameters
    .filter(({ in: place, name }) => place === 'query' || (place === 'header' && !STANDARD.test(name)))
    .map(({ in: place, name }) => `${name} (${place})`);
const STANDARD = /^(accept.*|authorization|content-.*|idempotency-key|if-.*|user-agent|x-request-id)$/i;

const withTodo = (code: string, unused: readonly string[]): string =>
  unused.length === 0
    ? code
    : code.replace(
        '=> {\n',
        () => `=> {\n// To do: decide what ${unused.join(' and ').replace(/\s+/g, ' ')} changes here.\n`,
      );

/** The stub of the operation that creates objects, which the handlers that read them wait for. */
function waitedFor({ operation, reason }: Stub, written: readonly Written[]): Stub {
  const readers = written.map((one) => one.operation.operationId).join(', ');
  return {
    operation,
    reason: readers === '' ? reason : `${reason}. Until you write it, there is no object for ${readers}`,
  };
}

/** What whoever writes the code of a handler adds to. */
const nothing = () => ({ lacks: [], rejections: [], calls: [] }) satisfies Partial<Handled>;

/** The lines of src/storage/stored.ts for a table: of the operations whose bodies are one of its objects, stubs among them. */
function placesOf(shared: Shared, table: Table): string {
  const { document } = shared;
  const { create, read, replace, patch }: Partial<Resource> = table.stored ?? {};
  if (table.kind !== 'columns') return '';
  const columns = Object.fromEntries(
    [...table.keys, ...table.columns].map(({ name }) => [name, { kind: 'column' }]),
  );
  const lines = [create, read, replace, patch].map((operation): string => {
    const inside = operation && objectIn({ ...shared, table, operation, ...nothing() });
    // `StoredBodies` has no operation with a name that every object inherits.
    if (!inside || inside.isList || operation.operationId in Object.prototype) return '';
    const { property } = inside;
    const places = property === undefined ? columns : { [property]: columns };
    if (lackingColumns(document, operation, places).length > 0) return '';
    const direction = operation.requestBody ? 'request' : 'response';
    const { properties: own, withheld } = viewSchemas(document, inside.schemas, direction);
    // The type of an object without properties has all of them.
    if ([...own.keys()].every((name) => withheld.has(name))) return '';
    if ([...own.keys()].some((name) => !withheld.has(name) && !Object.hasOwn(columns, name))) return '';
    const place =
      property === undefined ? table.variable : `{ ${propertyName(property)}: ${table.variable} }`;
    return `${propertyName(operation.operationId)}: ${place},\n`;
  });
  return lines.join('');
}

/** Where a body has the object: that of the request, or else that of the response. */
function objectIn(of: Handled): Inside | undefined {
  const { document, operation } = of;
  if (operation.requestBody) return askedOf(document, operation);
  try {
    return successOf(of, 'one').inside;
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}

/** How the list of a table is asked for; undefined: it has none. */
function pagingFor(document: OpenApiDocument, table: Table): Paging | undefined {
  const list = table.stored?.list;
  const [, success] = [...(list?.responses ?? [])].find(([key]) => key.startsWith('2')) ?? [];
  const schema = success?.content.find(({ type }) => isJson(type.essence))?.schema;
  if (!list || schema === undefined) return undefined;
  const { isList, property } = insideOf(document, [schema], 'response', 'list');
  if (!isList) return undefined;
  const view = viewSchemas(document, [schema], 'response');
  const own = property === undefined ? [schema] : (view.properties.get(property) ?? []);
  const most = viewSchemas(document, own, 'response').most.get('Items');
  return pagingOf(document, list, table, most && Number(most.value));
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
