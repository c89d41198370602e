import { openInOrder } from 'contract-first-server/runtime';

const log: string[] = [];
beforeEach(() => log.splice(0));

/** Opens at a later turn, in which others may have failed. */
async function part(name: string, close: () => void = () => undefined) {
  await new Promise(setImmediate);
  log.push(`${name} is open`);
  return {
    name,
    ready: () => Promise.resolve(void log.push(`${name} is ready`)),
    close: () => {
      log.push(`${name} is closed`);
      return Promise.resolve().then(close);
    },
  };
}
const fail = (message: string) => () => {
  throw new Error(message);
};

test('parts are opened in order, and closed once in the opposite one', async () => {
  const { store, mail, rate, ...all } = await openInOrder(async (open) => ({
    store: await open(part('store')),
    rate: 3,
    mail: await open(part('mail')),
  }));
  expect([store.name, mail.name, rate]).toEqual(['store', 'mail', 3]);
  await all.ready();
  await Promise.all([all.close(), all.close()]);
  expect(log).toEqual([
    'store is open',
    'mail is open',
    'store is ready',
    'mail is ready',
    'mail is closed',
    'store is closed',
  ]);
});

test.each<[string, (open: <P>(part: Promise<P>) => Promise<P>) => Promise<object>]>([
  [
    'a part',
    async (open) => [
      await open(part('store')),
      await open(part('mail')),
      await open(Promise.reject(new Error('no queue'))),
    ],
  ],
  [
    'the code between them',
    async (open) => [await open(part('store')), await open(part('mail')), fail('no queue')()],
  ],
  [
    'a part beside others that open',
    (open) =>
      Promise.all([open(part('store')), open(part('mail')), open(Promise.reject(new Error('no queue')))]),
  ],
])('if %s fails, those that are open are closed', async (_, compose) => {
  await expect(openInOrder((open) => compose(open as never))).rejects.toThrow('no queue');
  expect(log).toEqual(['store is open', 'mail is open', 'mail is closed', 'store is closed']);
});

test('a part that does not close keeps no other open, and every error is thrown', async () => {
  const open = (...names: string[]) =>
    openInOrder(async (opened) => Promise.all(names.map((name) => opened(part(name, fail(name))))));
  await expect((await open('a')).close()).rejects.toThrow('a');
  await expect((await open('b', 'c')).close()).rejects.toMatchObject({
    errors: [{ message: 'c' }, { message: 'b' }],
  });
  const closed = openInOrder(async (opened) => [
    await opened(part('store')),
    await opened(part('mail', fail('stuck'))),
  ]);
  await expect((await closed).close()).rejects.toThrow('stuck');
  expect(log.slice(-2)).toEqual(['mail is closed', 'store is closed']);
});
