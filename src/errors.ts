import { Problem, type ProblemKind } from './contract';
import { StoreUnavailable } from './database';
import type { components } from '../generated/openapi';

/** The error body of the contract. */
export type ErrorBody = components['schemas']['Error'];

/**
 * The number of every error, for programs to branch on: the HTTP status times 100, plus two digits. README.md has the
 * table for people. A number never changes its meaning.
 */
export const ERROR_NUMBERS = {
  malformed: 40000,
  mismatch: 40001,
  idTaken: 40002,
  noCredentials: 40100,
  badCredentials: 40101,
  forbidden: 40300,
  noSuchPath: 40400,
  noSuchMethod: 40500,
  notAcceptable: 40600,
  tooSlow: 40800,
  tooLarge: 41300,
  unsupportedMediaType: 41500,
  headersTooLarge: 43100,
  unexpected: 50000,
  notImplemented: 50100,
  unavailable: 50300,
} as const satisfies Record<ProblemKind, number> & Record<string, number>;

export const errorBody = (kind: keyof typeof ERROR_NUMBERS, message: string): ErrorBody => ({
  error: ERROR_NUMBERS[kind],
  message,
});

/** The number in an error body; undefined where a handler has returned something else. */
export function errorNumberOf(body: unknown): number | undefined {
  const number = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof number === 'number' ? number : undefined;
}

/** The answer to a problem: its number tells the status. */
export function renderProblem({ kind, message }: Problem): {
  readonly status: number;
  readonly body: ErrorBody;
} {
  return { status: Math.floor(ERROR_NUMBERS[kind] / 100), body: errorBody(kind, message) };
}

/** Takes any failure for what it is; the cause of an unforeseen one is kept for the log. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
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
