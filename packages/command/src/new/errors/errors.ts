/** What a document says about errors: the body that most of them have, those that differ, and the kinds of a service. */
import { STATUS_CODES } from 'node:http';
import {
  documentedKey,
  documentsKey,
  isJson,
  isObject,
  joinPointer,
  KEY_KINDS,
  members,
  type MediaTypeObject,
  type OpenApiDocument,
  SHORT_MESSAGE,
  errorResponseOf,
  samples,
  type ServedOperation,
  UndocumentedResponse,
  viewSchemas,
} from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { ERRORS, statusIn } from 'contract-first-server/runtime';
import { errorBodyOf, type Facts, says, valueOf } from './error-body';
import { camelOf } from '../names';
import { componentOf, handledValue } from '../types';

const KINDS = Object.keys(ERRORS) as (keyof typeof ERRORS)[];
/** Whether only a handler that repeats answers raises a kind of error. */
const isKeyKind = (kind: string): boolean => KEY_KINDS.some((one) => one === kind);

/** A documented error response of an operation. */
export interface ErrorResponse {
  readonly served: ServedOperation;
  /** The key of the response: a status, a range or `default`. */
  readonly key: string;
  /** JSON pointer to the response, behind its references. */
  readonly pointer: string;
  readonly content: readonly MediaTypeObject[];
}

/**
 * Whether a handler has to give headers: those that are required, and those by reference without an object as `schema`, whose type is
 * never optional.
 *
 * @param given the name of a header that it gives
 */
export function hasHeaders(
  document: OpenApiDocument,
  { pointer, responses }: Operation,
  key: string,
  given?: string,
): boolean {
  const headers = document.follow(joinPointer(pointer, 'responses', key)).value['headers'];
  const isReference = ([name, header]: readonly [string, unknown]) => {
    const target = isObject(header) ? document.resolve(header['$ref']) : undefined;
    return name !== given && target !== undefined && !isObject(document.follow(target).value['schema']);
  };
  return (
    responses.get(key)?.headers.some(({ name, required }) => required && name !== given) === true ||
    members(headers).some(isReference)
  );
}

/** A documented body of errors; without a media type: a response without a body. */
export interface ErrorBody {
  readonly mediaType: string | undefined;
  /** JSON pointer to its schema; empty if it has none. */
  readonly schema: string;
  readonly shape: unknown;
}

/** A kind of error that the handlers of a service have. */
export interface OwnKind {
  readonly kind: string;
  readonly status: number;
  readonly number: number;
}

/** What the server sends with its refusals. */
const HEADERS = { 'WWW-Authenticate': 'Bearer', 'Retry-After': '1' };

/** The statuses with which the server itself refuses a request to an operation. */
export const SERVER_STATUSES: ReadonlySet<string> = new Set(
  '400 401 403 406 408 413 415 429 500 501 503 4XX 5XX default'.split(' '),
);

/** Whether `default` is the success of an operation: it documents no other one. */
export const succeedsByDefault = ({ responses }: Operation): boolean =>
  responses.has('default') && ![...responses.keys()].some((key) => /^[23]/.test(key));

export function errorResponses(document: OpenApiDocument, all: Iterable<ServedOperation>): ErrorResponse[] {
  return [...all].flatMap((served) =>
    [...served.operation.responses]
      .filter(([key]) => /^[45]/.test(key) || (key === 'default' && !succeedsByDefault(served.operation)))
      .map(([key, { content }]) => {
        const { pointer } = document.follow(joinPointer(served.operation.pointer, 'responses', key));
        return { served, key, pointer, content };
      }),
  );
}

/** A kind for each documented error status that the server does not answer by itself. */
export function ownKinds(responses: readonly ErrorResponse[]): OwnKind[] {
  const others = new Set(
    KINDS.filter((kind) => kind !== 'notFound' && !isKeyKind(kind)).map((kind) => ERRORS[kind].status),
  );
  const statuses = new Set(responses.map(({ key }) => Number(key)).filter((status) => !others.has(status)));
  return [...statuses]
    .filter(Number.isInteger)
    .sort((a, b) => a - b)
    .map((status) => ({
      kind: status === 404 ? 'noSuchResource' : camelOf(STATUS_CODES[status] ?? '', `status${status}`),
      status,
      number: status * 100 + 1,
    }));
}

/** The body that most error responses of the document have; undefined if none of them can say what is wrong. */
export function usualErrorBody(
  document: OpenApiDocument,
  responses: readonly ErrorResponse[],
): ErrorBody | undefined {
  const found = new Map<string, { count: number; body: ErrorBody | undefined }>();
  for (const response of responses) {
    const media = mediaOf(response);
    if (media?.schema === undefined || mediaTypeOf(media).includes('*')) continue;
    const key = `${mediaTypeOf(media)} ${document.follow(media.schema).pointer}`;
    const known = found.get(key) ?? { count: 0, body: bodyOf(document, response) };
    found.set(key, { ...known, count: known.count + 1 });
  }
  return [...found.values()]
    .filter(({ body }) => body && says(body.shape))
    .sort((a, b) => b.count - a.count)[0]?.body;
}

/** The media type of an error body: the first JSON, or else the first. */
const mediaOf = ({ content }: Pick<ErrorResponse, 'content'>): MediaTypeObject | undefined =>
  content.find(({ type }) => isJson(type.essence)) ?? content[0];

/** The media type with which an error is sent: JSON if it is in the range. */
export const mediaTypeOf = ({ key }: MediaTypeObject): string =>
  /^(?:\*|application)\/\*$/.test(key) ? 'application/json' : key;

