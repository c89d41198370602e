import contract from '../../generated/openapi.json';
import { createApp } from '../../src/app';
import { clientOf, createStrategies, tokenVerifier } from '../../src/auth';
import type { Strategies } from '../../src/contract';
import { errors } from '../../src/errors';
import { createHandlers } from '../../src/handlers';
import { TOKEN } from '../support/service';
import { type Changes, serviceTarget, type Target } from '../testing';
import { refusal } from './refusals';
import { openExampleStore, ownRefusals, scenarios, waivers } from './scenarios';

/** The parts of the server under test. tests/system/mutants replaces one of them by a broken one. */
export interface Parts extends Changes {
  readonly openStore: typeof openExampleStore;
  readonly strategies: Strategies;
}

/** This service as a target of the engine. */
export function service({ openStore = openExampleStore, ...changed }: Partial<Parts> = {}): Target {
  const secrets = { valid: TOKEN, invalid: 'another-token' };
  // The document may have other schemes than the changed one.
  const strategies = { ...createStrategies(tokenVerifier([TOKEN]).verify), ...changed.strategies };
  return serviceTarget(
    {
      document: contract,
      openStore,
      createHandlers,
      createApp,
      errors,
      refusal,
      refusalSchema: '/components/schemas/Error',
      authentication: { strategies, clientOf },
      credentials: Object.fromEntries(Object.keys(strategies).map((scheme) => [scheme, secrets])),
      ownRefusals,
      scenarios,
      waivers,
    },
    changed,
  );
}
