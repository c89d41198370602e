import {
  ERRORS as COMMON,
  type Errors,
  type ErrorTable,
  type KindOf,
  numberInError,
  toProblemIn,
} from 'contract-first-server/runtime';
import type { components } from '../generated/openapi';

/** The error body of the contract. */
export type ErrorBody = components['schemas']['Error'];

/** The kinds of errors that this service adds to those of every service. */
export type OwnKind = 'idTaken';

export type Kind = KindOf<OwnKind>;

/**
 * Every kind of error, its status and its error number. Clients branch on the number: the status times 100 plus two
 * digits. A number never changes its meaning. docs/errors.md has the table for people.
 */
export const ERRORS: ErrorTable<OwnKind> = {
  ...COMMON,
  idTaken: { status: 400, number: 40002 },
};

export const errorBody = (kind: Kind, message: string): ErrorBody => ({
  error: ERRORS[kind].number,
  message,
});

export const errors: Errors<OwnKind> = {
  table: ERRORS,
  toProblem: toProblemIn(ERRORS),
  render: ({ kind, message }) => ({ status: ERRORS[kind].status, body: errorBody(kind, message) }),
  numberOf: numberInError,
};
