import type { ProblemKind } from '../../src/contract';
import { ERRORS, type Kind } from '../../src/errors';
import type { RefusalRule, Refusals } from '../engine/target';

/** Most bytes of a request body to a server under test. */
export const BODY_LIMIT = 65_536;

/** An answer of this service that refuses something: its status, and what its body must hold. */
export const refusal = (kind: Kind): RefusalRule => ({
  status: ERRORS[kind].status,
  body: { error: ERRORS[kind].number },
});

/** What this server refuses, whatever document it serves, by what the refusal of each kind looks like. */
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
