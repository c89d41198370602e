import { InvalidConfig } from '../../src/runtime/config';
import {
  AcceptedSecrets,
  API_KEYS,
  BASIC_USERS,
  BEARER_TOKENS,
  clientKeyOf,
  clientOf,
  parseSecrets,
  type SecretForm,
} from '../../src/runtime/credentials/secrets';

const accept = (form: SecretForm, ...texts: string[]) =>
  new AcceptedSecrets(parseSecrets('THE_VARIABLE', form, texts));

/** For each form: a secret, its holder, how it is configured, and texts that have another form. */
const FORMS: readonly [string, SecretForm, string, object, string, string[]][] = [
  ['bearer tokens', BEARER_TOKENS, 'two', { id: '3fc4ccfe', scopes: [] }, 'two', []],
  [
    'tokens with a scope',
    BEARER_TOKENS,
    'two',
    { id: '3fc4ccfe', scopes: ['a:b'] },
    'two:a:b',
    ['two:', 'two: a', 'two:a  b', 'two:"'],
  ],
  [
    'tokens with scopes',
    BEARER_TOKENS,
    'two',
    { id: '3fc4ccfe', scopes: ['a', 'b'] },
    'two:a b',
    [':a', 'two b', 'two;a', 'tw=o', 'twö'],
  ],
  ['API keys', API_KEYS, 'two', { id: '3fc4ccfe', scopes: ['a'] }, 'two:a', ['two b', 'x\u0000']],
  [
    'users',
    BASIC_USERS,
    'ann:a:b ü',
    { id: 'ann', scopes: [] },
    'ann:a:b ü',
    ['ann', 'ann:', ':x', 'ann:\t', 'a\u007f:b'],
  ],
];

test.each(FORMS)('%s: one that is configured is accepted, and no other', (_, form, secret, client, text) => {
  // echo -n two | sha256sum
  const { verify } = accept(form, form === BASIC_USERS ? 'bob:x' : 'one', text);
  expect(verify(secret)).toEqual(client);
  for (const other of [
    'three',
    secret.slice(1),
    secret.slice(0, -1),
    `${secret}o`,
    secret.toUpperCase(),
    text.slice(0, -1),
    '',
  ])
    if (other !== secret) expect([other, verify(other)]).toEqual([other, false]);
});

test.each(FORMS)(
  '%s: a text of another form is refused, and no message contains it',
  (_, form, secret, _client, text, wrong) => {
    for (const bad of [...wrong, '\u0000secret']) {
      expect(() => accept(form, text, bad)).toThrow(
        new InvalidConfig(`THE_VARIABLE: expected ${form.form} at position 2`),
      );
    }
    expect(() => accept(form, ' ')).toThrow(`THE_VARIABLE: expected at least one ${form.one}`);
  },
);

test('replaced secrets are refused at once', () => {
  const secrets = accept(BEARER_TOKENS, 'one');
  secrets.replace(parseSecrets('THE_VARIABLE', BEARER_TOKENS, ['two']));
  expect(secrets.verify('one')).toBe(false);
  expect(secrets.verify('two')).toEqual({ id: '3fc4ccfe', scopes: [] });
});

test('of equal secrets the last one counts', () => {
  expect(accept(BEARER_TOKENS, 'one:a', 'one:b').verify('one')).toMatchObject({ scopes: ['b'] });
});

test('a client is counted by its scheme and its id, and shown by its id', () => {
  const client = { id: 'ada', scopes: [] };
  const keys = [{ Token: client }, { Key: client }, { Anonymous: undefined, Key: client }].map(clientKeyOf);
  expect(keys).toEqual(['Token ada', 'Key ada', 'Key ada']);
  expect(clientOf({ Token: client })).toBe('ada');
  expect([clientKeyOf({}), clientKeyOf({ Token: 'ada' })]).toEqual([undefined, undefined]);
});
