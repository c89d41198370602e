import { join } from 'node:path';
import { LISTS, plantsContract } from '../bench/contracts';
import { type Line, lineOf, missed } from '../bench/lines';
import { MATRIX, type Row } from '../bench/matrix';
import { compare, type Fleet, measure, startFleet } from '../bench/measure';
import { printed } from '../bench/report';
import {
  BARE,
  check,
  COMMIT_EACH,
  CORE,
  OURS,
  README,
  send,
  SERVICE,
  SQLITE,
  startServer,
} from '../bench/servers';

// The parts of `make bench` that need no packages of their own.

const [ONE, TEN] = [plantsContract(1), plantsContract(10)];

function rowOf(name: string): Row {
  const row = MATRIX.find((row) => row.name === name);
  if (!row) throw new Error(`there is no row ${name}`);
  return row;
}

test.each([
  ...[CORE, README].map((subject) => ['the plants', subject.name, subject, ONE] as const),
  ...[SQLITE, COMMIT_EACH].map((subject) => ['the plants on SQLite', subject.name, subject, ONE] as const),
  ...[CORE, README].map((subject) => ['one of ten operations', subject.name, subject, TEN] as const),
  ...[SERVICE, README].map((subject) => ['the lists', subject.name, subject, LISTS] as const),
])('%s: the responses of %s are as expected', async (_, _name, subject, contract) => {
  const server = await startServer(subject, contract);
  try {
    expect(await check(server, subject, contract.expectations)).toEqual([]);
  } finally {
    await server.stop();
  }
});

test('the stubs that are measured beside a mock answer', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1' },
    paths: { '/a': { get: { operationId: 'getA', responses: { 204: { description: 'nothing' } } } } },
  };
  const message = { method: 'GET', path: '/a', headers: {}, body: undefined };
  const stubs = { name: 'stubs', file: join(__dirname, '../bench/peers/stubs.mjs'), included: '' };
  const server = await startServer(stubs, { document, expectations: [{ message, status: 204 }] });
  try {
    expect((await send(server.port, message)).status).toBe(204);
  } finally {
    await server.stop();
  }
});

test('servers are started in each generation, and one with a different response is not measured', async () => {
  const judging = { ...BARE, judges: true };
  const { samples, wrong } = await compare(
    { ...rowOf('get-10'), subjects: [BARE, judging], requests: 10 },
    { generations: 2, rounds: 2, warmup: 1 },
  );
  expect([...samples].map(([subject, list]) => [subject, list.length])).toEqual([[BARE, 4]]);
  expect([...wrong].map(([subject, errors]) => [subject, errors.length])).toEqual([[judging, 4]]);
});

describe.each([
  {
    contract: ONE,
    subjects: [OURS, BARE],
    rows: ['plant', 'refused-404', 'refused-401', 'refused-400'].map(rowOf),
  },
  { contract: LISTS, subjects: [SERVICE, BARE], rows: ['get-100', 'post-100'].map(rowOf) },
])('the servers of $rows.0.title', ({ contract, subjects, rows }) => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet(contract, subjects);
  });
  afterAll(() => fleet.stop());

  test('have the responses that are expected', () => {
    expect([...fleet.wrong]).toEqual([]);
  });

  test.each(rows)('are measured: $name', async (row) => {
    expect(row).toMatchObject({ contract, subjects: expect.arrayContaining(subjects) as unknown });
    const comparison = { ...row, subjects, requests: 10 };
    const samples = await measure(comparison, fleet.servers, { rounds: 2, warmup: 1 });
    expect([...samples.values()].flat()).toHaveLength(4);
    for (const { cpu, rate, latency } of [...samples.values()].flat()) {
      expect(cpu).toBeGreaterThan(1);
      expect(latency).toBeGreaterThan(1);
      expect(rate).toBeGreaterThan(1);
    }
  });
});

describe('a line', () => {
  const line: Line = lineOf(
    'POST',
    1,
    new Map([
      ['ours', [20, 30, 40]],
      ['bare', [10, 20, 40]],
      ['fastify', [40, 40, 40]],
      ['memory', [20, 20, 20]],
    ]),
    [
      { of: 'bare', limit: 1.4 },
      { of: 'fastify', limit: 0.8 },
      { of: 'README', limit: 1 },
      { of: 'memory', limit: 1.5, least: true },
    ],
  );

  test('has the median of the ratios of the rounds', () => {
    expect(line.ratios['bare']?.value).toBe(1.5);
    expect(line.figures['ours']?.value).toBe(30);
  });

  test('misses a goal that was not measured', () => {
    expect(missed(line).map(({ of, is }) => [of, is])).toEqual([
      ['bare', 1.5],
      ['README', NaN],
    ]);
  });

  test('is printed with its goals and those that it misses', () => {
    expect(printed([line])).toMatch(/bare <= 1.4, fastify <= 0.8, README <= 1 +MISSED: bare, README\n/);
    expect(printed([line])).toMatch(/ of memory: 20.0 +1.50 ±\d.\d\d +memory >= 1.5 +met$/);
  });
});
