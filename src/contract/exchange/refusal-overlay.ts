/** Writes the actions of an overlay (https://spec.openapis.org/overlay/v1.0.0.html) that document refusals by the server. */
import { STATUS_CODES } from 'node:http';
import { isObject, type JsonObject, members, type OpenApiDocument } from '../document/document';
import type { Operation } from '../operations/operations';
import { type OverlayAction, targetsWithout } from '../operations/overlay';
import type { Answer } from '../problem';
import { canonicalJson } from '../json/stringify';
import { UndocumentedResponse } from './response';
import type { ServedOperation } from './served-operation';

/** A refusal, and an operation that is to document it. */
interface Refusal {
  readonly operation: Operation;
  readonly answer: Answer;
}

/** Headers that the refusals of the server have. */
export const HEADERS = { 'WWW-Authenticate': 'Bearer', 'Retry-After': '1' };

/** What a refusal means, by its status, and the headers that it has. */
const MEANINGS: Readonly<Record<number, readonly [description: string, ...headers: string[]]>> = {
  400: ['The request does not match the document.'],
  401: ['No credentials were sent, or they were refused.', 'WWW-Authenticate'],
  403: ['The credentials do not allow this operation.', 'WWW-Authenticate'],
  406: ['The request accepts none of the media types of the response.'],
  408: ['The request body did not arrive in time.'],
  413: ['The request body is larger than this server accepts.'],
  415: ['The media type, charset or content coding of the request body is not supported.'],
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
const FIELDS: Readonly<Record<string, JsonObject>> = {
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
    description: 'The quota, and its window in seconds (draft-ietf-httpapi-ratelimit-headers-11 section 3).',
    schema: text,
  },
};

/**
 * The actions that document refusals: one for the components, and one or more for each status.
 *
 * @param served all operations: the body is that of their errors which fits, or else one made of the answer
 * @param schemaOf the schema of an answer's body, if it is known
 */
export function refusalActions(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  refusals: readonly Refusal[],
  schemaOf = errorSchemas(document, served),
): OverlayAction[] {
  const responses: Record<string, unknown> = {};
  const headers: Record<string, unknown> = {};
  const actions: OverlayAction[] = [];
  const name = (
    section: string,
    wanted: string,
    value: JsonObject,
    added: Record<string, unknown>,
  ): string => {
    const known = members(document.at(`/components/${section}`));
    const same = (one: unknown) => canonicalJson({ one }, 'one') === canonicalJson({ one: value }, 'one');
    let free = wanted;
    for (const prefix of ['', 'Server', 'ThisServer']) {
      free = prefix + wanted;
      const taken = known.find(([other]) => other === free)?.[1] ?? added[free];
      if (taken === undefined || same(taken)) break;
    }
    if (!known.some(([other]) => other === free)) added[free] = value;
    return `#/components/${section}/${free}`;
  };
  const groups = Map.groupBy(refusals, ({ answer }) => {
    const body = bodyContent(answer, schemaOf);
    return canonicalJson({ of: { status: answer.status, body: body ?? null } }, 'of');
  });
  for (const all of [...groups.values()].sort(byStatus)) {
    const [{ answer } = { answer: { status: 500 } }] = all;
    const { status } = answer;
    // Node has the name of RFC 7231.
    const title = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? `Status ${status}`);
    const [description, ...sent] = MEANINGS[status] ?? [`${title}.`];
    const content = bodyContent(answer, schemaOf);
    const fields = sent.map((field) => {
      const header = FIELDS[field] ?? { schema: text };
      return [field, { $ref: name('headers', field, header, headers) }] as const;
    });
    const response = {
      description,
      ...(fields.length > 0 && { headers: Object.fromEntries(fields) }),
      ...(content && { content }),
    };
    const $ref = name('responses', title.replace(/[^A-Za-z]/g, ''), response, responses);
    const operations = all.map(({ operation }) => operation);
    for (const target of targetsWithout(document, operations, status))
      actions.push({ target: `${target}.responses`, update: { [status]: { $ref } } });
  }
  const components = {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(responses).length > 0 && { responses }),
  };
  if (Object.keys(components).length === 0) return actions;
  const description = 'what the server answers by itself, written once';
  return [{ target: '$', description, update: { components } }, ...actions];
}

const byStatus = ([a]: readonly Refusal[], [b]: readonly Refusal[]) =>
  (a?.answer.status ?? 0) - (b?.answer.status ?? 0);

type SchemaOf = (answer: Answer) => JsonObject;

/** The content of a response; undefined if it has no body. */
const bodyContent = (answer: Answer, schemaOf: SchemaOf): JsonObject | undefined =>
  answer.body === undefined
    ? undefined
    : { [answer.contentType ?? 'application/json']: { schema: schemaOf(answer) } };

/** Finds the schema of a body: the one that most errors have, if the body fits it. */
function errorSchemas(document: OpenApiDocument, served: readonly ServedOperation[]): SchemaOf {
  const found = new Map<
    string,
    { count: number; readonly served: ServedOperation; readonly status: number }
  >();
  for (const one of served)
    for (const [key, { content }] of one.operation.responses)
      for (const media of /^([45]|default)/.test(key) ? content : []) {
        if (media.schema === undefined) continue;
        const id = `${media.key} ${document.follow(media.schema).pointer}`;
        const known = found.get(id) ?? { count: 0, served: one, status: statusOf(key) };
        found.set(id, { ...known, count: known.count + 1 });
      }
  const ranked = [...found].sort(([, a], [, b]) => b.count - a.count);
  return (answer) => {
    const type = answer.contentType ?? 'application/json';
    const fitting = ranked.find(
      ([id, { served, status }]) => id.startsWith(`${type} `) && fits(served, { ...answer, status }),
    );
    const pointer = fitting?.[0].slice(type.length + 1);
    if (pointer === undefined) return schemaOfValue(answer.body);
    if (/^\/components\/schemas\/[^/]+$/.test(pointer)) return { $ref: `#${encodeURI(pointer)}` };
    const schema = document.at(pointer);
    return isObject(schema) ? schema : {};
  };
}

/** A status of a response by its key; of `default` one that no operation documents. */
const statusOf = (key: string): number => (key === 'default' ? 599 : Number(key.replace('XX', '99')));

/** Whether an operation documents an answer, by its status, a range or `default`. */
export function fits({ responses }: ServedOperation, answer: Answer): boolean {
  try {
    responses.write(answer, HEADERS);
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
