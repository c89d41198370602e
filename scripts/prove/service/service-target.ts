import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Express } from 'express';
import {
  isStub,
  type JsonObject,
  OpenApiDocument,
  type Operation,
  Problem,
  type ProblemKind,
  readOperations,
  type Strategies,
} from '../../../src/contract';
import { StoreUnavailable } from '../../../src/database';
import {
  clientOf,
  type Errors,
  type KindOf,
  limitRequests,
  type RuntimeOptions,
  type Verifiers,
} from '../../../src/runtime';
import type { Received, RefusalRule, Refusals, Scenario, Server, Target, Waiver } from '../target';
import { strategiesWith, testSecrets } from './test-credentials';
import { listen } from './listen';

/** The module of a service that makes it a target. */
export const SERVICE = 'tests/contract/service.ts';

/** The parts of a service that is tested. Most are those of `main.ts`. */
export interface TestedService<S, Handlers extends object, Own extends string> extends Pick<
  Target,
  'refusalSchema' | 'ownRefusals' | 'scenarios' | 'waivers'
> {
  /** The published contract, generated/openapi.json: `readDocument` keeps its integers beyond 2^53 exact. */
  readonly document: JsonObject;
  /** Opens a store that holds what the examples of the document name. Called at the start and for each reset. */
  readonly openStore: () => S | Promise<S>;
  /** Does not use the store before a request: it is called without one, to find the stubs. */
  readonly createHandlers: (store: S) => Handlers;
  readonly createApp: (handlers: Handlers, options: RuntimeOptions<Own>) => Express;
  readonly errors: Errors<Own>;
  /** How the service refuses a request: the status, and members that the body must have. */
  readonly refusal: (kind: KindOf<Own>, operation?: Operation) => RefusalRule;
  /** Those of `auth.ts`. Each accepts secrets that the target generates. */
  readonly verifiers: Verifiers;
  /** Credentials of the schemes whose strategy is of the service. */
  readonly credentials?: Target['credentials'];
}

/** The target of a service, and what is left to write in it. */
export interface ServiceTarget extends Target {
  /** The document as its servers read it: once, and they share what they compile of it. */
  readonly described: OpenApiDocument;
  /** The operations whose handlers are stubs. */
  readonly stubs: readonly string[];
  /** The scenarios that need a handler that is a stub. They do not run. */
  readonly waiting: readonly Scenario[];
  /** The waivers of the service itself. */
  readonly waivers: readonly Waiver[];
}

/** Changes that break the server under test, to see that the tests notice. */
export interface Changes {
  /** Another document for the server. The prover uses the published one. */
  readonly document?: JsonObject;
  /** Strategies in the place of those of the service, by the name of the security scheme. */
  readonly strategies?: Strategies;
  /** Bytes. */
  readonly bodyLimit?: number;
  /** Changes the input of each handler, or throws in its place. */
  readonly pass?: (request: Received) => Received;
  /** Wraps the application in the HTTP server. */
  readonly wrap?: (application: RequestListener) => RequestListener;
}

/** The maximum size of a request body of a server under test, in bytes. */
export const BODY_LIMIT = 65_536;

/**
 * A service as a target of the prover. Each of its servers listens on a free port of 127.0.0.1. For the statuses 408,
 * 429, 500 and 503, its servers have no time, limit all requests, fail in each handler, and have no store.
 */
