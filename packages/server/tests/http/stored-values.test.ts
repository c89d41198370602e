import request from 'supertest';
import type { Express } from 'express';
import {
  createTable,
  type Database,
  DATE,
  DOUBLE,
  insertInto,
  INT64,
  INTEGER,
  type NewRowOf,
  openDatabase,
  rows,
  type Schema,
  select,
  sql,
  table,
  TEXT,
  TIMESTAMP,
} from 'contract-first-database';
import { createApp } from 'contract-first-server/runtime';
import { PLAIN_ERRORS } from 'contract-first-server/tools';
import { createDatabase } from '../../../../scripts/testing/shared-postgres';
import { buildDocument, json, RUNTIME, withRefusals } from '../../../../scripts/testing/service';

// Integers and numbers that a document leaves open, over columns that hold only some of them.

const made = table('made', { at: TIMESTAMP, day: DATE.optional(), rank: INTEGER.optional() });

const THINGS: Schema = {
  name: 'things',
  mark: 'Thng',
  migrations: [
    ['things', createTable('things', sql`id ${INT64} PRIMARY KEY, weight ${DOUBLE}, name ${TEXT}`)],
    ['made', createTable(made)],
  ],
  probe: sql`INSERT INTO things (id) SELECT id FROM things WHERE 1 = 0`,
};

const parameter = (place: string, name: string, schema: object) => ({
  name,
  in: place,
  required: place === 'path',
  schema,
});
const done = { description: 'done', content: json(true) };
const operation = (operationId: string, parameters: object[], rest = {}) => ({
  operationId,
  parameters,
  responses: { 200: done, 400: done, 404: done },
  ...rest,
});
const integer = { type: 'integer' };
const number = { type: 'number' };
const DOCUMENT = withRefusals(
  buildDocument({
    paths: {
      '/things': {
        get: operation('list', [
          parameter('query', 'limit', integer),
          parameter('query', 'offset', number),
          parameter('query', 'from', number),
          parameter('query', 'ids', { type: 'array', items: integer }),
          parameter('header', 'Heavier', number),
        ]),
        post: operation('add', [], {
          requestBody: {
            required: true,
            content: json({
              type: 'object',
              properties: {
                id: integer,
                weight: number,
                more: { type: 'array', items: integer },
              },
            }),
          },
        }),
      },
      '/made': {
        get: operation('listMade', [parameter('query', 'since', { type: 'string' })]),
        post: operation('make', [], {
          requestBody: {
            required: true,
            content: json({
              type: 'object',
              properties: {
                at: { type: 'string', format: 'date-time' },
                day: { type: 'string', format: 'date' },
                rank: integer,
              },
              required: ['at'],
            }),
          },
        }),
      },
      '/things/{id}': {
        get: operation('get', [parameter('path', 'id', number)]),
        delete: operation('remove', [parameter('path', 'id', integer)]),
      },
    },
  }),
);

type Number = bigint | number;
type Answer = Readonly<Record<'status' | 'body', unknown>>;

interface Request {
  readonly path: { readonly id: Number };
  readonly query: {
    readonly limit?: Number;
    readonly offset?: Number;
    readonly from?: Number;
    readonly ids?: readonly Number[];
  };
  readonly header: { readonly Heavier?: Number };
  readonly body: { readonly id?: Number; readonly weight?: Number | null; readonly more?: readonly Number[] };
}

/** As a team writes them, without a thought of what a column holds. */
function handlersOf(database: Database) {
  const all = (ids: readonly Number[]) => ids.map((id) => ({ id }));
  const answer = (body: unknown, status = 200) => ({ status, body });
  const found = (count: number) => answer(null, count > 0 ? 200 : 404);
  return {
    list: async ({
      query: { limit = 10, offset = 0, from, ids },
      header: { Heavier: heavier = -1 },
    }: Request) =>
      answer(
        await database.query(sql`SELECT name FROM things WHERE weight > ${heavier}
          ${from === undefined ? sql`` : sql`AND id >= ${from}`}
          ${ids ? sql`AND id IN (SELECT id FROM ${rows('listed', { id: INT64 }, all(ids))})` : sql``}
          ORDER BY id LIMIT ${limit} OFFSET ${offset}`),
      ),
    add: async ({ body: { id = 7, weight = null, more = [] } }: Request) => {
      await database.execute(sql`INSERT INTO things (id, weight) VALUES (${id}, ${weight})`);
      await database.execute(
        sql`INSERT INTO things (id) SELECT id FROM ${rows('more', { id: INT64 }, all(more))}`,
      );
      return answer(null);
    },
    get: async ({ path: { id } }: Request) =>
      found((await database.query(sql`SELECT id FROM things WHERE id = ${id}`)).length),
    listMade: async ({ query: { since = '' } }: { query: { since?: string } }) =>
      answer((await database.query(select(made)`WHERE ${made.at} >= ${since}`)).length),
    make: async ({ body }: { body: NewRowOf<typeof made> }) =>
      answer((await database.query(insertInto(made, body)``))[0]),
    remove: async ({ path: { id } }: Request) =>
      found(await database.execute(sql`DELETE FROM things WHERE id = ${id}`)),
  };
}

/** The edges of int64, of the integers that a double holds, and of the doubles. */
const EDGES = [
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '-9223372036854775809',
  '9007199254740991',
  '9007199254740993',
  '-9007199254740993',
  '99999999999999999999',
  '18446744073709551616',
  '1e300',
  '-1e300',
  '1e15',
  '1.7976931348623157e308',
  `1${'0'.repeat(200)}`,
];
const DOUBLES = ['5e-324', '-5e-324', '0.5', '9007199254740992.5', '2.2250738585072014e-308', '-0'];
// Without a format an integer is a double.
const isInt64 = (edge: string) => Number(edge) >= -(2 ** 63) && Number(edge) < 2 ** 63;

