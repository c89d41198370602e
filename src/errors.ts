import { Problem, type ProblemKind } from './contract';
import { StoreUnavailable } from './database';
import type { components } from '../generated/openapi';

/** The error body of the contract. */
export type ErrorBody = components['schemas']['Error'];

/** The kinds of errors that this service adds to those of the core. */
export type OwnKind = 'idTaken' | 'rateLimited';

export type Kind = ProblemKind | OwnKind;

/**
 * Every kind of error, its status and its error number. Clients branch on the number: the status times 100 plus two
 * digits. A number never changes its meaning. README.md has the table for people.
 */
export const ERRORS: Readonly<Record<Kind, { readonly status: number; readonly number: number }>> = {
  malformed: { status: 400, number: 40000 },
  invalidRequest: { status: 400, number: 40001 },
  idTaken: { status: 400, number: 40002 },
  noCredentials: { status: 401, number: 40100 },
  badCredentials: { status: 401, number: 40101 },
  forbidden: { status: 403, number: 40300 },
  notFound: { status: 404, number: 40400 },
  methodNotAllowed: { status: 405, number: 40500 },
  notAcceptable: { status: 406, number: 40600 },
  requestTimeout: { status: 408, number: 40800 },
  tooLarge: { status: 413, number: 41300 },
  unsupportedMediaType: { status: 415, number: 41500 },
  rateLimited: { status: 429, number: 42900 },
  headersTooLarge: { status: 431, number: 43100 },
  unexpected: { status: 500, number: 50000 },
  notImplemented: { status: 501, number: 50100 },
  unavailable: { status: 503, number: 50300 },
};

export const errorBody = (kind: Kind, message: string): ErrorBody => ({
  error: ERRORS[kind].number,
  message,
});

/** The number in an error body; undefined if a handler returned a body of another shape. */
export function errorNumberOf(body: unknown): number | undefined {
  const number = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof number === 'number' ? number : undefined;
}

/** The answer to a problem. */
export function renderProblem({ kind, message }: Problem<Kind>): {
  readonly status: number;
  readonly body: ErrorBody;
} {
  return { status: ERRORS[kind].status, body: errorBody(kind, message) };
}

const isProblem = (error: unknown): error is Problem<Kind> =>
  error instanceof Problem && Object.hasOwn(ERRORS, String(error.kind));

/** Converts any error to a problem. An unexpected error becomes the cause, for the log. */
export function toProblem(error: unknown): Problem<Kind> {
  if (isProblem(error)) return error;
  if (error instanceof StoreUnavailable) {
    return new Problem(
      'unavailable',
      'the store is not available now',
      { 'Retry-After': '1' },
      { cause: error },
    );
  }
  return new Problem('unexpected', 'the server failed to answer this request', {}, { cause: error });
}
