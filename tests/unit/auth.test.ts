import { bearerStrategy, type VerifyJwt } from '../../src/auth';

/** What becomes of a request with this token: who it is from, `refused`, or the error. */
function authenticate(strategy: ReturnType<typeof bearerStrategy>, token: string) {
  return new Promise((resolve) => {
    const attempt = Object.assign(Object.create(strategy) as typeof strategy, {
      success: resolve,
      error: resolve,
      fail: () => {
        resolve('refused');
      },
    });
    attempt.authenticate({ headers: { authorization: `Bearer ${token}` } } as never);
  });
}

test('a client is known by the digest of its token, and by nothing that would give the token away', async () => {
  const bearer = bearerStrategy(['one', 'two']);
  // echo -n two | sha256sum
  expect(await authenticate(bearer, 'two')).toEqual({ id: '3fc4ccfe' });
  for (const token of ['three', 'tw', 'twoo', 'TWO'])
    expect(await authenticate(bearer, token)).toBe('refused');
});

test('replaced tokens are refused at once', async () => {
  const bearer = bearerStrategy(['one']);
  bearer.replaceTokens(['two']);
  expect(await authenticate(bearer, 'one')).toBe('refused');
  expect(await authenticate(bearer, 'two')).toEqual({ id: '3fc4ccfe' });
});

test('only what is not among the tokens is taken for a JWT', async () => {
  const asked: string[] = [];
  const verify: VerifyJwt = (token) => {
    asked.push(token);
    return token === 'broken'
      ? Promise.reject(new Error('no keys'))
      : Promise.resolve(token === 'jwt' ? { id: 'alice' } : undefined);
  };
  const bearer = bearerStrategy(['two'], verify);
  expect(await authenticate(bearer, 'two')).toEqual({ id: '3fc4ccfe' });
  expect(await authenticate(bearer, 'jwt')).toEqual({ id: 'alice' });
  expect(await authenticate(bearer, 'none')).toBe('refused');
  expect(await authenticate(bearer, 'broken')).toEqual(new Error('no keys'));
  expect(asked).toEqual(['jwt', 'none', 'broken']);
});
