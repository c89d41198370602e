import { STATUS_CODES } from 'node:http';
import {
  ERRORS as COMMON,
  type Errors,
  type ErrorTable,
  type KindOf,
  toProblemIn,
} from 'contract-first-server/operational';
import type { components } from '../generated/openapi';

/** The error body of the document. */
export type ErrorBody = components['schemas']['Problem'];

const MEDIA_TYPE = 'application/problem+json';

/** The kinds of errors that this service adds to those of every service. */
export type OwnKind = 'noSuchResource' | 'conflict';

export type Kind = KindOf<OwnKind>;

/**
 * Every kind of error: its status, and a number for the log. A number never changes its meaning: the status times 100, plus
 * two digits.
 */
export const ERRORS: ErrorTable<OwnKind> = {
  ...COMMON,
  noSuchResource: { status: 404, number: 40401 },
  conflict: { status: 409, number: 40901 },
};

export const errorBody = (kind: Kind, message: string): ErrorBody => ({
  type: 'about:blank',
  title: STATUS_CODES[ERRORS[kind].status] ?? 'Error',
  status: ERRORS[kind].status,
  detail: message,
});

export const errors: Errors<OwnKind> = {
  table: ERRORS,
  toProblem: toProblemIn(ERRORS),
  render: ({ kind, message }) => ({
    status: ERRORS[kind].status,
    contentType: MEDIA_TYPE,
    body: errorBody(kind, message),
  }),
  numberOf: () => undefined,
};
