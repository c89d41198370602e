import { STATUS_CODES } from 'node:http';
import type { Answer } from 'contract-first-server';
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
export type ErrorBody = components['schemas']['Problem'];

const MEDIA_TYPE = 'application/problem+json';

/** The kinds of errors that this service adds to those of every service. */
export type OwnKind = 'noSuchResource' | 'conflict';

export type Kind = KindOf<OwnKind>;

/**
 * Every kind of error: its status, and a number for the log. A number never changes its meaning: the status times 100, plus
 * two digits. An invalid request is 400, or 422 where an operation documents that and not 400. Where operations document both,
 * `invalidRequest: { status: 422, number: 42200 }` chooses the other.
 */
export const ERRORS: ErrorTable<OwnKind> = {
  ...COMMON,
  // #region kinds
  noSuchResource: { status: 404, number: 40401 },
  conflict: { status: 409, number: 40901 },
  // #endregion kinds
};

// #region errorBody
export function errorBody(kind: Kind, message: string, status = ERRORS[kind].status): ErrorBody {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    code: ERRORS[kind].number,
  };
}
// #endregion errorBody

// #region others
/** The bodies of operations that document another one for a status, by operationId and status. */
const OTHERS: Readonly<
  Record<string, (kind: Kind, message: string, status: number) => Omit<Answer, 'status'>>
> = {
  // #region other
  'printLabel 404': (_, message) => ({ contentType: 'text/plain', body: message }),
  // #endregion other
};
// #endregion others

export const errors: Errors<OwnKind> = {
  table: ERRORS,
  toProblem: toProblemIn(ERRORS),
  render: ({ kind, message }, operation) => {
    const status = statusIn(ERRORS, kind, operation);
    // #region others
    const other = OTHERS[`${operation?.operationId} ${status}`];
    if (other) return { status, ...other(kind, message, status) };
    // #endregion others
    // #region usual
    return { status, contentType: MEDIA_TYPE, body: errorBody(kind, message, status) };
    // #endregion usual
  },
  numberOf: numberIn('code'),
};
