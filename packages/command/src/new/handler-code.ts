/** Writes the handlers that follow from the document: read and delete, and what all of them have. */
import {
  isJson,
  joinPointer,
  members,
  type OpenApiDocument,
  type ResponseObject,
  stringifyJson,
  viewSchemas,
} from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { quoted } from '../generate/handler-names';
import { codeOf, memberCode, propertyName, Unclear } from './code';
import { isBounded, typeOf } from '../generate/column-types';
import { type Inside, insideOf, REMARK, remarkOf } from './errors/envelopes';
import { type ErrorBody, hasHeaders, type OtherBody, type OwnKind } from './errors/errors';
import { camelOf, capitalized } from './names';
import { type Conversion, conversionOf } from './tables/path-keys';
import type { Lack } from './lack';
import { TYPES, type Violation } from './tables/table-code';
import { isFreeIn, type Table } from './tables/tables';

/** What the handlers of a service share. */
export interface Shared {
  readonly document: OpenApiDocument;
  /** The body of most errors; undefined: the document has none. */
  readonly usual: ErrorBody | undefined;
  readonly others: readonly OtherBody[];
  readonly kinds: readonly OwnKind[];
  /** Whether the usual body of errors is one of those that an operation documents for a status. */
  readonly conforms: (operation: Operation, status: number) => boolean;
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
  /** What it needs that the document does not have. It is a stub then, until the overlay adds it. */
  readonly lacks: Lack[];
}

/** The header with the URL of an object that is created. */
function locationIn(document: OpenApiDocument, { headers }: ResponseObject): string | undefined {
  const header = headers.find(({ name }) => name.toLowerCase() === 'location');
  if (header?.schemaPointer === undefined) return undefined;
  const { types, formats, patterns, values } = viewSchemas(document, [header.schemaPointer], 'response');
  // Nobody knows the origin of an absolute URL.
  const isRelative = [...formats].every((format) => format === 'uri-reference');
  return types.has('string') && isRelative && patterns.size === 0 && !values ? header.name : undefined;
}

/** The URL of an object of a table, as code: a reference (RFC 9110 section 10.2.2). */
function urlOf({ stored, keys }: Table, row: string): string | undefined {
  if (!stored || !('read' in stored)) return undefined;
  const [path = ''] = stored.read.paths;
  const url = path.replace(/\{([^{}]+)\}/g, (whole, parameter: string) => {
    const key = keys.find((one) => one.parameter === parameter);
    if (!key) return whole;
    return `\${${TYPES[key.type] === 'string' ? `encodeURIComponent(${row}.${key.name})` : `${row}.${key.name}`}}`;
  });
  return `\`${url}\``;
}

/**
 * The first success of an operation, as the code before its body, and its body without the envelope.
 *
 * @param created the variable with the object that it has created
 */
export function successOf({ document, operation, table }: Handled, wanted: 'one' | 'list', created?: string) {
  const [key, response] = [...operation.responses].find(([key]) => key.startsWith('2')) ?? [];
  if (key === undefined || !response) throw new Unclear('has no success response except default');
  const status = Number(key.replace('XX', '00'));
  const url = created === undefined ? undefined : urlOf(table, created);
  const location = url === undefined ? undefined : locationIn(document, response);
  if (hasHeaders(document, operation, key, location))
    throw new Unclear('its success response has headers that the document does not explain');
  const headers = location === undefined ? '' : `, headers: { ${propertyName(location)}: ${url} }`;
  const { content } = response;
  const place = document.follow(joinPointer(operation.pointer, 'responses', key));
  if (content.length === 0 && members(place.value['content']).length > 0)
    throw new Unclear(`its ${key} has a body, which no response of that status may have`);
  if (content.length === 0) return { head: `status: ${status}${headers}`, inside: undefined };
  const media = content.find(({ type }) => isJson(type.essence));
  const isOneSchema = content.every(
    ({ schema }) =>
      schema !== undefined &&
      document.follow(schema).pointer === document.follow(media?.schema ?? '').pointer,
  );
  if (media?.schema === undefined || !isOneSchema) throw new Unclear('its success response is not JSON only');
  return {
    head: `status: ${status}${content.length > 1 ? `, contentType: ${quoted(media.key)}` : ''}${headers}`,
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
    // src/errors.ts has the media type, and the bodies of another form in OTHERS.
    if (isOther || of.conforms(operation, status)) {
      rejections.push({ status, rule });
      return `throw new Problem<OwnKind>(${quoted(kind)}, ${text});`;
    }
  }
  const [status] = statuses;
  if (status === undefined || statuses.some((one) => operation.responses.has(String(one))))
    throw new Unclear(`it has no ${statuses.join(' or ')} with the usual error body`);
  const said = message.replace(/ \$\{.*?\}/g, '');
  const isKnown = lacks.some((lack) => 'status' in lack && lack.status === status);
  if (!isKnown) lacks.push({ operation, status, description: `${capitalized(said)}.` });
  return '';
}

export const missing = (of: Handled, own: string, { noun } = of.table): string =>
  refusal(of, [404], `there is no ${noun} \${${own}}`);

/** A parameter of a path. */
interface PathKey {
  readonly parameter: string;
  /** The variable with its value. */
  readonly given: string;
  /** The variable with the key: another one, if the value is converted. */
  readonly variable: string;
  readonly conversion: Conversion | undefined;
  /** Whether the path may have an integer that no number has exactly. */
  readonly isWide: boolean;
}

/**
 * The variables of the parameters of a path, the code that takes them, and that of the first lines of the handler, which make keys
 * of values of another type.
 *
 * @param taken variables that the handler has besides
 */
