/** What a document says about errors. */
import {
  isJson,
  joinPointer,
  type MediaTypeObject,
  type OpenApiDocument,
  type Operation,
} from '../../src/contract';
import { errorBodyOf, type Part } from './error-body';

/** A documented body of errors. */
export interface ErrorBody {
  readonly mediaType: string;
  /** JSON pointer to its schema. */
  readonly schema: string;
  readonly part: Part;
}

/** A documented error response of an operation. */
export interface ErrorResponse {
  readonly operation: Operation;
  /** The key of the response: a status, a range or `default`. */
  readonly key: string;
  /** JSON pointer to the response, behind its references. */
  readonly pointer: string;
  readonly content: readonly MediaTypeObject[];
}

/** The statuses with which the server itself refuses a request to an operation. */
export const SERVER_STATUSES: ReadonlySet<string> = new Set([
  '400',
  '401',
  '403',
  '406',
  '408',
  '413',
  '415',
  '429',
  '500',
  '501',
  '503',
  '4XX',
  '5XX',
  'default',
]);

/** Whether `default` is the success of an operation: it documents no other one. */
export const succeedsByDefault = ({ responses }: Operation): boolean =>
  responses.has('default') && ![...responses.keys()].some((key) => /^[23]/.test(key));

export function errorResponses(document: OpenApiDocument, operations: Iterable<Operation>): ErrorResponse[] {
  return [...operations].flatMap((operation) =>
    [...operation.responses]
      .filter(([key]) => /^[45]/.test(key) || (key === 'default' && !succeedsByDefault(operation)))
      .map(([key, { content }]) => {
        const { pointer } = document.follow(joinPointer(operation.pointer, 'responses', key));
        return { operation, key, pointer, content };
      }),
  );
}

/** The body that most error responses of the document have; undefined if none of them can say what is wrong. */
export function usualErrorBody(
  document: OpenApiDocument,
  responses: readonly ErrorResponse[],
): ErrorBody | undefined {
  const bodies = new Map<string, { count: number; body: ErrorBody }>();
  for (const response of responses) {
    const body = errorBodyOfResponse(document, response);
    if (!body) continue;
    const key = `${body.mediaType} ${body.schema}`;
    bodies.set(key, { body, count: (bodies.get(key)?.count ?? 0) + 1 });
  }
  const [first] = [...bodies.values()].sort((a, b) => b.count - a.count);
  return first?.body;
}

/** The body of one response: that of its first JSON media type, or of its first one. */
export function errorBodyOfResponse(
  document: OpenApiDocument,
  { pointer, content }: Pick<ErrorResponse, 'pointer' | 'content'>,
): ErrorBody | undefined {
  const media = content.find(({ type }) => isJson(type.essence)) ?? content[0];
  if (media?.schema === undefined || media.key.includes('*')) return undefined;
  const schema = document.follow(joinPointer(pointer, 'content', media.key, 'schema')).pointer;
  const part = errorBodyOf(document, schema);
  return part && { mediaType: media.key, schema, part };
}

/** The responses with which the server refuses requests, and which the document describes without a body. */
export const bodiless = (responses: readonly ErrorResponse[]): string[] => [
  ...new Set(
    responses
      .filter(({ key, content }) => SERVER_STATUSES.has(key) && content.length === 0)
      .map(({ pointer }) => pointer),
  ),
];
