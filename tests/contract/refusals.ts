import type { ProblemKind } from '../../src/contract';
import { ERRORS, type Kind } from '../../src/errors';
import type { RefusalRule, Refusals } from '../engine/target';

/** The maximum size of a request body of a server under test, in bytes. */
export const BODY_LIMIT = 65_536;

/** A refusal of this service: its status and the required content of its body. */
export const refusal = (kind: Kind): RefusalRule => ({
  status: ERRORS[kind].status,
  body: { error: ERRORS[kind].number },
});

/** The refusals of this server for any document, by kind. */
export const refusalsOf = (rule: (kind: ProblemKind) => RefusalRule): Refusals => ({
  'not found': rule('notFound'),
  'method not allowed': rule('methodNotAllowed'),
  'missing credentials': rule('noCredentials'),
  'invalid credentials': rule('badCredentials'),
  'insufficient scope': rule('forbidden'),
  'unsupported media type': rule('unsupportedMediaType'),
  'not acceptable': rule('notAcceptable'),
  'content too large': rule('tooLarge'),
  malformed: rule('malformed'),
  'invalid request': rule('invalidRequest'),
});
