import { compress } from '../../../src/contract/exchange/compression';

test('32 answers are compressed at a time; others meanwhile are sent as they are, and later ones are compressed again', async () => {
  const encoded = { status: 200, headers: {}, body: 'a'.repeat(2_000) };
  const codings = async (count: number) => {
    const made = await Promise.all(Array.from({ length: count }, () => compress(encoded, 'gzip')));
    return made.filter(({ headers }) => 'Content-Encoding' in headers).length;
  };
  expect(await codings(40)).toBe(32);
  expect(await codings(32)).toBe(32);
});