describe.each([
  ['SQLite', () => Promise.resolve('memory:')],
  ['PostgreSQL', createDatabase],
])('over %s', (_, locate) => {
  let database: Database;
  let app: Express;
  const faults: unknown[] = [];
  beforeAll(async () => {
    database = await openDatabase(await locate(), THINGS);
    await database.query(sql`INSERT INTO things (id, weight, name) VALUES (1, 1, 'the only thing')`);
    app = createApp(
      { handlers: handlersOf(database), errors: PLAIN_ERRORS },
      {
        ...RUNTIME,
        document: DOCUMENT,
        strategies: {},
        report: ({ problem }) => faults.push(...(problem?.kind === 'unexpected' ? [problem.cause] : [])),
      },
    );
  });
  afterAll(() => database.close());

  const all = [...EDGES, ...DOUBLES];
  const isNegative = (text: string) => text.startsWith('-') && text !== '-0';
  const list = (query: string) => request(app).get(`/things?${query}`);

  test.each(EDGES)('%s as a limit is the greatest possible, or refused with its place', async (edge) => {
    const { status, body } = (await list(`limit=${edge}`)) as Answer;
    if (isNegative(edge))
      expect([status, body]).toEqual([
        400,
        { error: 40001, message: 'query/limit must be a non-negative integer' },
      ]);
    else expect([status, body]).toEqual([200, [{ name: 'the only thing' }]]);
  });

  test.each(all)('%s as an offset', async (edge) => {
    const { status, body } = (await list(`offset=${edge}`)) as Answer;
    if (isNegative(edge) || !Number.isInteger(Number(edge)))
      expect([status, body]).toMatchObject([400, { error: 40001 }]);
    else expect([status, body]).toEqual([200, edge === '-0' ? [{ name: 'the only thing' }] : []]);
  });

  test.each(all)('%s is compared with as a number', async (edge) => {
    const less = Number(edge) <= 1;
    expect((await list(`from=${edge}`)).body).toEqual(less ? [{ name: 'the only thing' }] : []);
    const lighter = Number(edge) < 1;
    expect((await list('').set('Heavier', edge)).body).toEqual(lighter ? [{ name: 'the only thing' }] : []);
  });

  test.each(EDGES)('%s names nothing', async (edge) => {
    for (const answer of [
      await request(app).get(`/things/${edge}`),
      await request(app).delete(`/things/${edge}`),
    ])
      expect([answer.status, faults]).toEqual([404, []]);
    expect((await list(`ids=${edge}&ids=1`)).body).toEqual([{ name: 'the only thing' }]);
  });

  test.each(all)('%s is kept, or refused with its place', async (edge) => {
    const add = (body: string) => request(app).post('/things').type('json').send(body);
    const expectation = isInt64(edge) || edge === '-0' ? [200, null] : [400, { error: 40001 }];
    if (!DOUBLES.includes(edge)) {
      const { status, body } = (await add(`{"id": ${edge}}`)) as Answer;
      expect([status, body]).toMatchObject(expectation);
      if (status === 400)
        expect(body).toHaveProperty('message', 'body/id must be a value that can be stored');
      await database.execute(sql`DELETE FROM things WHERE id <> 1`);
      const more = await add(`{"id": 8, "more": [2, ${edge}]}`);
      expect([more.status, more.body]).toMatchObject(expectation);
      if (more.status === 400)
        expect(more.body).toHaveProperty('message', expect.stringMatching(/^body\/more\/1 must/));
    }
    await database.execute(sql`DELETE FROM things WHERE id <> 1`);
    expect((await add(`{"weight": ${edge}}`)).status).toBe(200);
    await database.execute(sql`DELETE FROM things WHERE id <> 1`);
    expect(faults).toEqual([]);
  });

  test('what a column of a table does not hold is refused with its place, and is looked for in vain', async () => {
    const make = async (body: string) => {
      const { status, body: given } = (await request(app).post('/made').type('json').send(body)) as Answer;
      return [status, status === 200 ? given : (given as { message: string }).message];
    };
    const at = '"at": "2024-02-29T12:00:00.5+02:00"';
    await expect(make(`{${at}, "rank": 1}`)).resolves.toEqual([
      200,
      { at: '2024-02-29T10:00:00.5Z', rank: 1 },
    ]);
    await expect(make('{"at": "9999-12-31T23:59:59-01:00"}')).resolves.toEqual([
      400,
      'body/at must be a date-time of the years 0001 to 9999 in UTC',
    ]);
    await expect(make(`{${at}, "day": "0000-01-01"}`)).resolves.toEqual([
      400,
      'body/day must be a date of the years 0001 to 9999',
    ]);
    for (const edge of EDGES.filter((text) => !Number.isSafeInteger(Number(text))))
      await expect(make(`{${at}, "rank": ${edge}}`)).resolves.toEqual([
        400,
        'body/rank must be an integer from -9007199254740991 to 9007199254740991',
      ]);
    const count = async (since: string) => (await request(app).get('/made').query({ since })).body as unknown;
    for (const since of ['2024-02-29T10:00:00.5Z', '2024-02-29T09:00:00-01:00', '0000-01-01T00:00:00Z'])
      await expect(count(since)).resolves.toBe(1);
    for (const since of ['2024-02-29T10:00:00.500001Z', '9999-12-31T23:59:59-01:00', 'never', ''])
      await expect(count(since)).resolves.toBe(0);
    expect(faults).toEqual([]);
  });
});
