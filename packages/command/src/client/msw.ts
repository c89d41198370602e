/** Writes what front-end tests need in place of a server: handlers for MSW, and factories of values. */
import { randomUUID } from 'node:crypto';
import {
  compileContract,
  isObject,
  joinPointer,
  members,
  type OpenApiDocument,
  stringifyJson,
  successOf,
  textOf,
} from 'contract-first-server/tools';
import { type Extensions } from 'contract-first-server';
import { toMockable } from '../mock/document';
import { encoded, plansOf } from './plans';
import { Reader } from './runtime/read';

const SCHEMAS = '/components/schemas';
/** The path of operations that answer one schema each: what finds and judges responses finds and judges its value, too. */
const ADDED = '/contract-first/schemas/';

/** @param types the text of the client, whose name in an import is `client` */
export function mswOf(given: OpenApiDocument, extensions: Extensions, types: string, client: string) {
  const { built } = toMockable(withSchemas(given), (document) => {
    const contract = compileContract(document, extensions, 'at first use');
    return { built: contract, remarks: contract.remarks };
  });
  const { document = given, served: all = [] } = built ?? {};
  const plans = plansOf(document);
  const reader = new Reader(plans.shapes);
  const [rows, factories, notes]: [[string, string][], string[], string[]] = [[], [], []];
  for (const [{ operationId, method, paths }, served] of all) {
    const name = operationId.startsWith(ADDED) ? operationId.slice(ADDED.length) : undefined;
    const answer = successOf(document, served);
    const { headers, body = null } = answer ? textOf(served, answer) : { headers: {} };
    if (!answer || (name !== undefined && isOfRequests(given, types, name)))
      notes.push(`  left out  ${name ?? operationId}: found no value that a response can have`);
    else if (name === undefined) {
      const fields = members(headers).flatMap(([field, value]) => [value].flat().map((one) => [field, one]));
      const row = [method, paths.map(patternOf).join('|'), answer.status, fields, body];
      rows.push([orderOf(paths), `  ${stringifyJson(row)},\n`]);
    } else {
      const plan = plans.operations.find(({ id }) => id === operationId)?.responses['200'];
      const value = reader.json(body ?? '', plan?.content[0]?.shape);
      const short = name.replace(/^./u, (letter) => letter.toLowerCase());
      const key = codeOf(given.at(joinPointer(SCHEMAS, short)) === undefined ? short : name);
      const type = `components['schemas'][${codeOf(copyIn(types, name) ?? name)}]`;
      if (isObject(value)) factories.push(`  ${key}: factory<${type}>(() => (${codeOf(value)})),\n`);
    }
  }
  const sorted = rows.sort().map(([, row]) => row);
  return { text: moduleOf(client, sorted.join(''), factories.join('')), notes, operations: rows.length };
}

function withSchemas({ root }: OpenApiDocument) {
  const { paths = {}, components = {} } = root as Record<string, Record<string, object>>;
  const added = Object.keys(components['schemas'] ?? {}).map((name): [string, object] => {
    const schema = { $ref: `#${joinPointer(SCHEMAS, name)}` };
    const responses = { 200: { description: '', content: { 'application/json': { schema } } } };
    return [`${ADDED}${encodeURIComponent(name)}`, { get: { operationId: `${ADDED}${name}`, responses } }];
  });
  return { ...root, paths: { ...paths, ...Object.fromEntries(added) } };
}

/** The name that the types have for what responses have of a schema, if requests have something else. */
const copyIn = (types: string, name: string): string | undefined =>
  [`${name}Response`, `${name}Response_`].findLast((one) =>
    types.includes(`\n        ${/^\w+$/.test(one) ? one : JSON.stringify(one)}: `),
  );

/** Whether the type of a schema has properties that no response has. */
const isOfRequests = ({ subschemas }: OpenApiDocument, types: string, name: string): boolean =>
  copyIn(types, name) === undefined &&
  subschemas.all(joinPointer(SCHEMAS, name)).some(({ value }) => value['writeOnly'] === true);

/** An expression for a path, as requests have it. */
const patternOf = (path: string): string =>
  path.replace(/\{[^{}]*\}|[^{}]+/g, (text) =>
    text.startsWith('{') ? '[^/]+' : encoded(text).replace(/[\\^$.*+?()[\]|]/g, '\\$&'),
  );

/** Paths without parameters come first, as in a server. */
const orderOf = ([path = '']: readonly string[]): string =>
  `${path}/`.replace(/\{[^{}]*\}/g, '\uffff').replaceAll('/', '\ufffe');

/** A value in TypeScript. */
function codeOf(value: unknown): string {
  const mark = randomUUID();
  const marked = (_: string, one: unknown) => (typeof one === 'bigint' ? `${mark}${one}` : one);
  return JSON.stringify(value, marked).replace(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1n');
}

export const MSW_HEADER = `/**
 * Handlers and values for tests, made by \`contract-first client --msw\`. Do not edit: make it again. It needs MSW 3.
 */`;

const moduleOf = (client: string, rows: string, factories: string): string => `${MSW_HEADER}
import { HttpHandler, HttpResponse, type HttpResponseInit } from 'msw';
${factories && `import type { components } from './${client}';\n`}
const ROWS: [method: string, path: string, status: number, headers: [string, string][], body: string | null][] = [
${rows}];

/** Handlers that answer each operation of a server as its document does. By default it is any host. */
export const handlersOf = (baseUrl?: string): HttpHandler[] =>
  ROWS.map(([method, path, status, headers, body]) => {
    const base = baseUrl?.replace(/\\/$/, '').replace(/[\\\\^$.*+?()[\\]{}|]/g, '\\\\$&') ?? '[a-z]+://[^/]+';
    return new HttpHandler(method, new RegExp(\`^\${base}(?:\${path})$\`), () => new HttpResponse(body, { status, headers }));
  });

export const handlers = handlersOf();

/** A response of JSON. Unlike \`HttpResponse.json\`, it takes bigints. */
export const json = (body: unknown, init: HttpResponseInit = {}): HttpResponse<string> => {
  const headers = new Headers(init.headers);
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown };
  const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? rawJSON(String(value)) : value);
  return new HttpResponse(JSON.stringify(body, exact), { ...init, headers });
};
${
  factories &&
  `
const factory =
  <T>(create: () => unknown) =>
  (properties?: Partial<T>): T =>
    Object.assign(create() as object, properties) as T;

/** A valid value of each schema of objects, with the properties that are given. */
export const build = {
${factories}};
`
}`;
