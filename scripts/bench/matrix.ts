import {
  anonymous,
  elsewhere,
  getItems,
  invalid,
  LISTS,
  plantsContract,
  postItemsOf,
  postPlant,
} from './contracts';
import type { Comparison } from './measure';
import {
  BACKEND,
  BARE,
  COMMIT_EACH,
  CORE,
  FASTIFY,
  FASTIFY_JUDGED,
  HONO,
  inCheckout,
  MEMORY,
  OURS,
  POSTGRES,
  README,
  SERVICE,
  SQLITE,
  type Subject,
} from './servers';

/** The most that ours may be of what `of` is, where it is not the least; or, of `ours`, the most in the unit of the line. */
export interface Goal {
  readonly of: string;
  readonly limit: number;
  readonly least?: true;
}

/** One kind of request. */
export interface Row extends Comparison {
  /** What ONLY= names. */
  readonly name: string;
  readonly title: string;
  readonly goals: readonly Goal[];
  /** For the requests a second, where the CPU does not show all: a disk that is waited for. */
  readonly rates?: readonly Goal[];
  /** For the median of what a client waits. */
  readonly latencies?: readonly Goal[];
}

const most = (limits: Readonly<Record<string, number>>): Goal[] =>
  Object.entries(limits).map(([of, limit]) => ({ of, limit }));

const NO_SLOWER = { README: 1 };
const ONE_PLANT = { bare: 1.25, fastify: 1.1, ...NO_SLOWER };
const SHORT_LIST = { bare: 1.6, fastify: 1.15, ...NO_SLOWER };
const SENT_LIST = { bare: 1.4, fastify: 1, ...NO_SLOWER };
const RECEIVED_LIST = { bare: 1.5, fastify: 1, ...NO_SLOWER };
/** Of bare, whose cost for an item grows too: with the caches of the machine and the garbage. */
export const GROWTH = most({ bare: 1.25 });

const PEERS = [BARE, FASTIFY, README];
/** Many small requests at once, and few large ones: a turn of 64 lists of 1,000 would take half a second. */
const [MANY, FEW] = [64, 8];

const plants = {
  contract: plantsContract(1),
  subjects: [OURS, ...PEERS],
  connections: MANY,
  requests: 1000,
  status: 200,
  request: postPlant,
  goals: most(ONE_PLANT),
};
const lists = {
  contract: LISTS,
  subjects: [SERVICE, ...PEERS, CORE],
  connections: FEW,
  status: 200,
};
const refusal = { ...plants, goals: most({ fastify: 1.2, ...NO_SLOWER }) };
const OURS_ANY: Subject = { ...CORE, name: 'ours' };
const thousand = {
  ...plants,
  contract: plantsContract(1000),
  subjects: [OURS_ANY, BARE, FASTIFY, { ...README, share: 0.02 }],
};
const ONE_OPERATION: Subject = {
  ...CORE,
  name: '1 operation',
  included: 'ours, with a document of one operation',
  contract: plants.contract,
};

/** So many that a round takes a tenth of a second. */
const requestsOf = (count: number): number => 20_000 / Math.max(count, 40);

export const GET_LISTS: readonly Row[] = [10, 100, 1000].map((count) => {
  const message = getItems(count);
  return {
    ...lists,
    subjects: [...lists.subjects, FASTIFY_JUDGED],
    name: `get-${count}`,
    title: `GET a list of ${count.toLocaleString('en')}`,
    request: () => message,
    requests: requestsOf(count),
    goals: most(count === 10 ? SHORT_LIST : SENT_LIST),
  };
});

export const MATRIX: readonly Row[] = [
  {
    ...plants,
    name: 'plant',
    title: 'POST one plant',
    subjects: [...plants.subjects, HONO, BACKEND],
  },
  {
    ...plants,
    name: 'latency',
    title: 'POST one plant, one request at a time',
    connections: 1,
    goals: [],
    latencies: most({ fastify: 1.15 }),
  },
  ...GET_LISTS,
  ...[100, 1000].map((count) => {
    const message = postItemsOf(count);
    return {
      ...lists,
      name: `post-${count}`,
      title: `POST a list of ${count.toLocaleString('en')}`,
      request: () => message,
      requests: requestsOf(count),
      goals: most(RECEIVED_LIST),
    };
  }),
  { ...refusal, name: 'refused-404', title: '404, no such path', request: () => elsewhere, status: 404 },
  { ...refusal, name: 'refused-401', title: '401, another token', request: () => anonymous, status: 401 },
  {
    ...refusal,
    name: 'refused-400',
    title: '400, a plant without a name',
    request: () => invalid,
    status: 400,
  },
  {
    ...thousand,
    name: 'operations',
    title: 'POST one plant, 1,000 operations',
    subjects: [...thousand.subjects, ONE_OPERATION],
    goals: most({ ...NO_SLOWER, [ONE_OPERATION.name]: 1.05 }),
  },
  {
    ...plants,
    name: 'sqlite',
    title: 'POST one plant, SQLite',
    subjects: [SQLITE, MEMORY, COMMIT_EACH],
    goals: most({ [MEMORY.name]: 1.4 }),
    rates: [
      { of: MEMORY.name, limit: 0.7, least: true },
      { of: COMMIT_EACH.name, limit: 3, least: true },
    ],
  },
  ...[16, MANY, 256].map((connections) => ({
    ...plants,
    name: `postgres-${connections}`,
    title: `POST one plant, PostgreSQL, ${connections} connections`,
    subjects: [POSTGRES],
    connections,
    goals: [],
    rates: [],
  })),
  ...[MANY, 256, 512].map((connections) => ({
    ...plants,
    name: `far-${connections}`,
    title: `POST one plant, PostgreSQL at 20 ms, ${connections} connections`,
    subjects: [{ ...POSTGRES, distance: 20 }],
    connections,
    requests: 2 * connections,
    goals: [],
    rates: [],
  })),
];

/** The row of the server alone, beside the one that was built in another checkout: for whoever changes what a request passes. */
export function besideCheckout(row: Row, checkout: string): Row {
  const [ours] = row.subjects;
  if (!ours) return row;
  // Older checkouts have the core as the only server of any document.
  const alike = [ours, OURS_ANY].find((each) => inCheckout(checkout, each));
  const before = alike && inCheckout(checkout, alike);
  if (!before) throw new Error(`expected ${ours.file} in ${checkout}: build it there`);
  return { ...row, subjects: [alike, before], goals: most({ before: 1.03 }), rates: [] };
}

/** What a server costs before its first request. */
export interface Starts extends Comparison {
  readonly title: string;
  /** Of CPU. */
  readonly milliseconds: readonly Goal[];
  /** In MiB. */
  readonly memory: readonly Goal[];
}

export const STARTS: readonly Starts[] = [
  { ...plants, title: '1 operation', milliseconds: most({ ours: 300 }), memory: most({ ours: 80 }) },
  { ...thousand, title: '1,000 operations', milliseconds: most({ ours: 3000 }), memory: [] },
];