/** What the errors say that an operation answers with one of its responses. */
function factsOf({ served, key }: Pick<ErrorResponse, 'served' | 'key'>): Facts[] {
  const facts = factsFor(served.operation).filter(
    ({ status }) => documentedKey(served.operation, status) === key,
  );
  const status = Number(key);
  return facts.length > 0
    ? facts
    : [{ message: SHORT_MESSAGE, kind: 'error', status, number: status * 100 + 1 }];
}

/** What each kind of error says, with its status in the answers of an operation. */
const factsFor = (operation: Operation): Facts[] =>
  KINDS.filter((kind) => !isKeyKind(kind) || documentsKey(operation)).map((kind) => ({
    message: SHORT_MESSAGE,
    kind,
    number: ERRORS[kind].number,
    status: statusIn(ERRORS, kind, operation),
  }));

/** The body of an error response; undefined if no conforming one is found. */
export function bodyOf(
  document: OpenApiDocument,
  response: Pick<ErrorResponse, 'served' | 'key' | 'content'>,
): ErrorBody | undefined {
  const { served, content } = response;
  const facts = factsOf(response);
  const sample = errorResponseOf(document, served, facts[0]?.status ?? 0, {
    message: SHORT_MESSAGE,
    headers: HEADERS,
  });
  if (!sample) return undefined;
  const media = mediaOf(response);
  const isRange = media !== undefined && mediaTypeOf(media) !== media.key;
  const isUsable = media && (isRange || (isJson(media.type.essence) && !media.key.includes('*')));
  const mediaType = isUsable ? mediaTypeOf(media) : (sample.contentType ?? undefined);
  if (sample.body === undefined) return { mediaType: undefined, schema: '', shape: undefined };
  const schema = content.find((one) => mediaTypeOf(one) === mediaType)?.schema;
  const pointers = schema === undefined ? [] : [document.follow(schema).pointer];
  // Samples have all properties. An example may lack the one for the message.
  const bodies = [...pointers.flatMap((pointer) => [...samples(document, pointer, 'response')]), sample.body];
  const shape = errorBodyOf(
    componentOf(pointers[0] ?? '') ?? '',
    bodies.map((body) => handledValue(document, pointers, body)),
    (one) =>
      facts.every((each) => conforms(served, each.status, mediaType, valueOf(one, each), sample.headers)),
    (path) => listedAt(document, pointers, path),
  );
  return shape === undefined ? undefined : { mediaType, schema: pointers[0] ?? '', shape };
}

/** The values that a part of a body can have; none if its schema does not list them, or names one. */
function listedAt(
  document: OpenApiDocument,
  pointers: readonly string[],
  [step, ...rest]: readonly string[],
): readonly unknown[] {
  const { properties, values, examples } = viewSchemas(document, pointers, 'response');
  if (step !== undefined) return listedAt(document, properties.get(step) ?? [], rest);
  return examples.length > 0 ? [] : [...(values?.values() ?? [])];
}

/** The body of an operation's errors with one status, where it is not the usual one. */
export interface OtherBody extends ErrorBody {
  readonly operationId: string;
  readonly status: number;
}

/**
 * Finds the operations whose documented errors differ from the usual body.
 *
 * @param ownIn the kinds of errors of its handler
 */
export function otherBodies(
  document: OpenApiDocument,
  all: Iterable<ServedOperation>,
  usual: ErrorBody,
  ownIn: (operation: Operation) => readonly OwnKind[] = () => [],
): OtherBody[] {
  const known = new Map<string, ErrorBody | undefined>();
  return [...all].flatMap((served) => {
    const { operationId, pointer, responses } = served.operation;
    const others = new Map<number, ErrorBody | undefined>();
    const own = ownIn(served.operation).map((kind) => ({ ...kind, message: SHORT_MESSAGE }));
    for (const facts of [...factsFor(served.operation), ...own]) {
      const { status } = facts;
      const body = valueOf(usual.shape, facts);
      const key = documentedKey(served.operation, status);
      if (key === undefined || others.has(status) || !served.responses.documents(status)) continue;
      if (conforms(served, status, usual.mediaType, body)) continue;
      const content = responses.get(key)?.content ?? [];
      const place = `${key} ${document.follow(joinPointer(pointer, 'responses', key)).pointer}`;
      if (!known.has(place)) known.set(place, bodyOf(document, { served, key, content }));
      others.set(status, known.get(place));
    }
    return [...others].flatMap(([status, body]) => (body ? [{ ...body, operationId, status }] : []));
  });
}

/** Tells whether a body is one of those that an operation documents for an error status. */
export const conformsIn =
  (all: readonly ServedOperation[], { mediaType, shape }: ErrorBody) =>
  ({ operationId }: Operation, status: number): boolean => {
    const served = all.find(({ operation }) => operation.operationId === operationId);
    const facts = { message: SHORT_MESSAGE, kind: 'error', status, number: status * 100 + 1 };
    return (
      served?.responses.documents(status) === true &&
      conforms(served, status, mediaType, valueOf(shape, facts))
    );
  };

function conforms(
  { responses }: ServedOperation,
  status: number,
  contentType: string | undefined,
  body: unknown,
  headers = {},
): boolean {
  try {
    responses.write({ status, contentType, body, headers }, HEADERS);
    return true;
  } catch (error) {
    if (error instanceof UndocumentedResponse) return false;
    throw error;
  }
}

/** The responses with which the server refuses requests, and which the document describes without a body. */
export const bodiless = (responses: readonly ErrorResponse[]): string[] => [
  ...new Set(
    responses
      .filter(({ key, content }) => SERVER_STATUSES.has(key) && content.length === 0)
      .map(({ pointer }) => pointer),
  ),
];
