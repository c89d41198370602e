import { Problem } from '../problem';

const stubs = new WeakSet();

/** Stands for the handler of an operation until somebody writes it: answers with the problem `notImplemented`. */
export function notImplemented(operationId: string): () => Promise<never> {
  const stub = () =>
    Promise.reject(new Problem('notImplemented', `the operation ${operationId} is not implemented yet`));
  stubs.add(stub);
  return stub;
}

/** Whether a handler is still what `notImplemented` made. */
export function isStub(handler: object): boolean {
  return stubs.has(handler);
}
