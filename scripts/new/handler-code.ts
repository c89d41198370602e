/** Writes the handlers that follow from the document: create, read, list, replace, change and delete. */
import {
  isJson,
  isObject,
  joinPointer,
  members,
  type OpenApiDocument,
  type Operation,
  stringifyJson,
  viewSchemas,
} from '../../src/contract';
import { handlerName, quoted } from '../generate/handler-names';
import { type Column, typeOf } from './columns';
import { askedOf, type Inside, insideOf } from './envelopes';
import { codeOf, propertyName } from './error-body';
import type { ErrorBody, OtherBody, OwnKind } from './errors';
import { capitalized, wordsOf } from './names';
import type { Refused } from './overlay';
import { type Paging, pagingOf } from './paging';
import type { Resource } from './resources';
import { spoken, TYPES, type Violation, violationsOf } from './storage-code';
import type { Table } from './tables';
import { handledValue } from './types';

/** What the handlers of a service share. */
export interface Shared {
  readonly document: OpenApiDocument;
  /** The body of most errors; undefined: the document has none. */
  readonly usual: ErrorBody | undefined;
  readonly others: readonly OtherBody[];
  readonly kinds: readonly OwnKind[];
  readonly tables: ReadonlyMap<string, Table>;
}

/** A handler, or why there is none. */
export interface Written {
  readonly operation: Operation;
  /** The code from its parameters on; undefined: it is a stub. */
  readonly code: string | undefined;
  readonly reason: string;
  readonly needs: 'get' | 'list' | 'count' | 'add' | 'change' | 'remove' | undefined;
  /** What it would be refused with that the document does not have. It is a stub then, until the overlay adds it. */
  readonly lacks: readonly Refused[];
}

/** Thrown where the document does not tell what a handler does. */
class Unclear extends Error {}

type Maker = (of: Handled) => string;

/** An operation on a table. */
interface Handled {
  readonly shared: Shared;
  readonly table: Table;
  readonly operation: Operation;
  readonly lacks: Refused[];
}

/** The handlers of a table. */
export function handlersOf(
  shared: Shared,
  table: Table,
): { readonly written: readonly Written[]; readonly paging: Paging | undefined } {
  const { stored } = table;
  if (!stored) return { written: [], paging: undefined };
  const resource: Partial<Resource> = stored;
  const make = (operation: Operation | undefined, needs: Written['needs'], maker: Maker): Written[] => {
    if (!operation) return [];
    const lacks: Refused[] = [];
    const stub = (reason: string, lacks: readonly Refused[] = []): Written[] => [
      { operation, needs: undefined, code: undefined, reason, lacks },
    ];
    try {
      const code = maker({ shared, table, operation, lacks });
      const [first] = lacks;
      if (first) return stub(`it documents no ${first.status}`, lacks);
      return [{ operation, needs, code, reason: '', lacks }];
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      return stub(error.message);
    }
  };
  const { list } = stored;
  const inside = list && listed(shared.document, list);
  const paging =
    list && inside && pagingOf(shared.document, list, table, maxItems(shared.document, list, inside));
  return {
    written: [
      ...make(list, 'list', (of) => listCode(of, inside, paging)),
      ...make(stored.create, 'add', createCode),
      ...make(resource.read, 'get', readCode),
      ...make(resource.replace, 'change', (of) => changeCode(of, true)),
      ...make(resource.patch, 'change', (of) => changeCode(of, false)),
      ...make(resource.remove, 'remove', removeCode),
    ],
    paging,
  };
}

/** The text of the file of a handler. */
export function handlerFile(operation: Operation, code: string): string {
  const {
    operationId,
    method,
    paths: [path = ''],
  } = operation;
  const { identifier } = handlerName(operationId);
  return `${code.includes('randomUUID(') ? "import { randomUUID } from 'node:crypto';\n" : ''}${code.includes('errorBody(') ? "import { errorBody } from '../errors';\n" : ''}import type { CreateHandler } from './types';

/** ${method} ${path.replaceAll('*/', '* /')} */
export const ${identifier}: CreateHandler<${quoted(operationId)}> =
  ({ store }) =>
  ${code};
`;
}

