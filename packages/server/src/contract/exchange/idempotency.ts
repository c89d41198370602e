/** The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07): what a handler that repeats answers needs of a request. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../json/stringify';
import type { Operation } from '../operations/operations';
import { type Answer, Problem, type ProblemKind } from '../problem';
import type { Principals } from '../security/requirements';
import { HandlerContext } from './exchange';

const HEADER = 'idempotency-key';

/** Whether an operation documents the header. */
export const documentsKey = ({ parameters }: Pick<Operation, 'parameters'>): boolean =>
  parameters.some(({ name, in: place }) => place === 'header' && name.toLowerCase() === HEADER);

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

/** RFC 8941 section 3.3.3. */
const STRING = /^"((?:[ !#-[\]-~]|\\["\\])+)"$/;
/** A key without quotes, as many clients send it. */
const BARE = /^[!#-~][ -~]*$/;
/** Characters of base64 that carry 128 bits. Anonymous clients share their keys, so nobody may guess one. */
const ANONYMOUS = 22;

/** @throws {Problem} `invalidRequest` for a key that is not a string, or too short for an anonymous client */
function keyedRequest(context: object): KeyedRequest | undefined {
  const exchange = HandlerContext.exchangeOf(context);
  const { request, served, headers } = exchange ?? {};
  if (!(context instanceof HandlerContext) || !request || !served)
    throw new TypeError('expected the request that the server gave to the handler, got another object');
  const field = request.headers[HEADER];
  if (field === undefined) return undefined;
  const text = String(field).trim();
  const key = STRING.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(text)?.[0];
  const principals = context.principal;
  if (key === undefined) throw invalidKey('must be a string, such as "8e03978e-40d5-43dd-bc93-6894a57f9324"');
  if (Object.keys(principals).length === 0 && key.length < ANONYMOUS)
    throw invalidKey(`must have at least ${ANONYMOUS} characters without credentials`);
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

function invalidKey(message: string): Problem {
  const violation = { pointer: '/header/Idempotency-Key', keyword: 'format', message };
  return new Problem('invalidRequest', `header/Idempotency-Key ${message}`, {}, { violations: [violation] });
}

function fingerprintOf(context: object): string {
  const parts = ['path', 'query', 'body'].map((part): unknown => {
    const value: unknown = Reflect.get(context, part);
    return value instanceof Uint8Array ? hash('sha256', value) : value;
  });
  return hash('sha256', canonicalJson({ parts }, 'parts'), 'base64url');
}
