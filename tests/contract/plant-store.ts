import type { RequestListener } from 'node:http';
import type { Strategies } from '../../src/contract/security';
import contract from '../../generated/openapi.json';
import { bearerStrategies } from '../../src/auth';
import { ERROR_NUMBERS } from '../../src/errors';
import { StoreUnavailable, type PlantStore } from '../../src/plants/plant-store';
import { openMemoryStore } from '../../src/storage/memory';
import { buildApp, TOKEN } from '../support/service';
import type { JsonObject } from './engine/json';
import type { Refusal, RefusalRule, Server, Target } from './engine/target';
import { listen } from './listen';

/** What the server under test is made of; scripts/mutants.ts replaces one part at a time by a broken one. */
export interface Parts {
  /** The document that the server is given. The engine always judges by the published one. */
  readonly document: JsonObject;
  readonly openStore: () => PlantStore;
  readonly strategies: Strategies;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Stands between the HTTP server and the application. */
  readonly wrap: (application: RequestListener) => RequestListener;
}

export const BODY_LIMIT = 65_536;

const refusal = (kind: keyof typeof ERROR_NUMBERS): RefusalRule => ({
  status: Math.floor(ERROR_NUMBERS[kind] / 100),
  body: { error: ERROR_NUMBERS[kind] },
});

/** The status and number of each refusal of this server, whatever document it serves. */
export const REFUSALS: Readonly<Record<Refusal, RefusalRule>> = {
  'unknown path': refusal('noSuchPath'),
  'unknown method': refusal('noSuchMethod'),
  'no credentials': refusal('noCredentials'),
  'bad credentials': refusal('badCredentials'),
  'unsupported media type': refusal('unsupportedMediaType'),
  'too large': refusal('tooLarge'),
  malformed: refusal('malformed'),
  mismatch: refusal('mismatch'),
  conflict: refusal('idTaken'),
};

/** This service as the contract-test engine sees it. */
export function plantStore(changed: Partial<Parts> = {}): Target {
  const parts: Parts = {
    document: contract,
    openStore: openMemoryStore,
    strategies: bearerStrategies([TOKEN]),
    bodyLimit: BODY_LIMIT,
    wrap: (application) => application,
    ...changed,
  };
  const failing = (error: () => Error) => () =>
    startServer({
      ...parts,
      openStore: () => ({ ...openMemoryStore(), create: () => Promise.reject(error()) }),
    });
  return {
    document: contract,
    start: () => startServer(parts),
    credentials: { bearerAuth: { valid: TOKEN, invalid: 'another-token' } },
    bodyLimit: BODY_LIMIT,
    refusals: REFUSALS,
    refusalSchema: '/components/schemas/Error',
    situations: {
      '500': failing(() => new Error('a secret cause')),
      '503': failing(() => new StoreUnavailable('no disk')),
    },
    scenarios: [
      {
        title: 'an id names one plant for ever',
        operation: 'createPlant',
        steps: [
          { body: '{"id":1,"name":"Monstera","tag":"tropical"}', expect: 'accepted' },
          { body: '{"id":1,"name":"Monstera","tag":"tropical"}', expect: 'accepted' },
          { body: '{"id":1,"name":"Ficus","tag":"tropical"}', expect: 'conflict' },
          { body: '{"id":1,"name":"Monstera"}', expect: 'conflict' },
          { body: '{"id":1,"name":"Monstera","tag":"tropical"}', expect: 'accepted' },
        ],
      },
      {
        title: 'ids that are one double are two plants',
        operation: 'createPlant',
        steps: [
          { body: '{"id":9007199254740992,"name":"one"}', expect: 'accepted' },
          { body: '{"id":9007199254740993,"name":"another"}', expect: 'accepted' },
          { body: '{"id":9007199254740993.0,"name":"a third"}', expect: 'conflict' },
        ],
      },
    ],
    waivers: [],
  };
}

function startServer({ document, openStore, strategies, bodyLimit, wrap }: Parts): Promise<Server> {
  let entered = 0;
  let plants = openStore();
  const store: PlantStore = {
    create: (plant) => {
      entered += 1;
      return plants.create(plant);
    },
    ready: () => plants.ready(),
    close: () => plants.close(),
  };
  const reset = (): void => {
    plants = openStore();
  };
  // A copy: what the server does to its document must not reach the one that it is judged by.
  const app = buildApp({ document: structuredClone(document), store, strategies, bodyLimit });
  return listen(app, { entered: () => entered, reset }, wrap);
}
