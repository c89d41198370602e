import type { RequestListener } from 'node:http';
import contract from '../../generated/openapi.json';
import { clientOf, createStrategies, tokenVerifier } from '../../src/auth';
import type { Strategies } from '../../src/contract';
import { errors } from '../../src/errors';
import { StoreUnavailable } from '../../src/database';
import { createHandlers } from '../../src/handlers';
import { limitRequests, type Surroundings } from '../../src/operational';
import type { JsonObject } from '../engine/json/json';
import type { Received, Server, Target } from '../engine/target';
import { buildApp, TOKEN } from '../support/service';
import { listen } from './listen';
import { BODY_LIMIT, refusal, refusalsOf } from './refusals';
import { openExampleStore, ownRefusals, scenarios, waivers } from './scenarios';

/** The parts of the server under test. tests/system/mutants replaces one of them by a broken one. */
export interface Parts {
  /** The document of the server. The engine uses the published document. */
  readonly document: JsonObject;
  readonly openStore: typeof openExampleStore;
  readonly strategies: Strategies;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Runs before each handler, and records its input for the engine. */
  readonly pass: (request: Received) => Received;
  /** Called before each handler. */
  readonly before: () => void;
  /** Wraps the application in the HTTP server. */
  readonly wrap: (application: RequestListener) => RequestListener;
}

/** This service as a target of the engine. */
export function service(changed: Partial<Parts> = {}): Target {
  let received: Received | undefined;
  const see = (request: Received): void => {
    received = request;
  };
  const parts: Parts = {
    document: contract,
    openStore: openExampleStore,
    bodyLimit: BODY_LIMIT,
    pass: (request) => request,
    before: () => undefined,
    wrap: (application) => application,
    ...changed,
    // The document may have other schemes than the changed one.
    strategies: { ...createStrategies(tokenVerifier([TOKEN]).verify), ...changed.strategies },
  };
  const failing = (error: Error) => () =>
    startServer(
      {
        ...parts,
        before: () => {
          throw error;
        },
      },
      see,
    );
  const secrets = { valid: TOKEN, invalid: 'another-token' };
  return {
    document: contract,
    received: () => received,
    start: () => startServer(parts, see),
    credentials: Object.fromEntries(Object.keys(parts.strategies).map((scheme) => [scheme, secrets])),
    bodyLimit: BODY_LIMIT,
    refusals: refusalsOf(refusal),
    refusalSchema: '/components/schemas/Error',
    situations: {
      '429': () => startServer(parts, see, limitRequests({ requests: 0, seconds: 60 }, clientOf)),
      '500': failing(new Error('a secret cause')),
      '503': failing(new StoreUnavailable('no disk')),
    },
    ownRefusals,
    scenarios,
    waivers,
  };
}

async function startServer(
  parts: Parts,
  see: (request: Received) => void,
  rateLimit?: Surroundings['rateLimit'],
): Promise<Server> {
  const open = async () => createHandlers(await parts.openStore());
  let entered = 0;
  let current = await open();
  const handlers = new Proxy(current, {
    get(_, operationId) {
      const handler: unknown = Reflect.get(current, operationId);
      if (typeof handler !== 'function') return handler;
      return (request: Received): unknown => {
        entered += 1;
        const passed = parts.pass(request);
        see(passed);
        parts.before();
        return Reflect.apply(handler, undefined, [passed]);
      };
    },
  });
  const reset = async (): Promise<void> => {
    current = await open();
  };
  const { strategies, bodyLimit, wrap } = parts;
  // A copy: changes that the server makes must not affect the document of the engine.
  const document = structuredClone(parts.document);
  const app = buildApp({ document, handlers, strategies, bodyLimit, rateLimit });
  return listen(app, { entered: () => entered, reset }, errors.render, wrap);
}
