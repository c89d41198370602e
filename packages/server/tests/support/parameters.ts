import { exactNumber, OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import {
  compileParameters,
  type RawParameters,
  type ReadParameters,
} from '../../src/contract/parameters/parameters';

export const STRING = { type: 'string' };
export const INT64 = { type: 'integer', format: 'int64' };
export const LIST = { type: 'array', items: STRING };
export const RGB = { type: 'object', properties: { R: INT64, G: INT64, B: INT64 } };

/** One document for all tests, which replace its paths: the validation of a document takes 100 ms. */
export const root: Record<string, unknown> = {
  openapi: '3.2.0',
  info: { title: 'Colors', version: '1' },
  paths: {},
};
let document = new OpenApiDocument(root);

interface Described {
  readonly parameters?: readonly JsonObject[];
  readonly security?: readonly JsonObject[];
  readonly components?: JsonObject;
}

/** Reads the only operation of a document with these parameters. Default: a query parameter `color`. */
export function compile({ parameters = [], security = [], components = {} }: Described) {
  const described = parameters.map((parameter): JsonObject => {
    const { in: place = 'query', name = 'color', content } = parameter;
    const schema = content === undefined ? { schema: STRING } : {};
    return { name, in: place, ...(place === 'path' && { required: true }), ...schema, ...parameter };
  });
  const templates = described
    .filter(({ in: place }) => place === 'path')
    .map(({ name }) => `/{${String(name)}}`);
  root['components'] = components;
  root['paths'] = {
    [`/colors${templates.join('')}`]: {
      get: {
        operationId: 'getColor',
        parameters: described,
        security,
        responses: { 200: { description: '' } },
      },
    },
  };
  document = new OpenApiDocument(root);
  const [operation] = readOperations(document);
  if (!operation) throw new Error('the document has no operation');
  const read = compileParameters(document, operation);
  return { read, findings: document.findings.map(({ message }) => message) };
}

export function compileValid(described: Described): ReadParameters {
  const { read, findings } = compile(described);
  expect(findings).toEqual([]);
  return read;
}

export const raw = ({
  path = {},
  query = '',
  headers = {},
}: Partial<Record<'path' | 'headers', Record<string, string>>> & { query?: string }): RawParameters => ({
  path: new Map(Object.entries(path)),
  query,
  rawHeaders: Object.entries(headers).flat(),
});

/** The request that sends `text` as the parameter `color`. */
const CARRIERS: Readonly<Record<string, (text: string) => RawParameters>> = {
  path: (text) => raw({ path: { color: text } }),
  query: (text) => raw({ query: text }),
  header: (text) => raw({ headers: { color: text } }),
  cookie: (text) => raw({ headers: { cookie: text } }),
};
export const carry = (place: string, text: string): RawParameters => CARRIERS[place]?.(text) ?? raw({});

/** A value with every integer as an exact bigint. */
export function exactly(holder: object, key: string | number): unknown {
  const value: unknown = Reflect.get(holder, key);
  if (Array.isArray(value)) return value.map((_, i) => exactly(value, i));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.keys(value).map((name) => [name, exactly(value, name)]));
  return typeof value === 'number' ? (exactNumber(holder, key) ?? BigInt(value)) : value;
}

export const placeOf = ({ in: place }: JsonObject): string => (typeof place === 'string' ? place : 'query');

export function readColor(parameter: JsonObject, text: string): unknown {
  const values = compileValid({ parameters: [parameter] })(carry(placeOf(parameter), text));
  return Object.values(values).map((holder) => exactly(holder, 'color'))[0];
}