/** The first success of an operation. */
function successOf({ shared: { document }, operation }: Handled, wanted: 'one' | 'list') {
  const [key, response] = [...operation.responses].find(([key]) => key.startsWith('2')) ?? [];
  if (key === undefined || !response) throw new Unclear('has no success but default');
  const status = Number(key.replace('XX', '00'));
  if (hasHeaders(document, operation, key)) throw new Unclear('its success has headers');
  const [media, another] = response.content;
  if (!media) return { status, inside: undefined };
  if (another || !isJson(media.type.essence) || media.schema === undefined)
    throw new Unclear('its success is not JSON alone');
  return { status, inside: insideOf(document, [media.schema], 'response', wanted) };
}

/** Whether a handler has to give headers: those that are required, and those by reference, whose type is never optional. */
function hasHeaders(document: OpenApiDocument, { pointer, responses }: Operation, key: string): boolean {
  const headers = document.follow(joinPointer(pointer, 'responses', key)).value['headers'];
  const isReference = ([, header]: readonly [string, unknown]) => isObject(header) && '$ref' in header;
  return (
    responses.get(key)?.headers.some(({ required }) => required) === true ||
    members(headers).some(isReference)
  );
}

function listed(document: OpenApiDocument, list: Operation): Inside | undefined {
  const [, success] = [...list.responses].find(([key]) => key.startsWith('2')) ?? [];
  const schema = success?.content.find(({ type }) => isJson(type.essence))?.schema;
  const inside = schema === undefined ? undefined : insideOf(document, [schema], 'response', 'list');
  return inside?.isList === true ? inside : undefined;
}

function maxItems(document: OpenApiDocument, list: Operation, { property }: Inside): number | undefined {
  const [, success] = [...list.responses].find(([key]) => key.startsWith('2')) ?? [];
  const schema = success?.content[0]?.schema ?? '';
  const view = viewSchemas(document, [schema], 'response');
  const items =
    property === undefined ? view : viewSchemas(document, view.properties.get(property) ?? [], 'response');
  const most = items.most.get('Items');
  return most && Number(most.value);
}

