import { Problem } from '../problem';

const stubs = new WeakSet();

/** Creates the placeholder for a handler. It rejects with the problem `notImplemented`. */
export function notImplemented(operationId: string): () => Promise<never> {
  const stub = () =>
    Promise.reject(new Problem('notImplemented', `the operation ${operationId} is not implemented yet`));
  stubs.add(stub);
  return stub;
}

/** Whether a handler is a placeholder of `notImplemented`. */
export function isStub(handler: object): boolean {
  return stubs.has(handler);
}
