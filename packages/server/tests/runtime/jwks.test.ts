import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { remoteKeys } from '../../src/runtime/credentials/jwks';

// A key set whose keys nobody has asked for since long: the tokens of the issuer wait for the one fetch, however many they are.

class NoSuchKey extends Error {}

/** An issuer whose only key is `known`, and which answers when it is told. */
async function startIssuer() {
  let fetches = 0;
  let release: () => void = () => undefined;
  const server = createServer((_, response) => {
    fetches++;
    release = () => void response.end('{"keys":[]}');
    if (fetches === 1) release();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    fetches: () => fetches,
    async answer() {
      while (fetches < 2) await new Promise(setImmediate);
      release();
    },
    close: () => server.close(),
  };
}

/** What finds the keys: a key for each token that names `known`. */
const create = () => (header?: { readonly kid?: string }) =>
  header?.kid === 'known' ? Promise.resolve('key') : Promise.reject(new NoSuchKey());

afterEach(() => jest.restoreAllMocks());

test('after idle minutes no token with a key of the issuer is refused, and few others wait', async () => {
  const issuer = await startIssuer();
  try {
    const now = jest.spyOn(performance, 'now');
    const keys = await remoteKeys(issuer.url, create as never, NoSuchKey, () => undefined);
    now.mockReturnValue(performance.now() + 600_001);
    const ask = (kid: string) =>
      Promise.resolve(keys({ alg: 'RS256', kid }, {} as never)).then(
        () => 'found',
        (error: unknown) => (error instanceof Error ? error.constructor.name : ''),
      );
    const strangers = Array.from({ length: 20 }, () => ask('unknown'));
    const known = Array.from({ length: 20 }, () => ask('known'));
    await issuer.answer();
    expect(await Promise.all(known)).toEqual(known.map(() => 'found'));
    const answers = await Promise.all(strangers);
    expect(answers.filter((answer) => answer === 'NoSuchKey')).toHaveLength(4);
    expect(answers.filter((answer) => answer === 'KeysUnavailable')).toHaveLength(16);
    expect(issuer.fetches()).toBe(2);
  } finally {
    issuer.close();
  }
});
