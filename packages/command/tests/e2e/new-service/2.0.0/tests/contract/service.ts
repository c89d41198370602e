import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readDocument } from 'contract-first-server';
import {
  type OwnRefusal,
  type RefusalRule,
  type Scenario,
  serviceTarget,
  type ServiceTarget,
  type Waiver,
} from 'contract-first-server/testing';
import { createApp } from '../../src/app';
import { verifiers } from '../../src/auth';
import { errors, ERRORS, type Kind } from '../../src/errors';
import { createHandlers } from '../../src/handlers';
import type { NightMuseumStore } from '../../src/night-museum/night-museum-store';
import { openStore } from '../../src/storage/open';

/** The published document. `readDocument` keeps integers beyond 2^53 exact. */
const document = readDocument(readFileSync(path.join(__dirname, '../../generated/openapi.json'), 'utf8'));

/** A store that holds the objects that the examples of path parameters name. Each test begins with one. */
export async function openExampleStore(): Promise<NightMuseumStore> {
  const store = await openStore('memory:');
  await store.events.add('00000000-0000-4000-8000-000000000001', {
    name: 'text',
    seats: 2,
    eventId: '00000000-0000-4000-8000-000000000001',
    price: 0n,
  });
  await store.tickets.add('1', {
    number: 1n,
    eventId: '00000000-0000-4000-8000-000000000001',
    visitor: 'text',
  });
  return store;
}

/** How the service refuses a request: the status, and members that the body must have. */
const refusal = (kind: Kind): RefusalRule => ({
  status: ERRORS[kind].status,
  body: { status: ERRORS[kind].status },
});

/** Refusals that depend on what is stored. `operations`: those that may refuse any valid request so. */
const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
  noSuchResource: {
    status: 404,
    operations: ['getEvent', 'deleteEvent', 'updateEvent', 'buyTicket', 'getTicket'],
  },
  conflict: { status: 409, operations: [] },
};

/** Sequences of requests with their expected answers. One waits while a handler that it needs is a stub. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'a ticket is for an event that exists',
    steps: [
      {
        operation: 'buyTicket',
        body: '{"eventId":"ffffffff-ffff-4fff-8fff-ffffffffffff","visitor":"Ada"}',
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'two seats are two tickets',
    steps: [
      { operation: 'buyTicket', expect: 'success' },
      { operation: 'buyTicket', expect: 'success' },
      { operation: 'buyTicket', expect: 'conflict' },
    ],
  },
  {
    title: 'events: what is created can be read, until it is deleted',
    steps: [
      { operation: 'createEvent', expect: 'success' },
      {
        operation: 'getEvent',
        parameters: (answerTo) => ({ eventId: answerTo(1).at('/eventId') }),
        expect: 'success',
      },
      {
        operation: 'deleteEvent',
        parameters: (answerTo) => ({ eventId: answerTo(1).at('/eventId') }),
        expect: 'success',
      },
      {
        operation: 'getEvent',
        parameters: (answerTo) => ({ eventId: answerTo(1).at('/eventId') }),
        expect: 'noSuchResource',
      },
      {
        operation: 'deleteEvent',
        parameters: (answerTo) => ({ eventId: answerTo(1).at('/eventId') }),
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'getEvent: there is none',
    steps: [
      {
        operation: 'getEvent',
        parameters: { eventId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'updateEvent: there is none',
    steps: [
      {
        operation: 'updateEvent',
        parameters: { eventId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'deleteEvent: there is none',
    steps: [
      {
        operation: 'deleteEvent',
        parameters: { eventId: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
        expect: 'noSuchResource',
      },
    ],
  },
  {
    title: 'tickets: what is created can be read',
    steps: [
      { operation: 'buyTicket', expect: 'success' },
      {
        operation: 'getTicket',
        parameters: (answerTo) => ({ number: answerTo(1).at('/number') }),
        expect: 'success',
      },
    ],
  },
  {
    title: 'getTicket: there is none',
    steps: [{ operation: 'getTicket', parameters: { number: 999999 }, expect: 'noSuchResource' }],
  },
];

/** Promises of the document that no test proves, each with the reason. `make todo` lists them. */
export const waivers: readonly Waiver[] = [];

/** This service as a target of the contract tests. */
export const service = (): ServiceTarget =>
  serviceTarget({
    document,
    openStore: openExampleStore,
    createHandlers,
    createApp,
    errors,
    refusal,
    refusalSchema: '/components/schemas/Problem',
    verifiers,
    ownRefusals,
    scenarios,
    waivers,
  });
