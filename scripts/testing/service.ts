import express from 'express';
import document from '../../generated/openapi.json';
import { createApp } from '../../src/app';
import { verifiers } from '../../src/auth';
import {
  type Answer,
  createHttpServer,
  createService,
  type JsonObject,
  type Outcome,
  type Problem,
  type ServiceOptions,
} from 'contract-first-server';
import { joinPointer, OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { errors, type OwnKind } from '../../src/errors';
import type { Dependencies } from '../../src/dependencies';
import { createHandlers } from '../../src/handlers';
import type { Handlers } from '../../src/handlers/types';
import type { OperationalKind, RuntimeOptions } from 'contract-first-server/runtime';
import { openMemoryStore } from '../../src/storage/memory';
import { openServer, strategiesWith } from 'contract-first-prover/service';
import { renderPlain, toProblem } from './plain-errors';

export const TOKEN = 'a-very-secret-token';
export const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };
const LIMITS = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };

/** The strategies of this project, which accept these tokens. */
export const strategiesAccepting = (...tokens: readonly string[]) =>
  strategiesWith(verifiers, { API_TOKENS: tokens.join(',') }, new OpenApiDocument(document), {});

/** The dependencies of this project, on a store in memory. */
export const inMemory = (store = openMemoryStore()): Dependencies => ({ ...store, store });

/** The options of an application that reports nothing, beside its document and its strategies. */
export const RUNTIME = {
  ready: () => Promise.resolve(),
  report: () => undefined,
  metrics: { text: () => Promise.resolve(''), contentType: 'text/plain' },
  stopping: new AbortController().signal,
  corsOrigins: [],
  production: false,
  bodyLimit: 102_400,
  maxRequests: 512,
};

/** The application of this project, on a store in memory. */
export function buildApp({
  handlers = createHandlers(inMemory()),
  ...overrides
}: Partial<RuntimeOptions<OwnKind>> & { readonly handlers?: Handlers } = {}): express.Express {
  const options = { ...RUNTIME, document, strategies: strategiesAccepting(TOKEN), ...overrides };
  return createApp(handlers, options, inMemory());
}

/** A service for any document, with plain errors, and the reported outcome of each request. */
export function buildService(
  options: Partial<ServiceOptions<OperationalKind>> & Pick<ServiceOptions, 'document'>,
) {
  const outcomes: Outcome<OperationalKind>[] = [];
  const service = createService({
    handlers: {},
    strategies: {},
    toProblem,
    render: renderPlain,
    bodyLimit: 102_400,
    maxRequests: 512,
    headers: {},
    requestIdOf: () => 'a-request',
    stubs: true,
    reserved: '/-/',
    report: (outcome) => outcomes.push(outcome),
    ...options,
  });
  return { app: express().use(service), service, outcomes };
}

/** Listens on a free port until the callback has ended. */
export async function listening<T>(
  app: express.Express,
  use: (port: number) => Promise<T>,
  limits: Partial<typeof LIMITS> = {},
  render: (problem: Problem) => Answer = errors.render,
): Promise<T> {
  const { port, close } = await openServer(createHttpServer(app, render, { ...LIMITS, ...limits }));
  try {
    return await use(port);
  } finally {
    await close();
  }
}

type Fields = { readonly operation?: object; readonly components?: object } & JsonObject;

/** A document with one operation, `POST /things`, and the fields that the test sets. */
export function buildDocument({ operation = {}, components = {}, ...rest }: Fields = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'A test', version: '1.0.0' },
    paths: {
      '/things': {
        post: { operationId: 'postThing', responses: { 204: { description: 'done' } }, ...operation },
      },
    },
    components,
    ...rest,
  };
}

export const json = (schema: unknown) => ({ 'application/json': { schema } });

const plainError = {
  description: 'a refusal',
  content: json({
    type: 'object',
    required: ['error', 'message'],
    properties: { error: { type: 'integer' }, message: { type: 'string' } },
  }),
};

/** A copy of a document whose operations document each refusal by the server, with the body of plain errors. */
export function withRefusals(given: JsonObject): JsonObject {
  const root = structuredClone(given);
  const document = new OpenApiDocument(root);
  for (const { pointer, responses } of readOperations(document))
    if (!responses.has('default'))
      Object.assign(document.at(joinPointer(pointer, 'responses')) as object, {
        ...(responses.has('4XX') ? {} : { '4XX': plainError }),
        ...(responses.has('5XX') ? {} : { '5XX': plainError }),
      });
  return root;
}
