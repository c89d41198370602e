import type { Operation } from '../operations/operations';
import type { Authenticate } from '../security/requirements';
import type { RequestReader } from './request';
import type { ResponseWriter } from './response';
import type { Remark } from '../document/document';
import type { Router } from '../operations/router';
import type { Methods } from '../operations/routes';

/** An operation with its compiled authentication, readers and writers. */
export interface ServedOperation {
  readonly operation: Operation;
  readonly authenticate: Authenticate;
  readonly requests: RequestReader;
  readonly responses: ResponseWriter;
}

/** A compiled document. */
export interface Contract {
  /** Finds the operations of a path. */
  readonly router: Router<Methods>;
  readonly served: ReadonlyMap<Operation, ServedOperation>;
  /** The parts of the document that the server does not enforce. */
  readonly remarks: readonly Remark[];
}
