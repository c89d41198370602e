import { type Answer, type Operation, Problem, type ProblemKind } from '../contract';
import { documentedKey } from '../contract/tools';
import { type InvalidValue, StoreUnavailable } from 'contract-first-database';

/** The kinds of problems that packages/server/src/runtime/ adds to those of the core. */
export type OperationalKind = 'rateLimited';

/** Every kind of problem of a service with kinds of its own. */
export type KindOf<Own extends string> = ProblemKind | OperationalKind | Own;

/** A number never changes its meaning, because clients branch on it. By convention: the status times 100 plus two digits. */
export interface ErrorCode {
  readonly status: number;
  readonly number: number;
}

/** The status and the error number of each kind of problem. */
export type ErrorTable<Own extends string = never> = Readonly<Record<KindOf<Own>, ErrorCode>>;

/** The problems that every service has. A service adds its own kinds: `{ ...ERRORS, idTaken: { ... } }`. */
export const ERRORS: ErrorTable = {
  malformed: { status: 400, number: 40000 },
  invalidRequest: { status: 400, number: 40001 },
  noCredentials: { status: 401, number: 40100 },
  badCredentials: { status: 401, number: 40101 },
  forbidden: { status: 403, number: 40300 },
  notFound: { status: 404, number: 40400 },
  methodNotAllowed: { status: 405, number: 40500 },
  notAcceptable: { status: 406, number: 40600 },
  requestTimeout: { status: 408, number: 40800 },
  keyInUse: { status: 409, number: 40920 },
  preconditionFailed: { status: 412, number: 41200 },
  tooLarge: { status: 413, number: 41300 },
  unsupportedMediaType: { status: 415, number: 41500 },
  rangeNotSatisfiable: { status: 416, number: 41600 },
  keyReused: { status: 422, number: 42220 },
  rateLimited: { status: 429, number: 42900 },
  headersTooLarge: { status: 431, number: 43100 },
  unexpected: { status: 500, number: 50000 },
  notImplemented: { status: 501, number: 50100 },
  unknownTransferCoding: { status: 501, number: 50101 },
  unavailable: { status: 503, number: 50300 },
  versionNotSupported: { status: 505, number: 50500 },
};

/** The statuses of these kinds, as a document may have one or the other (RFC 9110 sections 15.5.1 and 15.5.21). */
const ALIKE = new Map<string, readonly number[]>([
  ['malformed', [400, 422]],
  ['invalidRequest', [400, 422]],
]);

/**
 * The status of a kind in the answers of an operation: that of the table or, if the operation documents another one with the
 * same meaning and not that, the other: an invalid request is 400 or 422.
 */
export function statusIn<Own extends string>(
  table: ErrorTable<Own>,
  kind: KindOf<Own>,
  operation: Pick<Operation, 'responses'> | undefined,
): number {
  const { status } = table[kind];
  const isDocumented = (one: number) => operation?.responses.has(String(one)) === true;
  if (isDocumented(status)) return status;
  return ALIKE.get(kind)?.find(isDocumented) ?? status;
}

/** The errors of a service. */
export interface Errors<Own extends string = never> {
  readonly table: ErrorTable<Own>;
  /** Converts any error to a problem: see `toProblemIn`. */
  readonly toProblem: (error: unknown) => Problem<KindOf<Own>>;
  /**
   * The answer to a problem, with the error body of the contract. `operation` is undefined if none matches; `language` is the
   * field Accept-Language, if the operation has that parameter.
   */
  readonly render: (problem: Problem<KindOf<Own>>, operation?: Operation, language?: string) => Answer;
  /** The error number in a body that a handler returned, for logs and metrics; undefined if it has none. */
  readonly numberOf: (body: unknown) => number | undefined;
}

/**
 * Creates the function that converts any error to a problem of the table. An unexpected error becomes the cause, for the
 * log.
 */
export function toProblemIn<Own extends string>(table: ErrorTable<Own>): Errors<Own>['toProblem'] {
  const isProblem = (error: unknown): error is Problem<KindOf<Own>> =>
    error instanceof Problem && Object.hasOwn(table, String(error.kind));
  return (error) => {
    if (isProblem(error)) return error;
    if (error instanceof StoreUnavailable) {
      const retry = { 'Retry-After': '1' };
      return new Problem<KindOf<Own>>('unavailable', 'the store is not available now', retry, {
        cause: error,
      });
    }
    const message = 'the server failed to answer this request';
    return new Problem<KindOf<Own>>('unexpected', message, {}, { cause: error });
  };
}

/** Returns the function that reads the number at a path of an error body; it returns undefined if there is none. */
export function numberIn(...path: readonly string[]): Errors['numberOf'] {
  return (body) => {
    let value = body;
    for (const name of path)
      value = typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
  };
}

/** The member `error` of a body `{error, message}`; undefined if the body has another shape. */
export const numberInError = numberIn('error');

/** Errors with the body `{error, message}`, for a service without kinds and without an error schema of its own. */
export const PLAIN_ERRORS: Errors = {
  table: ERRORS,
  toProblem: toProblemIn(ERRORS),
  render: ({ kind, message }, operation) => ({
    status: statusIn(ERRORS, kind, operation),
    body: { error: ERRORS[kind].number, message },
  }),
  numberOf: numberInError,
};

/** The parts of a request in which a handler finds values. */
const PARTS = ['path', 'query', 'header', 'cookie', 'body'];
/** UTF-16 code units of a text so long that the handler may have put it into a longer one, such as a key of two parts. */
const LONG = 100;
/** UTF-16 code units of a place that a sentence names. */
const MAX_PLACE = 200;

/**
 * The refusal of a request because of a value that the store has refused: 404 if it stands in the path and was looked for,
 * otherwise, and where the operation documents no 404, 400 with its place.
 *
 * @param request what the handler got
 * @returns undefined if the value, or one that reads the same, does not stand in the request
 */
export function refusalOf(
  { values, sought, rule }: InvalidValue,
  request: object,
  operation?: Operation,
): Problem | undefined {
  const places = PARTS.flatMap((part) =>
    placesOf((request as Record<string, unknown>)[part], values, `/${part}`),
  );
  const [pointer] = places;
  if (pointer === undefined) return undefined;
  const place = pointer.slice(1, MAX_PLACE + 1);
  const refuse = (kind: ProblemKind, message: string) =>
    new Problem(kind, message, {}, { violations: [{ pointer, keyword: 'storable', message: rule }] });
  const mayBeAbsent = !operation || documentedKey(operation, 404) !== undefined;
  return sought && mayBeAbsent && places.every((at) => at.startsWith('/path/'))
    ? refuse('notFound', `there is nothing at ${place}: no stored object can have this value`)
    : refuse('invalidRequest', `${place} ${rule}`);
}

/** JSON pointers (RFC 6901) to the values in the request that read as one of those that were refused. */
function placesOf(value: unknown, refused: readonly unknown[], pointer: string): string[] {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    return Object.entries(value).flatMap(([name, member]) =>
      placesOf(member, refused, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    );
  if (value === undefined || value === null) return [];
  return refused.some((other) => readsAs(other, value)) ? [pointer] : [];
}

/** Whether a handler may have made the one of the other: `BigInt(id)`, `String(id)`. */
function readsAs(refused: unknown, value: unknown): boolean {
  const [made, given] = [String(refused), String(value)];
  return (
    made === given ||
    (isNumeric(made) && isNumeric(given) && Number(made) === Number(given)) ||
    (given.length > LONG && made.includes(given))
  );
}

const isNumeric = (text: string) => /^-?\d/.test(text) && !Number.isNaN(Number(text));
