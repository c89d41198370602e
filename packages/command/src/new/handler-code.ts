/** Writes the handlers that follow from the document: read, list and delete. */
import { isJson, type OpenApiDocument, stringifyJson, viewSchemas } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { isIdentifier, quoted } from '../generate/handler-names';
import { codeOf, memberCode, propertyName, Unclear } from './code';
import { typeOf } from '../generate/column-types';
import { type Inside, insideOf } from './errors/envelopes';
import { type ErrorBody, hasHeaders, type OtherBody, type OwnKind } from './errors/errors';
import { capitalized } from './names';
import type { Refused } from './overlay';
import type { Paging } from './tables/paging';
import { spoken, TYPES, type Violation } from './tables/table-code';
import { isFreeIn, type Table } from './tables/tables';
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

/** A response of a handler to a request that conforms to the document. */
export interface Rejection {
  readonly status: number;
  /** The rule of the table that the request would break. */
  readonly rule?: Violation | undefined;
}

/** A method that only those stores have whose handlers call it. */
export type Method = 'list' | 'count' | 'change' | 'remove';

/** An operation on a table. */
export interface Handled extends Shared {
  readonly table: Table;
  readonly operation: Operation;
  /** What its handler rejects. Whoever writes the code adds to it. */
  readonly rejections: Rejection[];
  readonly calls: Method[];
  /** What it would be refused with that the document does not have. It is a stub then, until the overlay adds it. */
  readonly lacks: Refused[];
}

/** The first success of an operation, as the code before its body, and its body without the envelope. */
export function successOf({ document, operation }: Handled, wanted: 'one' | 'list') {
  const [key, response] = [...operation.responses].find(([key]) => key.startsWith('2')) ?? [];
  if (key === undefined || !response) throw new Unclear('has no success response except default');
  const status = Number(key.replace('XX', '00'));
  if (hasHeaders(document, operation, key)) throw new Unclear('its success response has headers');
  const { content } = response;
  if (content.length === 0) return { head: `status: ${status}`, inside: undefined };
  const media = content.find(({ type }) => isJson(type.essence));
  const isOneSchema = content.every(
    ({ schema }) =>
      schema !== undefined &&
      document.follow(schema).pointer === document.follow(media?.schema ?? '').pointer,
  );
  if (media?.schema === undefined || !isOneSchema) throw new Unclear('its success response is not JSON only');
  return {
    head: `status: ${status}${content.length > 1 ? `, contentType: ${quoted(media.key)}` : ''}`,
    inside: insideOf(document, [media.schema], 'response', wanted),
  };
}

/** An answer with a status that the document has for errors of this kind. The first one, if it has none, is lacking. */
export function refusal(of: Handled, statuses: readonly number[], message: string, rule?: Violation): string {
  const { document, operation, usual, others, kinds, lacks, rejections } = of;
  const text = message.includes('${') ? `\`${message}\`` : quoted(message);
  for (const status of statuses) {
    const kind = kinds.find((one) => one.status === status)?.kind;
    const key = String(status);
    const response = operation.responses.get(key);
    if (!response || kind === undefined || hasHeaders(document, operation, key)) continue;
    const [media, another] = response.content;
    if (!media) {
      rejections.push({ status, rule });
      return `return { status: ${status} };`;
    }
    const { value } = document.follow(media.schema ?? '');
    const isUsual =
      media.key === usual?.mediaType && stringifyJson(value) === stringifyJson(document.at(usual.schema));
    const isOther = others.some((one) => one.operationId === operation.operationId && one.status === status);
    if (isUsual && !another && !isOther) {
      rejections.push({ status, rule });
      return `return { status: ${status}, body: errorBody(${quoted(kind)}, ${text}) };`;
    }
    // The body of another form is that of OTHERS in src/errors.ts.
    if (isOther) {
      rejections.push({ status, rule });
      return `throw new Problem<OwnKind>(${quoted(kind)}, ${text});`;
    }
  }
  const [status] = statuses;
  if (status === undefined || statuses.some((one) => operation.responses.has(String(one))))
    throw new Unclear(`it has no ${statuses.join(' or ')} with the usual error body`);
  const said = message.replace(/ \$\{.*?\}/g, '');
  lacks.push({ operation, status, description: `${capitalized(said)}.` });
  return '';
}

