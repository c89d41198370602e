import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import {
  faultToStderr,
  isStub,
  type JsonObject,
  type Operation,
  Problem,
  type ProblemKind,
  type Strategies,
} from 'contract-first-server';
import { clientOf, limitRequests, OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { StoreUnavailable } from 'contract-first-database';
import { type Errors, type KindOf, type RuntimeOptions, type Verifiers } from 'contract-first-server/runtime';
import type { Received, RefusalRule, Refusals, Scenario, Server, Target, Waiver } from '../target';
import { strategiesWith, testSecrets } from './test-credentials';
import { DEFAULT_SERVER } from '../wire/curl';
import type { Secret } from '../wire/secrets';
import { listen } from './listen';
import { readBody } from './read-body';

/** The module of a service that makes it a target. */
export const SERVICE = 'tests/contract/service.ts';

/** Credentials by the name of the security scheme. */
type CredentialsOf = Target['credentials'];

interface Closable {
  close(): Promise<void>;
}

/**
 * Opens the dependencies, with a store that holds what the examples of the document name. Called before a run, at each start
 * and for each reset; what it opens is closed.
 */
type Open<Dependencies> = () => Dependencies | Promise<Dependencies>;

/** The parts of a service that is tested. Most are those of `main.ts`. */
export type TestedService<Dependencies extends Closable, Handlers extends object, Own extends string> = Pick<
  Target,
  'refusalSchema' | 'ownRefusals' | 'scenarios' | 'waivers' | 'formats' | 'encoders'
> & {
  /** The published contract, generated/openapi.json: `readDocument` keeps its integers beyond 2^53 exact. */
  readonly document: JsonObject;
  readonly open: Open<Dependencies>;
  readonly createHandlers: (dependencies: Dependencies) => Handlers;
  readonly createApp: (
    handlers: Handlers,
    options: RuntimeOptions<Own>,
    dependencies: Dependencies,
  ) => Express;
  readonly errors: Errors<Own>;
  /** How the service refuses a request: the status, and members that the body must have. */
  readonly refusal: (kind: KindOf<Own>, operation?: Operation) => RefusalRule;
  /** Those of `auth.ts`. Each that reads secrets of the environment accepts some that the target generates. */
  readonly verifiers: Verifiers<Dependencies>;
  /** Credentials of the schemes whose strategy is of the service, or what makes them of its dependencies. */
  readonly credentials?:
    CredentialsOf | ((dependencies: Dependencies) => CredentialsOf | Promise<CredentialsOf>);
};

/** What only the opened service can say. */
export interface Inspected extends Required<Pick<Target, 'credentials' | 'stubs'>>, Pick<Target, 'curl'> {
  readonly scenarios: readonly Scenario[];
  /** The scenarios that need a handler that is a stub. They do not run. */
  readonly waiting: readonly Scenario[];
}

/** The target of a service, and what is left to write in it. */
export interface ServiceTarget extends Target {
  /** The document as its servers read it: once, and they share what they compile of it. */
  readonly described: OpenApiDocument;
  /** The waivers of the service itself. */
  readonly waivers: readonly Waiver[];
  readonly inspect: () => Promise<Inspected>;
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

/** Milliseconds. */
const CLOSE_TIMEOUT = 5_000;

/**
 * A service as a target of the prover. Each of its servers listens on a free port of 127.0.0.1. For the statuses 408,
 * 429, 500 and 503, its servers have no time, limit all requests, fail in each handler, and have no store.
 */
export function serviceTarget<Dependencies extends Closable, Handlers extends object, Own extends string>(
  service: TestedService<Dependencies, Handlers, Own>,
  changes: Changes = {},
): ServiceTarget {
  const { document, verifiers, scenarios = [], waivers = [], credentials = {} } = service;
  // Of a copy: changes that a server makes must not affect the document of the prover.
  const described = new OpenApiDocument(structuredClone(document));
  const operations = new Map(readOperations(described).map((one) => [one.operationId, one]));
  const secrets = testSecrets(verifiers, described);
  let received: Received | undefined;
  const see = (request: Received): void => {
    received = request;
  };
  const start = (more: Changes = {}, rateLimit?: RuntimeOptions['rateLimit']) =>
    startServer(service, described, secrets.environment, { ...changes, ...more }, see, rateLimit);
  const failing = (error: Error) => () =>
    start({
      pass: () => {
        throw error;
      },
    });
  const fixed = typeof credentials === 'function' ? {} : credentials;
  return {
    source: SERVICE,
    document: document as Target['document'],
    described,
    received: () => received,
    start: () => start(),
    credentials: { ...secrets.credentials, ...fixed },
    bodyLimit: BODY_LIMIT,
    refusals: (operationId) => refusalsOf((kind) => service.refusal(kind, operations.get(operationId))),
    refusalSchema: service.refusalSchema,
    formats: service.formats,
    encoders: service.encoders,
    situations: {
      '408': failing(new Problem('requestTimeout', 'too slow')),
      '429': () => start({}, limitRequests({ requests: 0, seconds: 60 }, clientOf)),
      '500': failing(new Error('a secret cause')),
      '503': failing(new StoreUnavailable('no disk')),
    },
    ownRefusals: service.ownRefusals ?? {},
    scenarios,
    waivers,
    async inspect() {
      const dependencies = await service.open();
      try {
        const stubs = stubsOf(service.createHandlers(dependencies));
        const waits = ({ steps }: Scenario) => steps.some(({ operation }) => stubs.includes(operation));
        const own = typeof credentials === 'function' ? await credentials(dependencies) : credentials;
        return {
          credentials: { ...secrets.credentials, ...own },
          curl: { ...DEFAULT_SERVER, secrets: shellSecrets(own) },
          stubs,
          scenarios: scenarios.filter((scenario) => !waits(scenario)),
          waiting: scenarios.filter(waits),
        };
      } finally {
        await dependencies.close();
      }
    },
  };
}

/**
 * The credentials that a service makes itself, as variables of the shell: no report has them, and `make contract SERVE=1` prints
 * them. Those that the target makes up are secrets of no other server.
 */
const shellSecrets = (credentials: CredentialsOf): Secret[] =>
  Object.entries(credentials).map(([scheme, { valid }]) => {
    const name = `${scheme.toUpperCase().replace(/\W/g, '_')}_SECRET`;
    // What follows a prefix: requests with another prefix have it too.
    return { name, value: valid.split(' ').at(-1) ?? valid, expression: `printenv ${name}` };
  });

/** The operations whose handlers are stubs. */
const stubsOf = (handlers: object): string[] =>
  Object.entries(handlers).flatMap(([id, handler]: [string, unknown]) =>
    typeof handler === 'function' && isStub(handler) ? [id] : [],
  );

/** An object with the members that `get` returns now. */
const live = <T extends object>(first: T, get: (key: PropertyKey) => unknown): T =>
  new Proxy({ ...first }, { get: (_, key) => get(key) });

async function startServer<Dependencies extends Closable, Handlers extends object, Own extends string>(
  service: TestedService<Dependencies, Handlers, Own>,
  described: OpenApiDocument,
  environment: Readonly<Record<string, string>>,
  { bodyLimit = BODY_LIMIT, document, strategies, pass, wrap }: Changes,
  see: (request: Received) => void,
  rateLimit: RuntimeOptions['rateLimit'],
): Promise<Server> {
  const open = async () => {
    const dependencies = await service.open();
    try {
      const handlers = service.createHandlers(dependencies);
      return {
        dependencies,
        handlers,
        strategies: {
          ...strategiesWith(service.verifiers, environment, described, dependencies),
          // A changed document may have other schemes.
          ...strategies,
        },
      };
    } catch (error) {
      await dependencies.close();
      throw error;
    }
  };
  let current = await open();
  /** The latest failure that the service has reported. */
  let failure: unknown;
  const failed = (): unknown => {
    const latest = failure;
    failure = undefined;
    return latest;
  };
  let entered = 0;
  /** The value of `entered` when the current dependencies were opened. */
  let enteredBefore = 0;
  const handlers = live(current.handlers, (operationId) => {
    const handler: unknown = Reflect.get(current.handlers, operationId);
    if (typeof handler !== 'function') return handler;
    return (request: Received): unknown => {
      const enter = (seen: Received, passed: Received): unknown => {
        entered += 1;
        see(seen);
        return Reflect.apply(handler, undefined, [passed]);
      };
      const given = pass?.(request) ?? request;
      const reading = readBody(given);
      return reading ? reading.then(({ seen, passed }) => enter(seen, passed)) : enter(given, given);
    };
  });
  const options: RuntimeOptions<Own> = {
    document: document ? structuredClone(document) : described,
    strategies: Object.fromEntries(
      Object.entries(current.strategies).map(([name, strategy]) => [
        name,
        live(strategy, (key) => Reflect.get(current.strategies[name] ?? {}, key)),
      ]),
    ),
    ready: () => Promise.resolve(),
    report: ({ status, problem, brokenAt }) => {
      if (brokenAt !== undefined) failure = problem;
      else if (problem && status >= 500) failure = problem.cause ?? problem;
    },
    reportFault: (error, ...place) => {
      failure ??= error;
      faultToStderr(error, ...place);
    },
    metrics: { text: () => Promise.resolve(''), contentType: 'text/plain' },
    stopping: new AbortController().signal,
    corsOrigins: [],
    production: false,
    bodyLimit,
    maxRequests: 512,
    rateLimit,
  };
  const taken = new Set<PropertyKey>();
  const shared = live(current.dependencies, (key) => {
    taken.add(key);
    return Reflect.get(current.dependencies, key);
  });
  try {
    let app = service.createApp(handlers, options, shared);
    // Its hooks may keep what they took: only then is the application made again, which takes milliseconds.
    const isMadeAgain = taken.size > 0;
    const reset = async (): Promise<void> => {
      if (entered === enteredBefore) return; // Nothing but handlers changes the store: it is as it was opened.
      await closeInTime(current.dependencies);
      current = await open();
      if (isMadeAgain) app = service.createApp(handlers, options, current.dependencies);
      enteredBefore = entered;
    };
    const application: RequestListener = (request, response) => {
      app(request, response);
    };
    const wrapped = () => wrap?.(application) ?? application;
    const server = await listen(
      app,
      { entered: () => entered, failed, reset },
      service.errors.render,
      wrapped,
    );
    return {
      ...server,
      close: async () => {
        await server.close();
        await closeInTime(current.dependencies);
      },
    };
  } catch (error) {
    await current.dependencies.close();
    throw error;
  }
}

/** A handler that never ends may keep its store from closing. The run has reported it by then, and goes on. */
const closeInTime = async (dependencies: Closable): Promise<void> =>
  Promise.race([dependencies.close(), sleep(CLOSE_TIMEOUT, undefined, { ref: false })]);

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
