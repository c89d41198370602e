import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Operation, readDocument } from 'contract-first-server';
import { statusIn } from 'contract-first-server/runtime';
import { openEmptied, readExamples, serviceTarget, type ServiceTarget } from 'contract-first-prover/service';
import { type OwnRefusal, type RefusalRule, type ScenarioOf, type Waiver } from 'contract-first-prover';
import type { operations } from '../../generated/openapi';
import { createApp } from '../../src/app';
import { verifiers } from '../../src/auth';
import { errors, ERRORS, type Kind } from '../../src/errors';
import { readConfig } from '../../src/config';
import { type Dependencies, openDependencies } from '../../src/dependencies';
import { createHandlers } from '../../src/handlers';
// #region imports
import type { NewNeighbor } from '../../src/storage/neighbors';
import type { NewBike } from '../../src/storage/bikes';
// #endregion imports

/** The published document. `readDocument` keeps integers beyond 2^53 exact. */
const document = readDocument(readFileSync(path.join(__dirname, '../../generated/openapi.json'), 'utf8'));

// #region examples
/** The objects that the examples of path parameters name, in the form that the store takes. */
const examples = readExamples(path.join(__dirname, 'examples.json')) as {
  // #region typed
  readonly neighbors: NewNeighbor;
  readonly bikes: NewBike;
  // #endregion typed
};
// #endregion examples

/** In CI the tests run on a PostgreSQL database, which they empty. */
// #region config
const config = readConfig({
  DATABASE_URL: process.env['TEST_DATABASE_URL'] ?? 'memory:',
  LOG_LEVEL: 'silent',
  WEBHOOK_RETRY_TIME: '0',
  WEBHOOK_SECRETS: `whsec_${'0'.repeat(32)}`,
});
// #endregion config
// #region users
/** scrypt takes a fifth of a second, on purpose, and the tests log in hundreds of times. */
const passwords: Dependencies['passwords'] = {
  hash: (password) => Promise.resolve(`plain ${password}`),
  verify: (password, hash) => Promise.resolve(hash === `plain ${password}`),
};
// #endregion users

/** The dependencies, with a store that holds the objects that the examples of path parameters name. Each test begins with them. */
export async function openExample(): Promise<Dependencies> {
  const dependencies = {
    ...(await openEmptied(config.databaseUrl, () => openDependencies(config))),
    // #region users
    passwords,
    // #endregion users
  };
  // #region stored
  await dependencies.store.neighbors.add(examples.neighbors);
  await dependencies.store.bikes.add(examples.bikes);
  // #endregion stored
  // #region usersStored
  // #endregion usersStored
  return dependencies;
}

/** How the service refuses a request: the status, and members that the body must have. */
const refusal = (kind: Kind, operation?: Operation): RefusalRule => {
  const status = statusIn(ERRORS, kind, operation);
  return {
    status,
    // #region members
    // #endregion members
  };
};

/** Rejections that depend on what is stored. `operations`: those that may reject any valid request this way. */
const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
  // #region kinds
  noSuchResource: {
    status: 404,
    operations: ['getBike', 'replaceBike', 'deleteBike', 'printLabel', 'getNeighbor'],
  },
  conflict: { status: 409, operations: ['createBike', 'replaceBike'] },
  // #endregion kinds
};

/** Sequences of requests with their expected answers. A sequence is skipped while a handler that it needs is a stub. */
export const scenarios: readonly ScenarioOf<operations>[] = [
  // #region scenarios
  {
    title: 'bikes: what is created can be read, until it is deleted',
    steps: [
      { operation: 'createBike', expect: 'success' },
      {
        operation: 'getBike',
        parameters: (answerTo) => ({ bikeId: answerTo(1).at('/bikeId') }),
        expect: 'success',
        answer: (answerTo) => ({ '': answerTo(1).at('') }),
      },
      {
        operation: 'deleteBike',
        parameters: (answerTo) => ({ bikeId: answerTo(1).at('/bikeId') }),
        expect: 'success',
      },
      {
        operation: 'getBike',
        parameters: (answerTo) => ({ bikeId: answerTo(1).at('/bikeId') }),
        expect: 'noSuchResource',
      },
      {
        operation: 'deleteBike',
        parameters: (answerTo) => ({ bikeId: answerTo(1).at('/bikeId') }),
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'neighbors: what is created can be read',
    steps: [
      { operation: 'addNeighbor', expect: 'success' },
      {
        operation: 'getNeighbor',
        parameters: (answerTo) => ({ neighborId: answerTo(1).at('/neighbor/neighborId') }),
        expect: 'success',
        answer: (answerTo) => ({ '': answerTo(1).at('') }),
      },
    ],
  },
  {
    title: 'getBike: not found',
    steps: [
      {
        operation: 'getBike',
        parameters: { bikeId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'replaceBike: not found',
    steps: [
      {
        operation: 'replaceBike',
        parameters: { bikeId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'deleteBike: not found',
    steps: [
      {
        operation: 'deleteBike',
        parameters: { bikeId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'printLabel: not found',
    steps: [
      {
        operation: 'printLabel',
        parameters: { bikeId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'getNeighbor: not found',
    steps: [{ operation: 'getNeighbor', parameters: { neighborId: 999999 }, expect: 'noSuchResource' }],
  },
  {
    title: 'createBike: the serial is taken',
    steps: [
      { operation: 'createBike', expect: 'success' },
      { operation: 'createBike', expect: 'conflict' },
    ],
  },
  {
    title: 'replaceBike: the serial is taken',
    steps: [
      { operation: 'createBike', expect: 'success' },
      { operation: 'replaceBike', expect: 'conflict' },
    ],
  },
  // #endregion scenarios
];

/** Promises of the document that no test proves, each with the reason. `make todo` lists them. */
export const waivers: readonly Waiver[] = [
  // #region waivers
  // #endregion waivers
];

/** This service as a target of the contract tests. */
export const service = (): ServiceTarget =>
  serviceTarget({
    document,
    open: openExample,
    createHandlers,
    createApp,
    errors,
    refusal,
    refusalSchema: '/components/schemas/Problem',
    verifiers,
    // #region usersCredentials
    // #endregion usersCredentials
    ownRefusals,
    scenarios,
    waivers,
  });