export const missing = (of: Handled, own: string, { one } = of.table): string =>
  refusal(of, [404], `there is no ${spoken(one)} \${${own}}`);

/** The variables of the parameters of a path, and the code that takes them. */
export function pathOf({ document, table, operation }: Handled) {
  const named = operation.parameters.filter((parameter) => parameter.in === 'path');
  const keys = table.keys.flatMap((key) => {
    const schema = named.find(({ name }) => name === key.parameter)?.schemaPointer;
    if (key.parameter === undefined || schema === undefined) return [];
    if (TYPES[typeOf(document, [schema]).type] !== TYPES[key.type])
      throw new Unclear(`${key.parameter} has another type here`);
    return [{ code: memberCode(key.parameter, key.name), variable: key.name }];
  });
  if (keys.length < named.length) throw new Unclear('its path has parameters that its objects do not have');
  const variables = keys.map(({ variable }) => variable);
  return {
    variables,
    own: variables.at(-1) ?? '',
    code: keys.length > 0 ? `path: { ${keys.map(({ code }) => code).join(', ')} }` : '',
  };
}

/** @param beside further members, as code */
export const enveloped = (
  { property, remarks }: Inside,
  code: string,
  ...beside: readonly string[]
): string =>
  property === undefined && beside.length === 0
    ? code
    : `{ ${[
        ...[...remarks].map(([name, value]) => `${propertyName(name)}: ${codeOf(value)}`),
        memberCode(property ?? '', code),
        ...beside,
      ].join(', ')} }`;

/** Whether the objects of a body are those of a table, as far as their properties tell. */
export function checkFits(
  { document, table }: Handled,
  inside: Inside,
  beside = [...inside.beside.keys()],
): void {
  if (beside.length > 0) throw new Unclear(`its envelope has ${beside.join(', ')}`);
  const { required, properties } = viewSchemas(document, inside.schemas, 'response');
  const follow = (schemas: readonly string[]) => schemas.map((at) => document.follow(at).pointer).join();
  const lacking = [...required].filter(
    (name) => !table.columns.some((column) => column.name === name && column.required),
  );
  const fits =
    table.kind === 'columns'
      ? lacking.length === 0 && properties.size > 0
      : follow(inside.schemas) === follow(table.stored?.inside.schemas ?? []);
  if (!fits) throw new Unclear('it responds with a shape other than the stored one');
}

export function readCode(of: Handled): string {
  const { one, name, kind } = of.table;
  const { head, inside } = successOf(of, 'one');
  if (!inside) throw new Unclear('its success response has no body');
  checkFits(of, inside);
  const { variables, own, code } = pathOf(of);
  return `async ({ ${code} }) => {
    const ${one} = await store.${name}.get(${variables.join(', ')});
    if (${one}) return { ${head}, body: ${enveloped(inside, kind === 'value' ? `${one}.value` : one)} };
    ${missing(of, own)}
  }`;
}

export function removeCode(of: Handled): string {
  const { tables, table } = of;
  const { head, inside } = successOf(of, 'one');
  if (inside) throw new Unclear('its success response has a body');
  const { variables, own, code } = pathOf(of);
  const absent = missing(of, own);
  of.calls.push('remove');
  const removal = `await store.${table.name}.remove(${variables.join(', ')})`;
  const refused = isRestricted(table, tables)
    ? `const removed = ${removal};
    if (removed === 'foreign key') ${refusal(of, [409], `the ${spoken(table.one)} \${${own}} is in use`, 'foreign key')}
    `
    : '';
  return `async ({ ${code} }) => {
    ${refused}if (${refused === '' ? removal : 'removed'}) return { ${head} };
    ${absent}
  }`;
}

/** Whether what refers to an object keeps it from being deleted. */
export const isRestricted = ({ name }: Table, tables: ReadonlyMap<string, Table>): boolean =>
  [...tables.values()].some(({ references }) =>
    [...references.values()].some(({ to, onDelete }) => to === name && !onDelete),
  );

