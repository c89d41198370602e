import {
  ERRORS as COMMON,
  type Errors,
  type ErrorTable,
  type KindOf,
  numberIn,
  statusIn,
  toProblemIn,
} from 'contract-first-server/runtime';
import type { components } from '../generated/openapi';

/** The error body of the document. */
export type ErrorBody = components['schemas']['Error'];

const MEDIA_TYPE = 'application/json';

/** The kinds of errors that this service adds to those of every service. */
export type OwnKind =
  'noSuchResource' | 'conflict' | 'unprocessableEntity' | 'wrongPassword' | 'nameTaken' | 'ofAnother';

export type Kind = KindOf<OwnKind>;

/**
 * Every kind of error: its status, and a number for the log. A number never changes its meaning: the status times 100, plus
 * two digits. An invalid request is 400, or 422 where an operation documents that and not 400. Where operations document both,
 * `invalidRequest: { status: 422, number: 42200 }` chooses the other.
 */
export const ERRORS: ErrorTable<OwnKind> = {
  ...COMMON,
  noSuchResource: { status: 404, number: 40401 },
  conflict: { status: 409, number: 40901 },
  unprocessableEntity: { status: 422, number: 42201 },
  ofAnother: { status: 403, number: 40310 },
  wrongPassword: { status: 401, number: 40110 },
  nameTaken: { status: 409, number: 40911 },
};

export function errorBody(kind: Kind, message: string): ErrorBody {
  return { code: ERRORS[kind].number, message };
}

export const errors: Errors<OwnKind> = {
  table: ERRORS,
  toProblem: toProblemIn(ERRORS),
  render: ({ kind, message }, operation) => {
    const status = statusIn(ERRORS, kind, operation);
    return { status, contentType: MEDIA_TYPE, body: errorBody(kind, message) };
  },
  numberOf: numberIn('code'),
};
