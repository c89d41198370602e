import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Operation, readDocument } from 'contract-first-server';
import { statusIn } from 'contract-first-server/runtime';
import {
  emptied,
  type OwnRefusal,
  readExamples,
  type RefusalRule,
  type ScenarioOf,
  serviceTarget,
  type ServiceTarget,
  type Waiver,
} from 'contract-first-server/testing';
import type { operations } from '../../generated/openapi';
import { createApp } from '../../src/app';
import { verifiers } from '../../src/auth';
import { errors, ERRORS, type Kind } from '../../src/errors';
import { readConfig } from '../../src/config';
import { type Dependencies, openDependencies } from '../../src/dependencies';
import { createHandlers } from '../../src/handlers';
import type { NewTea } from '../../src/storage/teas';

/** The published document. `readDocument` keeps integers beyond 2^53 exact. */
const document = readDocument(readFileSync(path.join(__dirname, '../../generated/openapi.json'), 'utf8'));

/** What the examples of path parameters name, as the store takes it. */
const examples = readExamples(path.join(__dirname, 'examples.json')) as {
  readonly teas: NewTea;
};

/** CI has a PostgreSQL for the tests, which they empty. */
const config = readConfig({
  DATABASE_URL: process.env['TEST_DATABASE_URL'] ?? 'memory:',
  TOKEN_SECRETS: 'of-the-contract-tests',
  LOG_LEVEL: 'silent',
  WEBHOOK_RETRY_TIME: '0',
  WEBHOOK_SECRETS: `whsec_${'0'.repeat(32)}`,
});
/** scrypt takes a fifth of a second, on purpose, and the tests log in hundreds of times. */
const passwords: Dependencies['passwords'] = {
  hash: (password) => Promise.resolve(`plain ${password}`),
  verify: (password, hash) => Promise.resolve(hash === `plain ${password}`),
};

/** The dependencies, with a store that holds the objects that the examples of path parameters name. Each test begins with them. */
export async function openExample(): Promise<Dependencies> {
  await emptied(config.databaseUrl);
  const dependencies = {
    ...(await openDependencies(config)),
    passwords,
  };
  await dependencies.store.teas.add(examples.teas);
  await dependencies.store.users.add({
    id: '00000000-0000-4000-8000-000000000001',
    passwordHash: await passwords.hash('text....'),
    email: 'person1@example.com',
  });
  return dependencies;
}

/** How the service refuses a request: the status, and members that the body must have. */
const refusal = (kind: Kind, operation?: Operation): RefusalRule => {
  const status = statusIn(ERRORS, kind, operation);
  return {
    status,
    body: { status },
  };
};

/** Refusals that depend on what is stored. `operations`: those that may refuse any valid request so. */
const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
  noSuchResource: { status: 404, operations: ['getTea', 'deleteTea'] },
  conflict: { status: 409, operations: [] },
  wrongPassword: { status: 401, operations: ['logIn'] },
  nameTaken: { status: 409, operations: ['register'] },
};

/** Sequences of requests with their expected answers. One waits while a handler that it needs is a stub. */
export const scenarios: readonly ScenarioOf<operations>[] = [
  {
    title: 'teas: what is created can be read, until it is deleted',
    steps: [
      { operation: 'createTea', expect: 'success' },
      {
        operation: 'getTea',
        parameters: (answerTo) => ({ teaId: answerTo(1).at('/teaId') }),
        expect: 'success',
        answer: (answerTo) => ({ '': answerTo(1).at('') }),
      },
      {
        operation: 'deleteTea',
        parameters: (answerTo) => ({ teaId: answerTo(1).at('/teaId') }),
        expect: 'success',
      },
      {
        operation: 'getTea',
        parameters: (answerTo) => ({ teaId: answerTo(1).at('/teaId') }),
        expect: 'noSuchResource',
      },
      {
        operation: 'deleteTea',
        parameters: (answerTo) => ({ teaId: answerTo(1).at('/teaId') }),
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'getTea: there is none',
    steps: [
      {
        operation: 'getTea',
        parameters: { teaId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'deleteTea: there is none',
    steps: [
      {
        operation: 'deleteTea',
        parameters: { teaId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'users: who has registered can log in, by the right password',
    steps: [
      {
        operation: 'register',
        body: '{"email":"another.person1@example.com","password":"text...."}',
        expect: 'success',
      },
      {
        operation: 'register',
        body: '{"email":"another.person1@example.com","password":"text...."}',
        expect: 'nameTaken',
      },
      {
        operation: 'logIn',
        body: '{"email":"another.person1@example.com","password":"text...."}',
        expect: 'success',
      },
      {
        operation: 'logIn',
        body: '{"email":"another.person1@example.com","password":"text....x"}',
        expect: 'wrongPassword',
      },
    ],
  },
];

/** Promises of the document that no test proves, each with the reason. `make todo` lists them. */
export const waivers: readonly Waiver[] = [];

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
    credentials: async ({ tokens }) => ({
      member: { valid: await tokens.issue('00000000-0000-4000-8000-000000000001'), invalid: 'another' },
    }),
    ownRefusals,
    scenarios,
    waivers,
  });
