/** The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07): what a handler that repeats answers needs of a request. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../json/stringify';
import type { Operation } from '../operations/operations';
import { type Answer, Problem, type ProblemKind } from '../problem';
import type { Principals } from '../security/requirements';
import { HandlerContext } from './exchange';

/** In lower case. */
export const KEY_HEADER = 'idempotency-key';

/** Whether an operation documents the header. */
export const documentsKey = ({ parameters }: Pick<Operation, 'parameters'>): boolean =>
  parameters.some(({ name, in: place }) => place === 'header' && name.toLowerCase() === KEY_HEADER);

/** Why a request with a key can be rejected. */
export const KEY_KINDS = ['keyInUse', 'keyReused'] as const satisfies readonly ProblemKind[];

/** A request with a key, for the function that executes it at most once. */
export interface KeyedRequest {
  /** Without its quotes. */
  readonly key: string;
  readonly operationId: string;
  /** By security scheme; empty for an anonymous request. */
  readonly principals: Principals;
  readonly remoteAddress: string;
  /** A digest of path parameters, query and body: two requests with equal values have the same. */
  readonly fingerprint: string;
  /** @throws {UndocumentedResponse} unless the answer can be sent */
  readonly assertDocumented: (answer: Answer) => void;
}

const keyed = new WeakSet();

/** Whether `withKey` has made a handler. */
export const isKeyed = (handler: object | undefined): boolean => handler !== undefined && keyed.has(handler);

/**
 * Creates a handler that knows the key of its request. A service does not start if its operation documents no such header, or
 * has a body that is not a value, such as a stream.
 *
 * @param handle gets undefined for a request without the header
 */
export function withKey<Request extends object, Response extends Answer>(
  handle: (request: Request, keyed: KeyedRequest | undefined) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const handler = async (request: Request) => handle(request, keyedRequest(request));
  keyed.add(handler);
  return handler;
}

/** RFC 8941 section 3.3.3. Many clients send a key without quotes. */
const STRING = /^"((?:[ !#-[\]-~]|\\["\\])+)"$/;
/** Characters of base64 that carry 128 bits. Anonymous clients share their keys, so nobody may guess one. */
const ANONYMOUS = 22;

/** The fewest characters of a key that an operation accepts: the schema of its header should say so. */
export const leastKeyLength = ({ security }: Pick<Operation, 'security'>): number =>
  security.length === 0 || security.some((alternative) => alternative.length === 0) ? ANONYMOUS : 1;

/** @throws {Problem} `invalidRequest` for a key that is empty, or too short for an anonymous client */
function keyedRequest(context: object): KeyedRequest | undefined {
  const exchange = HandlerContext.exchangeOf(context);
  const { request, served, headers } = exchange ?? {};
  if (!(context instanceof HandlerContext) || !request || !served)
    throw new TypeError('expected the request that the server gave to the handler, got another object');
  const field = request.headers[KEY_HEADER];
  if (field === undefined) return undefined;
  const text = String(field).trim();
  const key = STRING.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? text;
  const principals = context.principal;
  const least = Object.keys(principals).length === 0 ? ANONYMOUS : 1;
  if (key.length < least) throw tooShort(least);
  const { operation, responses } = served;
  return {
    key,
    operationId: operation.operationId,
    principals,
    remoteAddress: request.socket.remoteAddress ?? '',
    fingerprint: fingerprintOf(context),
    assertDocumented: (answer) => responses.write(answer, headers, responses.accept(request.headers.accept)),
  };
}

function tooShort(least: number): Problem {
  const message = `must NOT have fewer than ${least} characters${least > 1 ? ' without credentials' : ''}`;
  const violation = { pointer: '/header/Idempotency-Key', keyword: 'minLength', message };
  return new Problem('invalidRequest', `header/Idempotency-Key ${message}`, {}, { violations: [violation] });
}

function fingerprintOf(context: object): string {
  const parts = ['path', 'query', 'body'].map((part): unknown => {
    const value: unknown = Reflect.get(context, part);
    return value instanceof Uint8Array ? hash('sha256', value) : value;
  });
  return hash('sha256', canonicalJson({ parts }, 'parts'), 'base64url');
}
