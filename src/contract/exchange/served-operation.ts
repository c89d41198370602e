import type { Operation } from '../operations/operations';
import type { Authenticate } from '../security/requirements';
import type { RequestReader } from './request';
import type { ResponseWriter } from './response';

/** An operation with its compiled authentication, readers and writers. */
export interface ServedOperation {
  readonly operation: Operation;
  readonly authenticate: Authenticate;
  readonly requests: RequestReader;
  readonly responses: ResponseWriter;
}
