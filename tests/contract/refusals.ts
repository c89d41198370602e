import type { ProblemKind } from '../../src/contract';
import { ERROR_NUMBERS } from '../../src/errors';
import type { RefusalRule, Refusals } from '../engine/target';

/** Most bytes of a request body to a server under test. */
export const BODY_LIMIT = 65_536;

/** An answer of this service that refuses something: its status, and what its body must hold. */
export const refusal = (kind: keyof typeof ERROR_NUMBERS): RefusalRule => ({
  status: Math.floor(ERROR_NUMBERS[kind] / 100),
  body: { error: ERROR_NUMBERS[kind] },
});

/** What this server refuses, whatever document it serves, by what the refusal of each kind looks like. */
export const refusalsOf = (rule: (kind: ProblemKind) => RefusalRule): Refusals => ({
  'not found': rule('noSuchPath'),
  'method not allowed': rule('noSuchMethod'),
  'missing credentials': rule('noCredentials'),
  'invalid credentials': rule('badCredentials'),
  'insufficient scope': rule('forbidden'),
  'unsupported media type': rule('unsupportedMediaType'),
  'not acceptable': rule('notAcceptable'),
  'content too large': rule('tooLarge'),
  malformed: rule('malformed'),
  'invalid request': rule('mismatch'),
});
