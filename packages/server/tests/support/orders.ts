import {
  createTable,
  type Database,
  insertInto,
  INT64,
  INTEGER,
  IDENTITY,
  only,
  openDatabase,
  type RowOf,
  type Schema,
  select,
  sql,
  table,
  TEXT,
  unlessViolated,
} from 'contract-first-database';
import { type Answer, type JsonObject, type ServiceOptions, strategiesFor } from 'contract-first-server';
import { IDEMPOTENCY_KEYS, idempotent, type OperationalKind, onceIn } from 'contract-first-server/runtime';
import { OpenApiDocument } from 'contract-first-server/tools';
import { json } from '../../../../scripts/testing/service';

// A service whose clients may retry: what it does twice shows in its table.

const order = {
  type: 'object',
  required: ['item'],
  properties: { item: { type: 'string' }, count: { type: 'integer', format: 'int64' } },
};
const stored = json({
  allOf: [{ type: 'object', properties: { id: { type: 'integer', format: 'int64' } } }, order],
});
const refused = { description: 'Refused.', content: json({ type: 'object' }) };
const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } };
const responses = {
  201: {
    description: 'Stored.',
    headers: { Location: { schema: { type: 'string' } } },
    content: stored,
  },
  ...Object.fromEntries(['400', '401', '409', '422', '429', '500', '503'].map((status) => [status, refused])),
};
const security = [{}, { token: [] }, { apiKey: [] }];
const writing = { parameters: [key], requestBody: { content: json(order) }, responses, security };

export const ORDERS: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  paths: {
    '/orders': { post: { operationId: 'addOrder', ...writing } },
    '/gifts/{to}': {
      parameters: [{ name: 'to', in: 'path', required: true, schema: { type: 'string' } }],
      post: {
        operationId: 'addGift',
        ...writing,
        parameters: [key, { name: 'wrapped', in: 'query', schema: { type: 'boolean' } }],
      },
    },
  },
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
  },
};

export const strategies = strategiesFor(
  new OpenApiDocument(ORDERS),
  (secret) => secret !== 'nobody' && { ...(secret !== 'nameless' && { id: secret }) },
);

const orders = table('orders', { id: IDENTITY, item: TEXT.unique(), count: INT64.optional() });
type Order = RowOf<typeof orders>;

const SCHEMA: Schema = {
  name: 'orders',
  mark: 'Ordr',
  migrations: [
    ['orders', createTable(orders)],
    ['idempotency keys', ...IDEMPOTENCY_KEYS],
  ],
  probe: insertInto(orders, [])``,
};

const ordersIn = (database: Database) => ({
  add: (item: string, count?: bigint) =>
    unlessViolated(['unique'], database.query(insertInto(orders, { item, count })``)),
  items: async () => (await database.query(select(orders)`ORDER BY ${orders.id}`)).map(({ item }) => item),
});
export type Orders = ReturnType<typeof ordersIn>;

/** @param wrap replaces the database by one with faults */
export async function openOrders(
  url: string,
  { ttl = 3_600_000, most = 1000, wrap = (database: Database): Database => database } = {},
) {
  const database = await openDatabase(url, SCHEMA);
  const keys = async () =>
    only(await database.query(select({ n: INTEGER.from(sql`count(*)`) })`FROM idempotency_keys`)).n;
  const inner = wrap(database);
  return {
    ...ordersIn(inner),
    once: onceIn(inner, ordersIn, ttl, most),
    keys,
    close: () => database.close(),
  };
}
export type OrderStore = Awaited<ReturnType<typeof openOrders>>;

/** What happens after the order is stored, in the transaction. */
export type After = (item: string, order: Order) => Promise<Answer | undefined> | Answer | undefined;

interface OrderRequest {
  readonly body: { readonly item: string; readonly count?: bigint };
  readonly path?: { readonly to: string };
}

export function ordersService(
  store: OrderStore,
  after: After = () => undefined,
): Pick<ServiceOptions<OperationalKind>, 'document' | 'strategies' | 'handlers' | 'stubs'> {
  const add = () =>
    idempotent(
      store,
      async ({ body: { item, count }, path }: OrderRequest, inner: Orders): Promise<Answer> => {
        const name = path ? `${item} for ${path.to}` : item;
        const added = await inner.add(name, count);
        if (added === 'unique') return { status: item === 'ignored' ? 201 : 409, body: { item: 'taken' } };
        const row = only(added);
        return (
          (await after(name, row)) ?? { status: 201, headers: { Location: `/orders/${row.id}` }, body: row }
        );
      },
    );
  return { document: ORDERS, strategies, stubs: false, handlers: { addOrder: add(), addGift: add() } };
}
