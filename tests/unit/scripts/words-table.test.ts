import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordsTable } from '../../../scripts/generate/words-table';
import { OBJECTS } from '../../../src/contract';

/** Without the spaces and dashes by which Prettier aligns a table. */
const plain = (table: string) => table.trim().replace(/ +/g, ' ').replace(/-+/g, '-');

it('has each word once that is not enforced, of all objects of which not every word is carried', () => {
  const words = [...OBJECTS.values()]
    .map(({ words: all }) => [...all.values()].map(({ fate }) => fate))
    .filter((fates) => fates.some((fate) => fate !== 'carried'))
    .flatMap((fates) => fates.filter((fate) => fate !== 'enforced'));
  expect(wordsTable().match(/`[^`]+`/g)).toHaveLength(words.length);
});

it('is what README has between its marks', () => {
  const readme = readFileSync(join(__dirname, '../../../README.md'), 'utf8');
  const [, table = wordsTable()] = /<!-- words -->\n([^]*?)<!-- \/words -->/.exec(readme) ?? [];
  expect(plain(table)).toBe(plain(wordsTable()));
});
