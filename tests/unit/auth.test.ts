import { tokenVerifier } from '../../src/auth';

test('a client is known by the digest of its token, and by nothing that would give the token away', () => {
  const { verify } = tokenVerifier(['one', 'two']);
  // echo -n two | sha256sum
  expect(verify('two')).toEqual({ id: '3fc4ccfe', scopes: [] });
  for (const token of ['three', 'tw', 'twoo', 'TWO']) expect(verify(token)).toBe(false);
});

test('replaced tokens are refused at once', () => {
  const { verify, replaceTokens } = tokenVerifier(['one']);
  replaceTokens(['two']);
  expect(verify('one')).toBe(false);
  expect(verify('two')).toEqual({ id: '3fc4ccfe', scopes: [] });
});

test('only what is not among the tokens is taken for a JWT', async () => {
  const asked: string[] = [];
  const { verify } = tokenVerifier(['two'], (token) => {
    asked.push(token);
    return Promise.resolve(token === 'jwt' && { id: 'alice', scopes: ['read'] });
  });
  expect(verify('two')).toEqual({ id: '3fc4ccfe', scopes: [] });
  expect(await verify('jwt')).toEqual({ id: 'alice', scopes: ['read'] });
  expect(await verify('none')).toBe(false);
  expect(asked).toEqual(['jwt', 'none']);
});
