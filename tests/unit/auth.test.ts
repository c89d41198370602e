import { bearerStrategies, type VerifyJwt } from '../../src/auth';

/** What becomes of a request with this token: who it is from, `refused`, or the error. */
function authenticate(strategy: ReturnType<typeof bearerStrategies>['bearerAuth'], token: string) {
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
  const { bearerAuth } = bearerStrategies(['one', 'two']);
  // echo -n two | sha256sum
  expect(await authenticate(bearerAuth, 'two')).toEqual({ id: '3fc4ccfe' });
  for (const token of ['three', 'tw', 'twoo', 'TWO'])
    expect(await authenticate(bearerAuth, token)).toBe('refused');
});

test('replaced tokens are refused at once', async () => {
  const { bearerAuth } = bearerStrategies(['one']);
  bearerAuth.replaceTokens(['two']);
  expect(await authenticate(bearerAuth, 'one')).toBe('refused');
  expect(await authenticate(bearerAuth, 'two')).toEqual({ id: '3fc4ccfe' });
});

test('only what is not among the tokens is taken for a JWT', async () => {
  const asked: string[] = [];
  const verify: VerifyJwt = (token) => {
    asked.push(token);
    return token === 'broken'
      ? Promise.reject(new Error('no keys'))
      : Promise.resolve(token === 'jwt' ? { id: 'alice' } : undefined);
  };
  const { bearerAuth } = bearerStrategies(['two'], verify);
  expect(await authenticate(bearerAuth, 'two')).toEqual({ id: '3fc4ccfe' });
  expect(await authenticate(bearerAuth, 'jwt')).toEqual({ id: 'alice' });
  expect(await authenticate(bearerAuth, 'none')).toBe('refused');
  expect(await authenticate(bearerAuth, 'broken')).toEqual(new Error('no keys'));
  expect(asked).toEqual(['jwt', 'none', 'broken']);
});