/** A property beside a list in its envelope: the number of all objects, whether there are more of them, or what is always the same. */
function besideOf(
  { document, operation }: Handled,
  paging: Paging,
  name: string,
  schemas: readonly string[],
) {
  const { types, values } = viewSchemas(document, schemas, 'response');
  if (/(count|total|size|length)/i.test(name) && types.has('integer'))
    return { kind: 'count', name } as const;
  if (/^has_?(more|next)(_?page)?$/i.test(name) && types.has('boolean') && paging.limit)
    return { kind: 'more', name } as const;
  const [constant, another] = values?.values() ?? [];
  const [path = ''] = operation.paths;
  const value =
    constant !== undefined && another === undefined
      ? handledValue(document, schemas, constant)
      : /^(url|path)$/i.test(name) && types.has('string') && !path.includes('{')
        ? path
        : undefined;
  if (value === undefined) throw new Unclear(`its envelope has ${name}`);
  return { kind: 'code', name, code: `${propertyName(name)}: ${codeOf(value)}` } as const;
}

export function listCode(of: Handled, paging: Paging | undefined): string {
  const { document, table, tables, operation } = of;
  const { head, inside } = successOf(of, 'list');
  if (!inside?.isList || !paging) throw new Unclear('it does not respond with a list');
  if (paging.unknown.length > 0)
    throw new Unclear(`the document does not say what ${paging.unknown.join(', ')} selects`);
  const besides = [...inside.beside].map(([name, schemas]) => besideOf(of, paging, name, schemas));
  const counted = besides.find(({ kind }) => kind === 'count')?.name;
  const more = besides.find(({ kind }) => kind === 'more')?.name;
  const others = besides.flatMap(({ kind, code }) => (kind === 'code' ? code : []));
  checkFits(of, inside, []);
  const { formats } = viewSchemas(document, inside.beside.get(counted ?? '') ?? [], 'response');
  of.calls.push('list');
  const { variables, code } = pathOf(of);
  const isAsked = paging.query !== undefined && paging.names.length > 0;
  const given = [...variables, ...(isAsked ? ['query'] : [])];
  const asked = [code, isAsked ? 'query' : ''].filter((part) => part !== '').join(', ');
  const parameters = asked === '' ? '()' : `({ ${asked} })`;
  const rows = `await store.${table.name}.list(${given.join(', ')})`;
  const items = table.kind === 'value' ? `(${rows}).map(({ value }) => value)` : rows;
  const parent = tables.get(table.references.get(table.keys[0]?.name ?? '')?.to ?? '');
  const [first] = variables;
  const check =
    parent && first !== undefined && operation.responses.has('404')
      ? `if (!(await store.${parent.name}.get(${first}))) ${missing(of, first, parent)}\n`
      : '';
  if (counted === undefined && more === undefined && check === '')
    return `async ${parameters} => ({ ${head}, body: ${enveloped(inside, items, ...others)} })`;
  const taken = [...variables, 'query', 'store'];
  const free = (name: string, other: string) =>
    isFreeIn('handler', name) && !taken.includes(name) ? name : other;
  const list = free(inside.property ?? table.name, 'items');
  taken.push(list);
  const total = free(counted ?? '', 'count');
  const filters = [...variables, ...(paging.filters.length > 0 ? ['query'] : [])].join(', ');
  if (counted !== undefined) of.calls.push('count');
  const inAll = `await store.${table.name}.count(${filters})`;
  const count =
    counted === undefined ? '' : `const ${total} = ${formats.has('int64') ? `BigInt(${inAll})` : inAll};\n`;
  const { limit, before } = paging;
  const all = free('found', 'rows');
  // One more than a page tells whether there are more.
  const page =
    more === undefined || limit === undefined
      ? `const ${list} = ${items};`
      : `const { ${limit.taken} } = query;
    const ${all} = ${items.replace(/query\)/, `{ ...query, ${propertyName(limit.name)}: ${limit.variable} + 1 })`)};
    const ${list} = ${before === undefined ? '' : `query${isIdentifier(before.name) ? `.${before.name}` : `[${quoted(before.name)}]`} !== undefined ? ${all}.slice(-${limit.variable}) : `}${all}.slice(0, ${limit.variable});`;
  const body = enveloped(
    inside,
    list,
    ...(counted === undefined ? [] : [memberCode(counted, total)]),
    ...(more === undefined || limit === undefined
      ? []
      : [`${propertyName(more)}: ${all}.length > ${limit.variable}`]),
    ...others,
  );
  return `async ${parameters} => {
    ${check}${page}
    ${count}return { ${head}, body: ${body} };
  }`;
}