export function serviceTarget<S, Handlers extends object, Own extends string>(
  service: TestedService<S, Handlers, Own>,
  changes: Changes = {},
): ServiceTarget {
  const { document, verifiers, scenarios = [], waivers = [] } = service;
  const stubs = stubsOf(service.createHandlers);
  const waits = ({ steps }: Scenario) => steps.some(({ operation }) => stubs.includes(operation));
  // Of a copy: changes that a server makes must not affect the document of the prover.
  const described = new OpenApiDocument(structuredClone(document));
  const operations = new Map(readOperations(described).map((one) => [one.operationId, one]));
  const secrets = testSecrets(verifiers, described);
  const sound = strategiesWith(verifiers, secrets.environment, described);
  let received: Received | undefined;
  const see = (request: Received): void => {
    received = request;
  };
  // A changed document may have other schemes.
  const strategies = { ...sound, ...changes.strategies };
  const start = (more: Changes = {}, rateLimit?: RuntimeOptions['rateLimit']) =>
    startServer(service, described, { ...changes, ...more, strategies }, see, rateLimit);
  const failing = (error: Error) => () =>
    start({
      pass: () => {
        throw error;
      },
    });
  return {
    source: SERVICE,
    document: document as Target['document'],
    described,
    received: () => received,
    start: () => start(),
    credentials: { ...secrets.credentials, ...service.credentials },
    bodyLimit: BODY_LIMIT,
    refusals: (operationId) => refusalsOf((kind) => service.refusal(kind, operations.get(operationId))),
    refusalSchema: service.refusalSchema,
    situations: {
      '408': failing(new Problem('requestTimeout', 'too slow')),
      '429': () => start({}, limitRequests({ requests: 0, seconds: 60 }, clientOf)),
      '500': failing(new Error('a secret cause')),
      '503': failing(new StoreUnavailable('no disk')),
    },
    ownRefusals: service.ownRefusals ?? {},
    scenarios: scenarios.filter((scenario) => !waits(scenario)),
    waivers,
    stubs,
    waiting: scenarios.filter(waits),
  };
}

/** The operations whose handlers are stubs. */
function stubsOf(createHandlers: (store: never) => object): string[] {
  const handlers = Reflect.apply(createHandlers, undefined, []) as Readonly<Record<string, unknown>>;
  return Object.entries(handlers).flatMap(([id, handler]) =>
    typeof handler === 'function' && isStub(handler) ? [id] : [],
  );
}

async function startServer<S, Handlers extends object, Own extends string>(
  service: TestedService<S, Handlers, Own>,
  described: OpenApiDocument,
  { bodyLimit = BODY_LIMIT, document, strategies, pass, wrap }: Changes,
  see: (request: Received) => void,
  rateLimit: RuntimeOptions['rateLimit'],
): Promise<Server> {
  const open = async () => service.createHandlers(await service.openStore());
  let entered = 0;
  let current = await open();
  /** The value of `entered` when the current store was opened. */
  let enteredBefore = 0;
  const handlers = new Proxy(current, {
    get(_, operationId) {
      const handler: unknown = Reflect.get(current, operationId);
      if (typeof handler !== 'function') return handler;
      return (request: Received): unknown => {
        entered += 1;
        const passed = pass?.(request) ?? request;
        see(passed);
        return Reflect.apply(handler, undefined, [passed]);
      };
    },
  });
  const app = service.createApp(handlers, {
    document: document ? structuredClone(document) : described,
    strategies: strategies ?? {},
    ready: () => Promise.resolve(),
    report: () => undefined,
    metrics: { text: () => Promise.resolve(''), contentType: 'text/plain' },
    stopping: new AbortController().signal,
    corsOrigins: [],
    production: false,
    bodyLimit,
    maxRequests: 512,
    rateLimit,
  });
  const reset = async (): Promise<void> => {
    if (entered === enteredBefore) return; // Only handlers know the store: it is as it was opened.
    current = await open();
    enteredBefore = entered;
  };
  return listen(app, { entered: () => entered, reset }, service.errors.render, wrap);
}

/** How the core refuses requests, for the prover. */
export const refusalsOf = (rule: (kind: ProblemKind) => RefusalRule): Refusals => ({
  'not found': rule('notFound'),
  'method not allowed': rule('methodNotAllowed'),
  'missing credentials': rule('noCredentials'),
  'invalid credentials': rule('badCredentials'),
  'insufficient scope': rule('forbidden'),
  'unsupported media type': rule('unsupportedMediaType'),
  'not acceptable': rule('notAcceptable'),
  'content too large': rule('tooLarge'),
  malformed: rule('malformed'),
  'invalid request': rule('invalidRequest'),
});

/**
 * The values of a file of examples: JSON in which an integer of 64 bits, a bigint in handlers and stores, is
 * `{ "$int64": "1" }`.
 */
export const readExamples = (file: string): unknown =>
  JSON.parse(readFileSync(file, 'utf8'), (_, value: unknown) =>
    typeof value === 'object' && value !== null && '$int64' in value ? BigInt(String(value.$int64)) : value,
  );
