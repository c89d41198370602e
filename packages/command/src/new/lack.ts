/** What the handlers of a service need, and its document lacks. */
import type { Operation } from 'contract-first-server';

/** A refusal of a handler that its operation does not document. */
export interface Refused {
  readonly operation: Operation;
  readonly status: number;
  readonly description: string;
}

/** A response, or a body in every request. */
export type Lack = Refused | { readonly operation: Operation; readonly body: true };