export function pathOf(of: Handled, ...taken: readonly string[]) {
  const { document, table, tables, operation } = of;
  const named = operation.parameters.filter((parameter) => parameter.in === 'path');
  const used = new Set([
    ...taken,
    ...USED,
    table.one,
    ...[...table.keys, ...table.columns].map(({ name }) => name),
  ]);
  const keys = table.keys.flatMap(({ name: variable, parameter, type, inPath }): PathKey[] => {
    const schema = named.find(({ name }) => name === parameter)?.schemaPointer;
    if (parameter === undefined || schema === undefined) return [];
    const given = typeOf(document, [schema]).type;
    if (TYPES[given] === TYPES[type]) {
      const isWide = type === 'INTEGER' && !isBounded(document, [schema]);
      return [{ parameter, given: variable, variable, conversion: undefined, isWide }];
    }
    const conversion = inPath && conversionOf(given, type);
    if (!conversion) throw new Unclear(`${parameter} has another type here`);
    return [{ parameter, given: freeName(parameter, used), variable, conversion, isWide: false }];
  });
  if (keys.length < named.length) throw new Unclear('its path has parameters that its objects do not have');
  const absent = ({ given, variable }: PathKey): string => {
    const { to } = table.references.get(variable) ?? {};
    return missing(of, given, tables.get(to ?? '') ?? table);
  };
  const lines = keys.flatMap((key): string[] => {
    const { given, variable, conversion, isWide } = key;
    // A row cannot refer to a number that its column cannot hold.
    const isStored = operation === table.stored?.create && table.references.has(variable);
    if (!conversion)
      return isWide && isStored ? [`if (!Number.isSafeInteger(${given})) ${absent(key)}\n`] : [];
    const test = conversion.test?.(given);
    const guard = test === undefined ? [] : [`if (!${test}) ${absent(key)}\n`];
    return [...guard, `const ${variable} = ${conversion.code(given)};\n`];
  });
  return {
    variables: keys.map(({ variable }) => variable),
    own: keys.at(-1)?.given ?? '',
    code:
      keys.length > 0
        ? `path: { ${keys.map(({ parameter, given }) => memberCode(parameter, given)).join(', ')} }`
        : '',
    converted: lines.join(''),
  };
}

/** Variables that handlers have besides. */
const USED = ['added', 'changed', 'removed', 'given', 'found', 'rows', 'items', 'count'];

/** A variable for the parameter of a path: its own name, if it is free. */
function freeName(parameter: string, used: Set<string>): string {
  const base = isFreeIn('handler', parameter) ? parameter : camelOf(parameter, 'key');
  const isFree = (name: string) => isFreeIn('handler', name) && !used.has(name);
  let name = isFree(base) ? base : `${base}InPath`;
  for (let n = 2; !isFree(name); n++) name = `${base}InPath${n}`;
  used.add(name);
  return name;
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

/** A body with one object, perhaps as the only one of a list. */
export const oneIn = (inside: Inside, code: string): string =>
  enveloped(inside, inside.isList ? `[${code}]` : code);

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
  const { variables, own, code, converted } = pathOf(of);
  const absent = missing(of, own);
  return `async ({ ${code} }) => {
    ${converted}const ${one} = await store.${name}.get(${variables.join(', ')});
    if (${one}) return { ${head}, body: ${enveloped(inside, kind === 'value' ? `${one}.value` : one)} };
    ${absent}
  }`;
}

export function removeCode(of: Handled): string {
  const { document, tables, table } = of;
  const { head, inside } = successOf(of, 'one');
  const said = inside && remarksOf(document, inside.schemas);
  const { one, noun, name, kind } = table;
  // The response has the object that is gone.
  const isRead = inside !== undefined && said === undefined;
  if (isRead) checkFits(of, inside);
  const { variables, own, code, converted } = pathOf(of);
  const absent = missing(of, own);
  of.calls.push('remove');
  const keys = variables.join(', ');
  const removal = `await store.${name}.remove(${keys})`;
  const refused = isRestricted(table, tables)
    ? `const removed = ${removal};
    if (removed === 'foreign key') ${refusal(of, [409], `the ${noun} \${${own}} is in use`, 'foreign key')}
    `
    : '';
  const body = isRead ? oneIn(inside, kind === 'value' ? `${one}.value` : one) : said && codeOf(said);
  return `async ({ ${code} }) => {
    ${converted}${isRead ? `const ${one} = await store.${name}.get(${keys});\n` : ''}${refused}if (${isRead ? `${one} && ` : ''}${refused === '' ? removal : 'removed'}) return { ${head}${body === undefined ? '' : `, body: ${body}`} };
    ${absent}
  }`;
}

/** A body that says no more than that an operation succeeded: `{ success: true }`; undefined: its schema has other facts. */
function remarksOf(document: OpenApiDocument, schemas: readonly string[]): object | undefined {
  const { properties, required, unions, types } = viewSchemas(document, schemas, 'response');
  if (!types.has('object') || unions.length > 0) return undefined;
  const remarks = [...properties].map(([name, own]) => [name, remarkOf(document, name, own)] as const);
  const isSaid = remarks.every(
    ([name, value]) => value !== undefined || (REMARK.test(name) && !required.has(name)),
  );
  return isSaid ? Object.fromEntries(remarks.filter(([, value]) => value !== undefined)) : undefined;
}

/** Whether what refers to an object keeps it from being deleted. */
export const isRestricted = ({ name }: Table, tables: ReadonlyMap<string, Table>): boolean =>
  [...tables.values()].some(({ references }) =>
    [...references.values()].some(({ to, onDelete }) => to === name && !onDelete),
  );
