import fc from 'fast-check';
import { readTexts } from '../../../src/contract/document/document-text';
import { judged } from '../../support/judged';

const character = fc.constantFrom('a', 'é', '€', '😀', '\u{10ffff}');

test('the length of a text is its number of characters, not of code units', () => {
  const limits = Array.from({ length: 9 }, (_, limit) => ({
    least: judged({ Body: { type: 'string', minLength: limit } }),
    most: judged({ Body: { type: 'string', maxLength: limit } }),
  }));
  fc.assert(
    fc.property(fc.array(character, { maxLength: 10 }), (characters) => {
      const text = JSON.stringify(characters.join(''));
      for (const [limit, { least, most }] of limits.entries()) {
        expect(least.first(text).length === 0).toBe(characters.length >= limit);
        expect(most.first(text).length === 0).toBe(characters.length <= limit);
      }
    }),
    { numRuns: 300, seed: 63 },
  );
});

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

test.each(INHERITED)('finds %s anywhere in a document', (name) => {
  const own = (value: unknown) =>
    JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`) as unknown;
  for (const root of [own({}), { paths: { a: [own(1)] } }, { required: ['a', name] }])
    expect(readTexts(root).inherited).toBe(true);
  expect(readTexts({ a: [`${name}s`, { [`x${name}`]: 1 }, null] }).inherited).toBe(false);
});
