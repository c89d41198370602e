/** Writes the actions of an overlay (https://spec.openapis.org/overlay/v1.0.0.html) that document the error responses of the server. */
import { STATUS_CODES } from 'node:http';
import { isObject, type JsonObject, members, type OpenApiDocument } from '../document/document';
import type { Operation } from '../operations/operations';
import { type OverlayAction, targetsWithout } from '../operations/overlay';
import type { Answer } from '../problem';
import { canonicalJson } from '../json/stringify';
import { UndocumentedResponse } from './write-response';
import type { ServedOperation } from './served-operation';

/** An error response that an operation does not document. */
export interface Undocumented {
  readonly operation: Operation;
  readonly answer: Answer;
}

/** Headers that the problems of the server have. */
export const PROBLEM_HEADERS = { 'WWW-Authenticate': 'Bearer', 'Retry-After': '1' };

/** What an error response means, by its status, and the headers that it has. */
const MEANINGS: Readonly<Record<number, readonly [description: string, ...headers: string[]]>> = {
  400: ['The request does not match the document.'],
  401: ['No credentials were sent, or they were refused.', 'WWW-Authenticate'],
  403: ['The credentials do not allow this operation.', 'WWW-Authenticate'],
  406: ['The request accepts none of the media types of the response.'],
  408: ['The request body did not arrive in time.'],
  409: ['A request with the same Idempotency-Key is in progress.'],
  413: ['The request body is larger than this server accepts.'],
  415: ['The media type, charset or content coding of the request body is not supported.'],
  422: ['The Idempotency-Key belongs to another request.'],
  429: [
    'The client has sent more requests than its quota allows, where the server has one.',
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
  ],
  500: ['The server failed; the cause is in its log.'],
  503: ['The server is overloaded, without its storage or shutting down.', 'Retry-After'],
};

const text = { type: 'string' };
const FIELDS: ReadonlyMap<string, JsonObject> = new Map(
  Object.entries({
    'WWW-Authenticate': {
      description: 'How to authenticate (RFC 9110 section 11.6.1).',
      required: true,
      schema: text,
    },
    'Retry-After': {
      description: 'Seconds after which to try again (RFC 9110 section 10.2.3).',
      required: true,
      schema: { type: 'string', pattern: '^[0-9]+$' },
    },
    RateLimit: {
      description:
        'What is left of the quota, and for how many seconds (draft-ietf-httpapi-ratelimit-headers-11 section 4).',
      schema: text,
    },
    'RateLimit-Policy': {
      description:
        'The quota, and its window in seconds (draft-ietf-httpapi-ratelimit-headers-11 section 3).',
      schema: text,
    },
  }),
);

/**
 * The actions that document error responses: one for the components, and one or more for each status.
 *
 * @param served all operations: the body is that of their errors which fits, or else one made of the response
 * @param schemaOf the schema of a response's body, if it is known
 */
export function responseActions(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  undocumented: readonly Undocumented[],
  schemaOf = errorSchemas(document, served),
): OverlayAction[] {
  const responses: Record<string, unknown> = {};
  const headers: Record<string, unknown> = {};
  const actions: OverlayAction[] = [];
  /** The reference to a component of this value, which is added under a free name if there is none. */
  const reference = (section: string, wanted: string, value: JsonObject, added: Record<string, unknown>) => {
    const known = new Map([...members(document.at(`/components/${section}`)), ...Object.entries(added)]);
    let name = wanted;
    for (let n = 1; known.has(name) && !areEqual(known.get(name), value); n++)
      name = `Server${wanted}${n > 1 ? n : ''}`;
    if (!known.has(name)) added[name] = value;
    return { $ref: `#/components/${section}/${name}` };
  };
  const groups = Map.groupBy(undocumented, ({ answer }) =>
    textOf([answer.status, bodyContent(answer, schemaOf) ?? null]),
  );
  for (const all of [...groups.values()].sort(byStatus)) {
    const [{ answer } = { answer: { status: 500 } }] = all;
    const { status } = answer;
    // Node has the name of RFC 7231.
    const title = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? `Status ${status}`);
    const [description, ...sent] = MEANINGS[status] ?? [`${title}.`];
    const content = bodyContent(answer, schemaOf);
    const fields = sent.map(
      (field) =>
        [field, reference('headers', field, FIELDS.get(field) ?? { schema: text }, headers)] as const,
    );
    const response = {
      description,
      ...(fields.length > 0 && { headers: Object.fromEntries(fields) }),
      ...(content && { content }),
    };
    const added = reference('responses', title.replace(/[^A-Za-z]/g, ''), response, responses);
    const operations = all.map(({ operation }) => operation);
    for (const target of targetsWithout(document, operations, status))
      actions.push({ target: `${target}.responses`, update: { [status]: added } });
  }
  const components = {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(responses).length > 0 && { responses }),
  };
  if (Object.keys(components).length === 0) return actions;
  const description = 'what the server answers by itself, written once';
  return [{ target: '$', description, update: { components } }, ...actions];
}

