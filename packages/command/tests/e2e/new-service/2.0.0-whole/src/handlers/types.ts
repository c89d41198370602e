import type { operations, security } from '../../generated/openapi';
import type { Principals } from '../auth';
import type { Handlers as HandlersOf } from 'contract-first-server';
import type { Dependencies } from '../dependencies';

/** The handler of every operation in the document, by operationId. */
export type Handlers = HandlersOf<operations, security, Principals>;

/** Creates the handler of an operation. */
export type CreateHandler<Id extends keyof Handlers> = (dependencies: Dependencies) => Handlers[Id];
