import type { Case } from '../cases/case';
import type { Document, Operation, Response } from '../document/model';
import type { Value } from '../json/value';
import type { Target } from '../target';
import type { RawResponse } from '../wire/message';

/** Why the service itself may refuse a valid request in this way; undefined if it may not. */
export type ServiceRejectionReason = (sent: Case, outcome: RawResponse) => string | undefined;

/** A case, the answer to it, and all that the answer is compared with. */
export interface Exchange {
  readonly document: Document;
  readonly target: Target;
  readonly sent: Case;
  readonly operation: Operation;
  readonly outcome: RawResponse;
  /** The documented response of this status. */
  readonly response: Response | undefined;
  /** The JSON body. */
  readonly value: Value | undefined;
  readonly entered: number | undefined;
}