const textOf = (value: unknown): string => canonicalJson({ value }, 'value');
const areEqual = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

const byStatus = ([a]: readonly Undocumented[], [b]: readonly Undocumented[]) =>
  (a?.answer.status ?? 0) - (b?.answer.status ?? 0);

type SchemaOf = (answer: Answer) => JsonObject;

/** The content of a response; undefined if it has no body. */
const bodyContent = (answer: Answer, schemaOf: SchemaOf): JsonObject | undefined =>
  answer.body === undefined
    ? undefined
    : { [answer.contentType ?? 'application/json']: { schema: schemaOf(answer) } };

/** Finds the schema of a body: the one that most errors have, if the body fits it. */
function errorSchemas(document: OpenApiDocument, served: readonly ServedOperation[]): SchemaOf {
  const errors = served.flatMap((one) =>
    [...one.operation.responses].flatMap(([key, { content }]) =>
      (/^([45]|default)/.test(key) ? content : []).flatMap(({ key: type, schema }) =>
        schema === undefined
          ? []
          : { one, type, status: statusOf(key), pointer: document.follow(schema).pointer },
      ),
    ),
  );
  const groups = Map.groupBy(errors, ({ type, pointer }) => `${type} ${pointer}`);
  const ranked = [...groups.values()].sort((a, b) => b.length - a.length).flatMap(([first]) => first ?? []);
  return (answer) => {
    const given = answer.contentType ?? 'application/json';
    const pointer = ranked.find(
      ({ one, type, status }) => type === given && fits(one, { ...answer, status }),
    )?.pointer;
    if (pointer === undefined) return schemaOfValue(answer.body);
    if (/^\/components\/schemas\/[^/]+$/.test(pointer)) return { $ref: `#${encodeURI(pointer)}` };
    const schema = document.at(pointer);
    return isObject(schema) ? schema : {};
  };
}

/** A status of a response by its key; of `default` one that no operation documents. */
const statusOf = (key: string): number => (key === 'default' ? 599 : Number(key.replace('XX', '99')));

/** Whether an operation documents a response, by its status, a range or `default`. */
export function fits({ responses }: ServedOperation, answer: Answer): boolean {
  try {
    responses.write(answer, PROBLEM_HEADERS);
    return true;
  } catch (error) {
    if (error instanceof UndocumentedResponse) return false;
    throw error;
  }
}

/** A schema that a value fits. */
function schemaOfValue(value: unknown): JsonObject {
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? schemaOfValue(value[0]) : {} };
  if (isObject(value) && !(value instanceof Uint8Array)) {
    const properties = members(value).map(([name, member]) => [name, schemaOfValue(member)] as const);
    return {
      type: 'object',
      required: properties.map(([name]) => name),
      properties: Object.fromEntries(properties),
    };
  }
  if (typeof value === 'number' || typeof value === 'bigint')
    return { type: typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'number' };
  return value instanceof Uint8Array ? {} : { type: value === null ? 'null' : typeof value };
}
