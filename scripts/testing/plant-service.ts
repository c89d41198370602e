import type express from 'express';
import document from '../../generated/openapi.json';
import { createApp } from '../../src/app';
import { verifiers } from '../../src/auth';
import { OpenApiDocument } from 'contract-first-server/tools';
import type { OwnKind } from '../../src/errors';
import type { Dependencies } from '../../src/dependencies';
import { createHandlers } from '../../src/handlers';
import type { Handlers } from '../../src/handlers/types';
import type { RuntimeOptions } from 'contract-first-server/runtime';
import { openMemoryStore } from '../../src/storage/memory';
import { strategiesWith } from 'contract-first-prover/service';
import { RUNTIME } from './service';

export const TOKEN = 'a-very-secret-token';
export const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };

/** The strategies of this project, which accept these tokens. */
export const strategiesAccepting = (...tokens: readonly string[]) =>
  strategiesWith(verifiers, { API_TOKENS: tokens.join(',') }, new OpenApiDocument(document), {});

/** The dependencies of this project, on a store in memory. */
export const inMemory = (store = openMemoryStore()): Dependencies => ({ ...store, store });

/** The application of this project, on a store in memory. */
export function buildApp({
  handlers = createHandlers(inMemory()),
  ...overrides
}: Partial<RuntimeOptions<OwnKind>> & { readonly handlers?: Handlers } = {}): express.Express {
  const options = { ...RUNTIME, document, strategies: strategiesAccepting(TOKEN), ...overrides };
  return createApp(handlers, options, inMemory());
}
