import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
import type { NewPhoto } from '../../src/storage/photos';

/** The published document. `readDocument` keeps integers beyond 2^53 exact. */
const document = readDocument(readFileSync(path.join(__dirname, '../../generated/openapi.json'), 'utf8'));

/** What the examples of path parameters name, as the store takes it. */
const examples = readExamples(path.join(__dirname, 'examples.json')) as {
  readonly photos: NewPhoto;
};

/** CI has a PostgreSQL for the tests, which they empty. */
const config = readConfig({ DATABASE_URL: process.env['TEST_DATABASE_URL'] ?? 'memory:' });

/** The dependencies, with a store that holds the objects that the examples of path parameters name. Each test begins with them. */
export async function openExample(): Promise<Dependencies> {
  await emptied(config.databaseUrl);
  const photosFolder = await mkdtemp(path.join(tmpdir(), 'photos-'));
  const dependencies = await openDependencies({ ...config, photosFolder });
  const bytes = new Blob(['0123456789']);
  const file = await dependencies.files.put(bytes.stream());
  await dependencies.store.photos.add({ ...examples.photos, file, size: BigInt(bytes.size) });
  return {
    ...dependencies,
    close: async () => {
      await dependencies.close();
      await rm(photosFolder, { recursive: true });
    },
  };
}

/** How the service refuses a request: the status, and members that the body must have. */
const refusal = (kind: Kind, operation?: Operation): RefusalRule => {
  const status = statusIn(ERRORS, kind, operation);
  return {
    status,
    body: { code: ERRORS[kind].number },
  };
};

/** Refusals that depend on what is stored. `operations`: those that may refuse any valid request so. */
const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
  noSuchResource: { status: 404, operations: ['getPhoto', 'deletePhoto', 'downloadPhoto'] },
};

/** Sequences of requests with their expected answers. One waits while a handler that it needs is a stub. */
export const scenarios: readonly ScenarioOf<operations>[] = [
  {
    title: 'photos: what is created can be read, until it is deleted',
    steps: [
      { operation: 'uploadPhoto', expect: 'success' },
      {
        operation: 'getPhoto',
        parameters: (answerTo) => ({ id: answerTo(1).at('/id') }),
        expect: 'success',
        answer: (answerTo) => ({ '': answerTo(1).at('') }),
      },
      {
        operation: 'deletePhoto',
        parameters: (answerTo) => ({ id: answerTo(1).at('/id') }),
        expect: 'success',
      },
      {
        operation: 'getPhoto',
        parameters: (answerTo) => ({ id: answerTo(1).at('/id') }),
        expect: 'noSuchResource',
      },
      {
        operation: 'deletePhoto',
        parameters: (answerTo) => ({ id: answerTo(1).at('/id') }),
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'getPhoto: there is none',
    steps: [{ operation: 'getPhoto', parameters: { id: 999999 }, expect: 'noSuchResource' }],
  },
  {
    title: 'deletePhoto: there is none',
    steps: [{ operation: 'deletePhoto', parameters: { id: 999999 }, expect: 'noSuchResource' }],
  },
  {
    title: 'downloadPhoto: there is none',
    steps: [{ operation: 'downloadPhoto', parameters: { id: 999999 }, expect: 'noSuchResource' }],
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
    refusalSchema: '/components/schemas/Error',
    verifiers,
    ownRefusals,
    scenarios,
    waivers,
  });
