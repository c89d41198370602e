import { ERRORS, type Kind } from '../../src/errors';
import type { RefusalRule } from 'contract-first-prover';

/** A refusal of this service: its status, and the required content of its body. */
export const refusal = (kind: Kind): RefusalRule => ({
  status: ERRORS[kind].status,
  body: { error: ERRORS[kind].number },
});
