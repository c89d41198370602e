import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { StoreUnavailable } from 'contract-first-database';
import type { Answer } from 'contract-first-server';
import { useDatabases } from '../../../../scripts/testing/databases';
import { buildService } from '../../../../scripts/testing/service';
import { faulty, STEPS } from '../support/faulty';
import { type After, openOrders, type OrderStore, ordersService } from '../support/orders';

// Idempotency-Key: what a retry does and gets (draft-ietf-httpapi-idempotency-key-header-07).

describe.each(useDatabases())('on $kind', ({ locate, shared }) => {
  let url: string;
  const stores: OrderStore[] = [];
  const open = async (options: Parameters<typeof openOrders>[1] = {}) => {
    const store = await openOrders(url, options);
    stores.push(store);
    return store;
  };
  /** A server. */
  const serve = (store: OrderStore, after?: After) => buildService({ ...ordersService(store, after) });
  /** Sends an order. */
  const send = (
    { app }: Pick<ReturnType<typeof serve>, 'app'>,
    key: string | undefined,
    body: object = { item: 'tea' },
    { path = '/orders', headers = { Authorization: 'Bearer ann' } }: { path?: string; headers?: object } = {},
  ) =>
    request(app)
      .post(path)
      .set({ ...headers, ...(key !== undefined && { 'Idempotency-Key': key }) })
      .send(body);
  beforeEach(async () => (url = await locate()));
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  test('a retry gets the same answer, and nothing is done twice', async () => {
    const store = await open();
    const service = serve(store);
    const count = '9007199254740993'; // more than a double holds
    const ask = (key: string) =>
      request(service.app)
        .post('/orders')
        .set({ Authorization: 'Bearer ann', 'Idempotency-Key': key, 'Content-Type': 'application/json' })
        .send(`{"item":"tea","count":${count}}`)
        .buffer(true)
        .parse((response, done) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => {
            done(null, text);
          });
        });
    const first = await ask('"key 1"');
    expect(first).toMatchObject({ status: 201, headers: { location: '/orders/1' } });
    const body = `{"id":1,"item":"tea","count":${count}}`;
    expect(first.body).toBe(body);
    const retries = [await ask('"key 1"'), await ask('key 1')]; // quoted and bare
    for (const retry of retries)
      expect(retry).toMatchObject({ status: 201, headers: { location: '/orders/1' }, body });
    expect(await store.items()).toEqual(['tea']);
  });

  test('without the header each request is executed', async () => {
    const store = await open();
    const service = serve(store);
    expect((await send(service, undefined)).status).toBe(201);
    expect((await send(service, undefined)).status).toBe(409);
    expect(await store.keys()).toBe(0);
  });

  test('a key belongs to its body, path and query', async () => {
    const store = await open();
    const service = serve(store);
    const statusOf = async (item: string, path: string) =>
      (await send(service, 'gift', { item }, { path })).status;
    expect(await statusOf('tea', '/gifts/bob')).toBe(201);
    for (const [item, path] of [
      ['milk', '/gifts/bob'],
      ['tea', '/gifts/eve'],
      ['tea', '/gifts/bob?wrapped=true'],
    ] as const)
      expect(await statusOf(item, path)).toBe(422);
    expect(await statusOf('tea', '/gifts/bob')).toBe(201);
    expect(await store.items()).toEqual(['tea for bob']);
    const retry = await request(service.app)
      .post('/gifts/bob')
      .set({ 'Idempotency-Key': 'gift', Authorization: 'Bearer ann', 'Content-Type': 'application/json' })
      .send('  {"count": null, "item": "tea"}'.replace('"count": null, ', ''));
    expect(retry.status).toBe(201); // the same value in other bytes
  });

  test('a key belongs to the operation, the principal and its scheme', async () => {
    const store = await open();
    const service = serve(store);
    const long = 'a-key-of-an-anonymous-one';
    const clients = [
      { Authorization: 'Bearer ann' },
      { Authorization: 'Bearer bob' },
      { 'X-Key': 'ann' },
      {},
    ];
    for (const [i, headers] of clients.entries()) {
      expect((await send(service, long, { item: `${i}` }, { headers })).status).toBe(201);
      expect((await send(service, long, { item: `${i}` }, { headers, path: '/gifts/x' })).status).toBe(201);
    }
    expect(await store.items()).toHaveLength(8);
    const nameless = await send(service, 'k', {}, { headers: { Authorization: 'Bearer nameless' } });
    expect(nameless.status).toBe(400); // the body comes first
    const broken = await send(service, 'k', { item: 'x' }, { headers: { Authorization: 'Bearer nameless' } });
    expect(broken.status).toBe(500);
    expect(await store.items()).toHaveLength(8);
  });

  test.each([
    ['', 'ann', 400],
    ['""', 'ann', 201], // not a string of RFC 8941, so it is the key itself
    ['"a", "b"', 'ann', 201],
    ['a', 'ann', 201],
    ['"\\"a\\\\"', 'ann', 201],
    ['"123456789012345678901"', undefined, 400],
    ['"1234567890123456789012"', undefined, 201],
  ])('the key %s of %s is answered %i', async (key, client, status) => {
    const service = serve(await open());
    const headers = client === undefined ? {} : { Authorization: `Bearer ${client}` };
    const answer = await send(service, key, { item: 'tea' }, { headers });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body).toMatchObject({ error: 40001 });
  });

  test('while a request is in progress, a retry is 409: at this server and at another', async () => {
    const store = await open();
    const { promise: gate, resolve } = Promise.withResolvers<undefined>();
    const { promise: entered, resolve: enter } = Promise.withResolvers<undefined>();
    const wait: After = () => {
      enter(undefined);
      return gate;
    };
    const service = serve(store, wait);
    const other = shared ? serve(await open()) : service;
    const first = send(service, 'k').then((answer) => answer);
    await entered;
    const retry = await send(service, 'k');
    expect(retry).toMatchObject({ status: 409, body: { error: 40920 } });
    const isPostgres = url.startsWith('postgres');
    // An engine of one writer lets the other server wait.
    const second = isPostgres || !shared ? await send(other, 'k') : send(other, 'k').then((answer) => answer);
    if (isPostgres) expect(second).toMatchObject({ status: 409, body: { error: 40920 } });
    resolve(undefined);
    expect((await first).status).toBe(201);
    if (shared && !isPostgres) expect((await second).status).toBe(201);
    expect((await send(other, 'k')).status).toBe(201);
    expect(await store.items()).toEqual(['tea']);
  });

  test('of requests at the same time, at two servers, one is executed, and the others get its answer or 409', async () => {
    const store = await open();
    const services = [serve(store), shared ? serve(await open()) : serve(store)];
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          send(services[i % 2] ?? serve(store), `k${round}`, { item: `tea ${round}` }).then(
            (answer) => answer,
          ),
        ),
      );
      const bodies = answers.filter(({ status }) => status === 201).map(({ body }: { body: object }) => body);
      expect(bodies.length).toBeGreaterThan(0);
      for (const body of bodies) expect(body).toEqual({ id: round + 1, item: `tea ${round}` });
      for (const { status, body } of answers)
        if (status !== 201) expect(body).toMatchObject({ error: 40920 });
    }
    expect(await store.items()).toEqual(['tea 0', 'tea 1', 'tea 2', 'tea 3', 'tea 4']);
  });

  test('an answer below 500 is stored; another is not, and nothing of it has happened', async () => {
    const store = await open();
    let calls = 0;
    let answer: Answer | Error = { status: 400, body: { item: 'no' } };
    const service = serve(store, () => {
      calls++;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    expect((await send(service, 'a')).body).toEqual({ item: 'no' });
    answer = { status: 503, body: { item: 'later' } };
    expect((await send(service, 'a')).body).toEqual({ item: 'no' });
    expect([calls, await store.items()]).toEqual([1, ['tea']]); // the handler decides what a 400 has written
    const fails: [Answer | Error, number][] = [
      [answer, 503],
      [new Error('a bug'), 500],
      [{ status: 418, body: {} }, 500],
      [{ status: 201, body: { item: 7 } }, 500],
      [new StoreUnavailable('away'), 503],
    ];
    for (const [one, status] of fails) {
      answer = one;
      expect((await send(service, 'b', { item: 'milk' })).status).toBe(status);
      expect([await store.items(), await store.keys()]).toEqual([['tea'], 1]);
    }
    answer = { status: 201, body: { item: 'at last' } };
    expect((await send(service, 'b', { item: 'milk' })).body).toEqual({ item: 'at last' });
    expect(await store.items()).toEqual(['tea', 'milk']);
  });

  test('an answer to a broken rule is stored alone; a success after one is none', async () => {
    const store = await open();
    const service = serve(store);
    await store.add('tea');
    await store.add('ignored');
    for (let i = 0; i < 2; i++)
      expect(await send(service, 'a')).toMatchObject({ status: 409, body: { item: 'taken' } });
    expect((await send(service, 'a', { item: 'milk' })).status).toBe(422);
    expect((await send(service, 'b', { item: 'ignored' })).status).toBe(500);
    expect([await store.items(), await store.keys()]).toEqual([['tea', 'ignored'], 1]);
  });

  test('a key expires, and is deleted', async () => {
    const store = await open({ ttl: 50 });
    const service = serve(store);
    expect((await send(service, 'a')).status).toBe(201);
    await sleep(60);
    expect((await send(service, 'a', { item: 'milk' })).status).toBe(201); // another request
    expect(await store.items()).toEqual(['tea', 'milk']);
    await sleep(60);
    const later = serve(await open({ ttl: 3_600_000 }));
    if (!shared) return;
    expect((await send(later, 'b', { item: 'jam' })).status).toBe(201);
    while ((await store.keys()) > 1) await sleep(5);
  });

  test('a client has a bounded number of keys, and others have theirs', async () => {
    const store = await open({ most: 2 });
    const service = serve(store);
    const statusOf = async (key: string, client: string) => {
      const headers = { Authorization: `Bearer ${client}` };
      return (await send(service, key, { item: key + client }, { headers })).status;
    };
    for (const [key, status] of [
      ['1', 201],
      ['2', 201],
      ['3', 429],
      ['1', 201], // a retry is answered
    ] as const)
      expect([key, await statusOf(key, 'ann')]).toEqual([key, status]);
    expect(await statusOf('1', 'bob')).toBe(201);
  });

  test('the keys of a client are counted for few requests, and never admit more', async () => {
    const [most, fewer] = [40, 30];
    let counts = 0;
    const store = await open({
      most,
      // Within a transaction there are other queries.
      wrap: (database) => ({ ...database, query: (query) => (counts++, database.query(query)) }),
    });
    const service = serve(store);
    for (let i = 0; i < most; i++)
      expect((await send(service, `key ${i}`, { item: `item ${i}` })).status).toBe(201);
    expect(counts).toBeLessThan(fewer);
    expect((await send(service, 'one more')).status).toBe(429);
    expect(await store.keys()).toBe(most);
  });

  describe.each(['before', 'after'] as const)('a fault %s', (when) => {
    test.each(STEPS)('the step %s leaves nothing or all', async (step) => {
      const fault = () => Promise.reject(new StoreUnavailable('a fault'));
      const store = await open({
        wrap: (database) => faulty(database, fault, { at: `${when} ${step}` }),
      });
      const service = serve(store);
      const first = await send(service, 'a');
      expect(first.status).toBe(503);
      const isDone = ['begin', 'commit'].includes(step) && when === 'after';
      expect(await store.items()).toEqual(isDone ? ['tea'] : []);
      const answers = [await send(service, 'a'), await send(service, 'a')];
      for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: { item: 'tea' } });
      expect(answers[1]?.body).toEqual(answers[0]?.body);
      expect([await store.items(), await store.keys()]).toEqual([['tea'], 1]);
    });
  });
});
