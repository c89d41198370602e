import { STATUS_CODES } from 'node:http';
import {
  ERRORS as COMMON,
  type Errors,
  type ErrorTable,
  type KindOf,
  statusIn,
  toProblemIn,
} from 'contract-first-server/runtime';
import type { components } from '../generated/openapi';

/** The error body of the document. */
export type ErrorBody = components['schemas']['Problem'];

const MEDIA_TYPE = 'application/problem+json';

/** The kinds of errors that this service adds to those of every service. */
export type OwnKind = 'noSuchResource' | 'conflict' | 'wrongPassword' | 'nameTaken';

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
  wrongPassword: { status: 401, number: 40110 },
  nameTaken: { status: 409, number: 40911 },
};

export function errorBody(kind: Kind, message: string, status = ERRORS[kind].status): ErrorBody {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message };
}

export const errors: Errors<OwnKind> = {
  table: ERRORS,
  toProblem: toProblemIn(ERRORS),
  render: ({ kind, message }, operation) => {
    const status = statusIn(ERRORS, kind, operation);
    return { status, contentType: MEDIA_TYPE, body: errorBody(kind, message, status) };
  },
  numberOf: () => undefined,
};
