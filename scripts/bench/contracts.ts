import plants from '../../generated/openapi.json';
import type { JsonObject, Message } from 'contract-first-server';
import { bodyWith, exampleMessage } from '../testing/client';
import lists from './lists.json';

/** The only token that the servers accept. */
export const TOKEN = 'a-token-that-is-as-long-as-tokens-are';

/** A request with the response it must have; a server whose response differs is not measured. */
export interface Expectation {
  readonly message: Message;
  readonly status: number;
  /** As JSON; undefined where each server has its own. */
  readonly body?: unknown;
  /** Only a server that judges requests by the document answers so. */
  readonly judged?: true;
}

/** A document, and requests that show that a server serves it. */
export interface Contract {
  readonly document: JsonObject;
  readonly expectations: readonly Expectation[];
}

const POST = exampleMessage(TOKEN);
const NAME = 'Monstera deliciosa';

/** POST of one plant that no other request has created. */
export const postPlant = (id: number): Message => ({ ...POST, body: bodyWith(POST, { id, name: NAME }) });
export const anonymous: Message = { ...POST, headers: exampleMessage('another').headers };
export const invalid: Message = { ...POST, body: bodyWith(POST, { name: undefined }) };
export const elsewhere: Message = { ...POST, path: '/no-such-path' };
export const CREATED = { name: NAME, tag: 'tropical' };

/** A part of the document that refers to the plants of another garden. */
const inGarden = (part: object, garden: number): object =>
  JSON.parse(JSON.stringify(part).replace(/schemas\/(\w*Plant)"/g, `schemas/$1${garden}"`)) as object;

/**
 * The published contract with as many operations, each with schemas of its own. POST /plants is the last: the cost of
 * finding an operation shows there.
 */
export function plantsContract(operations: number): Contract {
  const { Plant, NewPlant } = plants.components.schemas;
  const { post } = plants.paths['/plants'];
  const gardens = Array.from({ length: operations - 1 }, (_, index) => index + 1);
  const paths = gardens.map((garden): [string, object] => [
    `/gardens${garden}/plants`,
    { post: { ...inGarden(post, garden), operationId: `createPlant${garden}` } },
  ]);
  const schemas = gardens.flatMap((garden): [string, object][] => [
    [`Plant${garden}`, Plant],
    [`NewPlant${garden}`, inGarden(NewPlant, garden)],
  ]);
  return {
    document: {
      ...plants,
      paths: { ...Object.fromEntries(paths), ...plants.paths },
      components: {
        ...plants.components,
        schemas: { ...plants.components.schemas, ...Object.fromEntries(schemas) },
      },
    },
    expectations: [
      { message: postPlant(1), status: 200, body: CREATED },
      { message: { ...POST, body: bodyWith(POST, { id: '42' }) }, status: 400 },
      { message: { ...POST, body: '{"id":42' }, status: 400 },
      { message: { ...POST, headers: { 'Content-Type': 'application/json' } }, status: 401 },
      { message: anonymous, status: 401 },
      { message: invalid, status: 400 },
      { message: elsewhere, status: 404 },
    ],
  };
}

/** What the lists are made of: some 160 bytes each. */
export const ITEMS = Array.from({ length: 1000 }, (_, index) => ({
  // Most literals of int64 are no longer than those that a double represents, and peers know no others.
  id: 4_503_599_627_000_000 + index * 7,
  name: `Monstera deliciosa ${index}`,
  price: 12.5 + (index % 100),
  listedAt: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
  size: { height: 1.25 + (index % 7), width: 0.5 },
  tags: ['tropical', 'evergreen'],
}));

const CREDENTIALS = { Authorization: `Bearer ${TOKEN}` };

export const getItems = (count: number): Message => ({
  method: 'GET',
  path: `/items?count=${count}`,
  headers: CREDENTIALS,
  body: undefined,
});

const postItems = (items: readonly object[]): Message => ({
  method: 'POST',
  path: '/items',
  headers: { 'Content-Type': 'application/json', ...CREDENTIALS },
  body: JSON.stringify(items),
});
export const postItemsOf = (count: number): Message => postItems(ITEMS.slice(0, count));

export const LISTS: Contract = {
  document: lists,
  expectations: [
    ...[10, 100, 1000].map((count) => ({
      message: getItems(count),
      status: 200,
      body: ITEMS.slice(0, count),
    })),
    ...[100, 1000].map((count) => ({ message: postItemsOf(count), status: 200, body: { count } })),
    { message: { ...getItems(10), headers: {} }, status: 401 },
    { message: postItems([{ ...ITEMS[0], id: '42' }]), status: 400, judged: true },
    { message: postItems([{ ...ITEMS[0], name: '' }]), status: 400, judged: true },
    { message: postItems([{ ...ITEMS[0], listedAt: 'today' }]), status: 400, judged: true },
    { message: postItems([{ ...ITEMS[0], size: { height: 1 } }]), status: 400, judged: true },
  ],
};
