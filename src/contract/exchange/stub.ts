import { Problem } from '../problem';

const stubs = new WeakSet();

/** The refusal by a stub for which the document yields no answer. */
export class NotImplemented extends Problem {
  constructor(operationId: string) {
    super('notImplemented', `the operation ${operationId} is not implemented yet`);
  }
}

/**
 * Creates the placeholder for a handler. Until the handler is written, the service answers from the document: with an
 * example, or with a generated value that conforms. Such a response has the header `X-Stub`. A service without the option
 * `stubs` does not start while one is left.
 */
export function stub(operationId: string): () => Promise<never> {
  const handler = () => Promise.reject(new NotImplemented(operationId));
  stubs.add(handler);
  return handler;
}

/** Whether a handler is a placeholder of `stub`. */
export function isStub(handler: object): boolean {
  return stubs.has(handler);
}
