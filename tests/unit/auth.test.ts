import { tokenVerifier } from '../../src/auth';

test('the id of a client is a digest of its token and does not reveal the token', () => {
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

test('only an unknown token is verified as a JWT', async () => {
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