/** An answer with a status that the document has for errors of this kind. The first one, if it has none, is lacking. */
function refusal(
  { shared, operation, lacks }: Handled,
  statuses: readonly number[],
  message: string,
): string {
  const { document, usual, others, kinds } = shared;
  for (const status of statuses) {
    const kind = kinds.find((one) => one.status === status)?.kind;
    const key = String(status);
    const response = operation.responses.get(key);
    if (!response || kind === undefined) continue;
    if (hasHeaders(document, operation, key)) continue;
    const [media, another] = response.content;
    if (!media) return `return { status: ${status} };`;
    const { value } = document.follow(media.schema ?? '');
    const isUsual =
      media.key === usual?.mediaType && stringifyJson(value) === stringifyJson(document.at(usual.schema));
    const isOther = others.some((one) => one.operationId === operation.operationId && one.status === status);
    if (isUsual && !another && !isOther)
      return `return { status: ${status}, body: errorBody(${quoted(kind)}, ${message.includes('${') ? `\`${message}\`` : quoted(message)}) };`;
  }
  const [status] = statuses;
  if (status !== undefined && !statuses.some((one) => operation.responses.has(String(one)))) {
    const said = message.replace(/ \$\{.*?\}/g, '');
    lacks.push({ operation, status, description: `${capitalized(said)}.` });
    return '';
  }
  throw new Unclear(
    `it has no ${statuses.join(' or ')} with the usual body, for: ${message.replace(/\$\{.*?\}/g, '...')}`,
  );
}

/** The variables of the parameters of a path, and the code that takes them. */
function pathOf({ shared: { document }, table, operation }: Handled) {
  const named = operation.parameters.filter((parameter) => parameter.in === 'path');
  const keys = table.keys.flatMap((key) => {
    const name = key.parameter;
    const schema = named.find((one) => one.name === name)?.schemaPointer;
    if (name === undefined || schema === undefined) return [];
    if (TYPES[typeOf(document, [schema]).type] !== TYPES[key.type])
      throw new Unclear(`${name} has another type here`);
    return [{ key, name }];
  });
  if (keys.length < named.length) throw new Unclear('its path has parameters that its objects do not have');
  const taken = keys.map(({ key, name }) =>
    name === key.name ? name : `${propertyName(name)}: ${key.name}`,
  );
  const variables = keys.map(({ key }) => key.name);
  return {
    variables,
    own: variables.at(-1) ?? '',
    code: taken.length > 0 ? `path: { ${taken.join(', ')} }` : '',
  };
}

const enveloped = (inside: Inside | undefined, code: string): string =>
  inside?.property === undefined
    ? code
    : `{ ${[...remarksIn(inside), inside.property === code ? code : `${propertyName(inside.property)}: ${code}`].join(', ')} }`;

const remarksIn = ({ remarks }: Inside): string[] =>
  [...remarks].map(([name, value]) => `${propertyName(name)}: ${codeOf(value)}`);

/** Whether the objects of a body are those of a table, as far as their properties tell. */
function checkFits({ shared: { document }, table }: Handled, inside: Inside): void {
  if (inside.beside.size > 0) throw new Unclear(`its envelope has ${[...inside.beside.keys()].join(', ')}`);
  fits(document, table, inside);
}

function fits(document: OpenApiDocument, table: Table, inside: Inside): void {
  const { required, properties } = viewSchemas(document, inside.schemas, 'response');
  if (table.kind !== 'columns') {
    const own = table.stored?.inside.schemas.map((pointer) => document.follow(pointer).pointer).join();
    if (inside.schemas.map((pointer) => document.follow(pointer).pointer).join() !== own)
      throw new Unclear('it answers with another shape than the one that is stored');
    return;
  }
  const missing = [...required].filter(
    (name) => !table.columns.some((column) => column.name === name && column.required),
  );
  if (missing.length > 0) throw new Unclear(`it answers with ${missing.join(', ')}, which is not stored`);
  if (properties.size === 0) throw new Unclear('it answers with another shape than the one that is stored');
}

const there = ({ table }: Handled, own: string): string => `there is no ${spoken(table.one)} \${${own}}`;
const objectOf = ({ kind, one }: Table): string => (kind === 'value' ? `${one}.value` : one);

const readCode: Maker = (of) => {
  const { table } = of;
  const { status, inside } = successOf(of, 'one');
  if (!inside) throw new Unclear('its success has no body');
  checkFits(of, inside);
  const { variables, own, code } = pathOf(of);
  const missing = refusal(of, [404], there(of, own));
  return `async ({ ${code} }) => {
    const ${table.one} = await store.${table.name}.get(${variables.join(', ')});
    if (${table.one}) return { status: ${status}, body: ${enveloped(inside, objectOf(table))} };
    ${missing}
  }`;
};

const removeCode: Maker = (of) => {
  const { shared, table } = of;
  const { status, inside } = successOf(of, 'one');
  if (inside) throw new Unclear('its success has a body');
  const { variables, own, code } = pathOf(of);
  const missing = refusal(of, [404], there(of, own));
  const removed = `await store.${table.name}.remove(${variables.join(', ')})`;
  if (!isRestricted(table, shared.tables))
    return `async ({ ${code} }) => {
    if (${removed}) return { status: ${status} };
    ${missing}
  }`;
  return `async ({ ${code} }) => {
    const removed = ${removed};
    if (removed === 'foreign key') ${refusal(of, [409], `the ${spoken(table.one)} \${${own}} is in use`)}
    if (removed) return { status: ${status} };
    ${missing}
  }`;
};

/** Whether what refers to an object keeps it from being deleted. */
export const isRestricted = ({ name }: Table, tables: ReadonlyMap<string, Table>): boolean =>
  [...tables.values()].some(({ references }) =>
    [...references.values()].some(({ to, onDelete }) => to === name && !onDelete),
  );

function listCode(of: Handled, inside: Inside | undefined, paging: Paging | undefined): string {
  const { shared, table } = of;
  if (!inside || !paging) throw new Unclear('it answers with no list');
  if (paging.unknown.length > 0)
    throw new Unclear(`its document does not tell what ${paging.unknown.join(', ')} selects`);
  fits(shared.document, table, inside);
  const { status } = successOf(of, 'list');
  const { variables, code } = pathOf(of);
  const [first, ...others] = [...inside.beside].map(([name, schemas]) => {
    const { types } = viewSchemas(shared.document, schemas, 'response');
    if (/(count|total|size|length)/i.test(name) && types.has('integer')) return { name, schemas };
    throw new Unclear(`its envelope has ${name}`);
  });
  if (others.length > 0) throw new Unclear(`its envelope has ${others.map(({ name }) => name).join(', ')}`);
  const isAsked = paging.query !== undefined && paging.names.length > 0;
  const given = [...variables, ...(isAsked ? ['query'] : [])].join(', ');
  const asked = [code, isAsked ? 'query' : ''].filter((part) => part !== '').join(', ');
  const parameters = asked === '' ? '()' : `({ ${asked} })`;
  const rows = `await store.${table.name}.list(${given})`;
  const target = table.references.get(table.keys[0]?.name ?? '');
  const parent = variables.length > 0 && target && shared.tables.get(target.to);
  const has404 = of.operation.responses.has('404');
  const check =
    parent && has404
      ? `if (!(await store.${parent.name}.get(${variables[0]}))) ${refusal(of, [404], `there is no ${spoken(parent.one)} \${${variables[0]}}`)}\n`
      : '';
  const items = table.kind === 'value' ? `(${rows}).map(({ value }) => value)` : rows;
  if (first === undefined && check === '')
    return `async ${parameters} => ({ status: ${status}, body: ${enveloped(inside, items)} })`;
  const name = inside.property ?? table.name;
  const isPlain =
    /^[a-z]\w*$/i.test(name) && !variables.includes(name) && name !== 'query' && name !== 'store';
  const list = isPlain ? name : 'items';
  const isName =
    first !== undefined &&
    /^[a-z]\w*$/i.test(first.name) &&
    ![...variables, list, 'query', 'store'].includes(first.name);
  const total = isName ? first.name : 'count';
  const counted = [...variables, ...(paging.filters.length > 0 ? ['query'] : [])].join(', ');
  const rowsInAll = `await store.${table.name}.count(${counted})`;
  const count =
    first === undefined
      ? ''
      : `const ${total} = ${isInt64(shared.document, first.schemas) ? `BigInt(${rowsInAll})` : rowsInAll};\n`;
  const members = [
    ...remarksIn(inside),
    list === inside.property ? list : `${propertyName(inside.property ?? '')}: ${list}`,
    total === first?.name ? total : `${propertyName(first?.name ?? '')}: ${total}`,
  ];
  const body = first === undefined ? enveloped(inside, list) : `{ ${members.join(', ')} }`;
  return `async ${parameters} => {
    ${check}const ${list} = ${items};
    ${count}return { status: ${status}, body: ${body} };
  }`;
}

const isInt64 = (document: OpenApiDocument, schemas: readonly string[]): boolean =>
  viewSchemas(document, schemas, 'response').formats.has('int64');

/** The body of a request without its envelope. */
function asked({ shared: { document }, operation, table }: Handled) {
  const inside = askedOf(document, operation);
  if (!inside || operation.requestBody?.required !== true)
    throw new Unclear('its request has no body of JSON alone');
  if (inside.isList || inside.beside.size > 0) throw new Unclear('its request has more than one object');
  const view = viewSchemas(document, inside.schemas, 'request');
  if (view.properties.size === 0 || (view.unions.length > 0 && table.kind !== 'others'))
    throw new Unclear('its request has several shapes');
  const names = [...view.properties.keys()].filter((name) => !view.withheld.has(name));
  const beyond = names.filter((name) => !table.columns.some((column) => column.name === name));
  if (beyond.length > 0 && table.kind === 'columns')
    throw new Unclear(`its request has ${beyond.join(', ')}, which no answer has`);
  const variable =
    inside.property === undefined ? 'body' : /^[a-z]\w*$/i.test(inside.property) ? inside.property : 'given';
  const code =
    inside.property === undefined
      ? 'body'
      : `body: { ${inside.property === variable ? variable : `${propertyName(inside.property)}: ${variable}`} }`;
  return { view, variable, code };
}

/** Names of times that a service notes by itself. */
const CREATED =
  /^(created|inserted|added|registered|updated|modified|changed|lastmodified|lastupdated)(at|on|date|time|datetime)?$/;
const CHANGED = /^(last)?(updated|modified|changed)(at|on|date|time|datetime)?$/;
const isTime = ({ name, type }: Column, pattern: RegExp) =>
  (type === 'TIMESTAMP' || type === 'DATE') && pattern.test(wordsOf(name).join(''));
const nowFor = ({ type }: Column): string => (type === 'DATE' ? 'now.slice(0, 10)' : 'now');

/** The values that the service makes. */
function madeValues(
  { shared: { document }, table }: Handled,
  view: ReturnType<typeof viewSchemas>,
): string[] {
  const own = table.keys.at(-1);
  return table.columns.flatMap((column): string[] => {
    const { name, made, required, nullable, schemas } = column;
    if (own?.name === name) return table.source === 'uuid' ? [`${name}: randomUUID()`] : [];
    if (table.keys.some((key) => key.name === name)) return [];
    const isGiven =
      !made && (view.required.has(name) || hasDefault(document, view.properties.get(name) ?? []));
    if (isGiven) return [];
    if (made && isTime(column, CREATED)) return [`${name}: ${nowFor(column)}`];
    if (!required || nullable) return [];
    const values = viewSchemas(document, schemas, 'response').values;
    const [constant, ...others] = values ? [...values.values()] : [];
    const initial = schemas
      .flatMap((pointer) => document.subschemas.certain(pointer))
      .find(({ value }) => 'default' in value)?.value['default'];
    const value = initial ?? (others.length === 0 ? constant : undefined);
    if (value === undefined) throw new Unclear(`the document does not tell what ${name} is at first`);
    return [`${name}: ${codeOf(handledValue(document, schemas, value))}`];
  });
}

const hasDefault = (document: OpenApiDocument, schemas: readonly string[]): boolean =>
  schemas.flatMap((pointer) => document.subschemas.certain(pointer)).some(({ value }) => 'default' in value);

const createCode: Maker = (of) => {
  const { table } = of;
  if (table.kind === 'value') throw new Unclear('no list of columns holds its objects');
  if (table.source === 'unknown') throw new Unclear('the document does not tell who makes the key');
  if (table.kind === 'others' && table.source === 'counted') throw new Unclear('its key is counted');
  const { status, inside } = successOf(of, 'one');
  if (inside) checkFits(of, inside);
  const { view, variable, code } = asked(of);
  const path = pathOf(of);
  const values = [`...${variable}`, ...path.variables, ...madeValues(of, view)];
  const isOnly = values.length === 1;
  const now = values.some((value) => /\bnow\b/.test(value)) ? 'const now = new Date().toISOString();\n' : '';
  const parameters = [path.code, code].filter((part) => part !== '').join(', ');
  const name = variable === table.one ? 'added' : table.one;
  const violations = refusals(of, name, variable, path.variables, violationsOf(table));
  const add = `await store.${table.name}.add(${isOnly ? variable : `{ ${values.join(', ')} }`});`;
  const body = inside ? `, body: ${enveloped(inside, name)}` : '';
  return `async ({ ${parameters} }) => {
    ${now}${inside || violations !== '' ? `const ${name} = ` : ''}${add}
    ${violations}return { status: ${status}${body} };
  }`;
};

/**
 * The lines that answer for each rule that a row may break.
 *
 * @param variable of the body of the request
 */
function refusals(
  of: Handled,
  result: string,
  variable: string,
  path: readonly string[],
  rules: readonly Violation[],
): string {
  const { table } = of;
  const rule = table.unique?.name ?? table.keys.at(-1)?.name ?? '';
  const [reference, another] = table.references;
  return rules
    .map((violated) => {
      if (violated === 'unique')
        return `if (${result} === 'unique') ${refusal(of, [409, 422], `the ${spoken(rule)} is taken`)}\n`;
      const [name = '', to] = another || !reference ? [] : reference;
      const isPath = path.includes(name);
      const message = to
        ? `there is no ${spoken(of.shared.tables.get(to.to)?.one ?? '')} \${${isPath ? name : `${variable}.${name}`}}`
        : 'it refers to what is not there';
      return `if (${result} === 'foreign key') ${refusal(of, isPath || table.stored?.create === of.operation ? [404, 422, 409] : [422, 409, 404], message)}\n`;
    })
    .join('');
}

function changeCode(of: Handled, isWhole: boolean): string {
  const { table, operation } = of;
  if (table.kind !== 'columns') throw new Unclear('no list of columns holds its objects');
  const { status, inside } = successOf(of, 'one');
  if (inside) checkFits(of, inside);
  const { view, variable, code } = asked(of);
  const media = operation.requestBody?.content[0]?.type.essence ?? '';
  if (!isWhole && media.includes('json-patch')) throw new Unclear('its request is a list of changes');
  const path = pathOf(of);
  const keys = new Set(table.keys.map(({ name }) => name));
  const times = table.columns.filter((column) => column.made && isTime(column, CHANGED));
  // What may be left out is gone after a replacement.
  const isGiven = (name: string) =>
    view.required.has(name) || hasDefault(of.shared.document, view.properties.get(name) ?? []);
  const gone = table.columns.filter(
    ({ name, required, nullable, made }) =>
      isWhole && !made && !keys.has(name) && (!required || nullable) && !isGiven(name),
  );
  const stays = table.columns.find(
    ({ name, required, nullable, made }) =>
      isWhole && !made && !keys.has(name) && required && !nullable && !isGiven(name),
  );
  if (stays) throw new Unclear(`the document does not tell what a replacement without ${stays.name} has`);
  const own = [...keys].filter((name) => view.properties.has(name) && !view.withheld.has(name));
  const values = [
    ...gone.map(({ name }) => `${name}: null`),
    `...${variable}`,
    ...own.filter((name) => path.variables.includes(name)),
    ...times.map((column) => `${column.name}: ${nowFor(column)}`),
  ];
  const now = times.length > 0 ? 'const now = new Date().toISOString();\n' : '';
  const name = variable === table.one ? 'changed' : table.one;
  // What the request cannot change breaks no rule.
  const unique = table.unique ?? table.keys.at(-1);
  const rules = violationsOf(table).filter((rule) =>
    (rule === 'unique' ? [unique?.name ?? ''] : [...table.references.keys()]).some((column) =>
      view.properties.has(column),
    ),
  );
  const changes = values.length === 1 ? variable : `{ ${values.join(', ')} }`;
  const missing = refusal(of, [404], there(of, path.own));
  return `async ({ ${path.code}, ${code} }) => {
    ${now}const ${name} = await store.${table.name}.change(${[...path.variables, changes].join(', ')});
    ${refusals(of, name, variable, path.variables, rules)}if (${name}) return { status: ${status}${inside ? `, body: ${enveloped(inside, name)}` : ''} };
    ${missing}
  }`;
}
