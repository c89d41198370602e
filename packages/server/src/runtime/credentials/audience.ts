import { AsyncLocalStorage } from 'node:async_hooks';

/** The further name of this service in tokens, while a request is served that has come by it. */
export const resource = new AsyncLocalStorage<string>();
