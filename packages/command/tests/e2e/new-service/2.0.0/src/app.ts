import type { Express } from 'express';
import { errors, type OwnKind } from './errors';
import { extensions } from './extensions';
import type { Handlers } from './handlers/types';
import { createApp as createApplication, type Surroundings } from 'contract-first-server/operational';

/**
 * The application: the contract, and what this service adds to it.
 *
 * @throws {InvalidContract} if the document is invalid, or a handler or strategy that it needs is missing
 */
export const createApp = (handlers: Handlers, surroundings: Surroundings<OwnKind>): Express =>
  createApplication({ handlers, errors, ...extensions, beforeHandler: () => undefined }, surroundings);
