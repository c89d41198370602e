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
import type { NewAuthor } from '../../src/storage/authors';
import type { NewBook } from '../../src/storage/books';
import { LENT, scenarios as ofLoans } from './loans';

/** The published document. `readDocument` keeps integers beyond 2^53 exact. */
const document = readDocument(readFileSync(path.join(__dirname, '../../generated/openapi.json'), 'utf8'));

/** What the examples of path parameters name, as the store takes it. */
const examples = readExamples(path.join(__dirname, 'examples.json')) as {
  readonly authors: NewAuthor;
  readonly books: NewBook;
};

/** CI has a PostgreSQL for the tests, which they empty. */
const config = readConfig({
  DATABASE_URL: process.env['TEST_DATABASE_URL'] ?? 'memory:',
  TOKEN_SECRETS: 'of-the-contract-tests',
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
  await dependencies.store.authors.add(examples.authors);
  await dependencies.store.books.add(examples.books);
  await dependencies.store.users.add({
    passwordHash: await passwords.hash('text'),
    email: 'person1@example.com',
    name: 'text',
    since: '2024-01-01T12:00:00Z',
  });
  // A book that the first member has returned, and the second one has now.
  const { books, loans, users } = dependencies.store;
  await users.add({ passwordHash: '', email: 'ada@example.com', name: 'Ada', since: '2024-01-02T12:00:00Z' });
  await books.add({ ...examples.books, isbn: LENT });
  await loans.begin(LENT, '1');
  await loans.end(1n, '1');
  await loans.begin(LENT, '2');
  return dependencies;
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
  noSuchResource: {
    status: 404,
    operations: [
      'getAuthor',
      'getBook',
      'deleteBook',
      'changeBook',
      'listReviews',
      'createReview',
      'borrowBook',
      'returnBook',
    ],
  },
  conflict: { status: 409, operations: ['createBook', 'deleteBook', 'borrowBook'] },
  unprocessableEntity: { status: 422, operations: ['createBook'] },
  ofAnother: { status: 403, operations: ['returnBook'] },
  wrongPassword: { status: 401, operations: ['login'] },
  nameTaken: { status: 409, operations: ['register'] },
};

/** Sequences of requests with their expected answers. One waits while a handler that it needs is a stub. */
export const scenarios: readonly ScenarioOf<operations>[] = [
  ...ofLoans,
  {
    title: 'authors: what is created can be read',
    steps: [
      { operation: 'createAuthor', expect: 'success' },
      {
        operation: 'getAuthor',
        parameters: (answerTo) => ({ authorId: answerTo(1).at('/id') }),
        expect: 'success',
        answer: (answerTo) => ({ '': answerTo(1).at('') }),
      },
    ],
  },
  {
    title: 'books: what is created can be read, until it is deleted',
    steps: [
      { operation: 'createBook', expect: 'success' },
      {
        operation: 'getBook',
        parameters: (answerTo) => ({ isbn: answerTo(1).at('/book/isbn') }),
        security: ['Token'],
        expect: 'success',
        answer: (answerTo) => ({ '': answerTo(1).at('') }),
      },
      {
        operation: 'deleteBook',
        parameters: (answerTo) => ({ isbn: answerTo(1).at('/book/isbn') }),
        expect: 'success',
      },
      {
        operation: 'getBook',
        parameters: (answerTo) => ({ isbn: answerTo(1).at('/book/isbn') }),
        expect: 'noSuchResource',
      },
      {
        operation: 'deleteBook',
        parameters: (answerTo) => ({ isbn: answerTo(1).at('/book/isbn') }),
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'getAuthor: there is none',
    steps: [{ operation: 'getAuthor', parameters: { authorId: 999999 }, expect: 'noSuchResource' }],
  },
  {
    title: 'getBook: there is none',
    steps: [{ operation: 'getBook', parameters: { isbn: '9780000000000' }, expect: 'noSuchResource' }],
  },
  {
    title: 'deleteBook: there is none',
    steps: [{ operation: 'deleteBook', parameters: { isbn: '9780000000000' }, expect: 'noSuchResource' }],
  },
  {
    title: 'changeBook: there is none',
    steps: [{ operation: 'changeBook', parameters: { isbn: '9780000000000' }, expect: 'noSuchResource' }],
  },
  {
    title: 'listReviews: there is none',
    steps: [{ operation: 'listReviews', parameters: { isbn: '9780000000000' }, expect: 'noSuchResource' }],
  },
  {
    title: 'createReview: there is none',
    steps: [{ operation: 'createReview', parameters: { isbn: '9780000000000' }, expect: 'noSuchResource' }],
  },
  {
    title: 'borrowBook: there is none',
    steps: [{ operation: 'borrowBook', parameters: { isbn: '9780000000000' }, expect: 'noSuchResource' }],
  },
  {
    title: 'users: who has registered can log in, by the right password',
    steps: [
      {
        operation: 'register',
        body: '{"email":"another.person1@example.com","name":"text","password":"text...."}',
        expect: 'success',
      },
      {
        operation: 'register',
        body: '{"email":"another.person1@example.com","name":"text","password":"text...."}',
        expect: 'nameTaken',
      },
      {
        operation: 'login',
        body: '{"email":"another.person1@example.com","password":"text...."}',
        expect: 'success',
      },
      {
        operation: 'login',
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
    refusalSchema: '/components/schemas/Error',
    verifiers,
    credentials: async ({ tokens }) => ({ Token: { valid: await tokens.issue('1'), invalid: 'another' } }),
    ownRefusals,
    scenarios,
    waivers,
  });
