import express from 'express';
import { createService, type JsonObject, type Outcome, type ServiceOptions } from 'contract-first-server';
import { joinPointer, OpenApiDocument, readOperations } from 'contract-first-server/tools';
import type { OperationalKind } from 'contract-first-server/runtime';
import { renderPlain, toProblem } from './plain-errors';

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
