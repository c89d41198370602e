import type { IncomingMessage } from 'node:http';
import type { OpenApiDocument, Remark } from '../document/document';
import type { Operation } from '../operations/operations';
import type { Methods, Router } from '../operations/routes';
import type { Answer } from '../problem';
import type { Security } from '../security/requirements';
import type { RequestReader } from './read-request';
import type { Encoded, ResponseWriter } from './write-response';

/** An operation with its compiled readers and writers. */
export interface ServedOperation {
  readonly operation: Operation;
  readonly requests: RequestReader;
  readonly responses: ResponseWriter;
}

/**
 * Chooses what is sent for a request in place of the whole response.
 *
 * @throws {Problem} `preconditionFailed` or `rangeNotSatisfiable`
 * @throws {UndocumentedResponse} if the response lacks what the operation documents for 206 or 304
 */
export type Select = (
  request: Pick<IncomingMessage, 'method' | 'rawHeaders'>,
  answer: Answer,
  whole: Encoded,
) => Encoded;

/** An operation of a running service. */
export interface SecuredOperation extends ServedOperation, Security {
  /** Undefined for an operation that has neither conditional requests nor ranges. */
  readonly select: Select | undefined;
}

/** A compiled document. Who needs a part of it is given it: nobody reads or compiles the document again. */
export class Contract {
  constructor(
    readonly document: OpenApiDocument,
    /** Finds the operations of a path. */
    readonly router: Router<Methods>,
    readonly served: ReadonlyMap<Operation, ServedOperation>,
  ) {}

  /** The parts of the document that the server does not enforce. */
  get remarks(): readonly Remark[] {
    return this.document.remarks;
  }
}
