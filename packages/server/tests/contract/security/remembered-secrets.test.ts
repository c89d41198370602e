import { RememberedSecrets } from '../../../src/contract/security/remembered-secrets';

test('the last secrets are remembered; the one that was asked for last is forgotten last', () => {
  const secrets = new RememberedSecrets(2);
  secrets.add('a');
  secrets.add('b');
  expect(secrets.has('a')).toBe(true);
  secrets.add('c');
  expect(['a', 'b', 'c'].map((secret) => secrets.has(secret))).toEqual([true, false, true]);
});

test('a secret that is deleted is not remembered', () => {
  const secrets = new RememberedSecrets();
  secrets.add('a');
  secrets.add('b');
  secrets.delete('a');
  expect(['a', 'b', ''].map((secret) => secrets.has(secret))).toEqual([false, true, false]);
});
