import type { RequestListener } from 'node:http';
import contract from '../../generated/openapi.json';
import { clientOf, createStrategies, tokenVerifier } from '../../src/auth';
import type { Strategies } from '../../src/contract';
import { renderProblem } from '../../src/errors';
import { StoreUnavailable } from '../../src/database';
import { createHandlers } from '../../src/handlers';
import { createRateLimiter } from '../../src/operational/rate-limit';
import type { JsonObject } from '../engine/json/json';
import type { Received, Server, Target } from '../engine/target';
import { buildApp, TOKEN } from '../support/service';
import { listen } from './listen';
import { BODY_LIMIT, refusal, refusalsOf } from './refusals';
import { openExampleStore, ownRefusals, scenarios, waivers } from './scenarios';

/** What the server under test is made of; tests/system/mutants replaces one part at a time by a broken one. */
export interface Parts {
  /** The document that the server is given. The engine always judges by the published one. */
  readonly document: JsonObject;
  readonly openStore: typeof openExampleStore;
  readonly strategies: Strategies;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Stands before each handler: what the handler is given, and the engine sees. */
  readonly pass: (request: Received) => Received;
  /** Called before each handler is. */
  readonly before: () => void;
  /** Stands between the HTTP server and the application. */
  readonly wrap: (application: RequestListener) => RequestListener;
}

/** This service as the contract-test engine sees it. */
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
    // The document may have more schemes than the one that is changed.
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
      '429': () => startServer(parts, see, createRateLimiter({ requests: 0, seconds: 60 }, clientOf)),
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
  rateLimit?: ReturnType<typeof createRateLimiter>,
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
  // A copy: what the server does to its document must not reach the one that it is judged by.
  const document = structuredClone(parts.document);
  const app = buildApp({ document, handlers, strategies, bodyLimit, rateLimit });
  return listen(app, { entered: () => entered, reset }, renderProblem, wrap);
}
