import type { ProblemKind } from '../../../src/contract';
import type { RefusalRule, Refusals } from '../target';

/** How the core refuses requests, for the engine. */
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
