import type { operations, security } from '../../generated/openapi';
import type { Principals } from '../auth';
import type { Handlers as HandlersOf } from '../contract';

/** The handler of every operation in the document, by operationId. */
export type Handlers = HandlersOf<operations, security, Principals>;
