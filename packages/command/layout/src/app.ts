import type { Express } from 'express';
import type { Dependencies } from './dependencies';
import { errors, type OwnKind } from './errors';
import { extensions } from './extensions';
import type { Handlers } from './handlers/types';
import { stored } from './storage/stored';
import {
  createApp as createApplication,
  type OwnHooks,
  type RuntimeOptions,
} from 'contract-first-server/runtime';

/** The hooks of this service, such as `afterAuthentication`: policies and observers over its dependencies. */
const hooks: (dependencies: Dependencies) => OwnHooks<OwnKind> = () => ({});

/**
 * The application: the contract, and what this service adds to it.
 *
 * @throws {InvalidContract} if the document is invalid, or a handler or strategy that it needs is missing
 */
export const createApp = (
  handlers: Handlers,
  options: RuntimeOptions<OwnKind>,
  dependencies: Dependencies,
): Express => createApplication({ handlers, errors, stored, ...extensions, ...hooks(dependencies) }, options);
