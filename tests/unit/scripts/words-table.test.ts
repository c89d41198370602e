import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wordsTable } from '../../../scripts/words-table';
import { OBJECTS } from '../../../src/contract/document/words';

/** Without the spaces and dashes by which Prettier aligns a table. */
const plain = (table: string) => table.trim().replace(/ +/g, ' ').replace(/-+/g, '-');

it('has each word once', () => {
  const words = [...OBJECTS.values()].filter(({ words: all }) =>
    [...all.values()].some(({ fate }) => fate !== 'carried'),
  );
  const count = words.reduce((sum, { words: all }) => sum + all.size, 0);
  expect(wordsTable().match(/`[^`]+`/g)).toHaveLength(count);
});

it('is what README has between its marks', () => {
  const readme = readFileSync(join(__dirname, '../../../README.md'), 'utf8');
  const [, table = wordsTable()] = /<!-- words -->\n([^]*?)<!-- \/words -->/.exec(readme) ?? [];
  expect(plain(table)).toBe(plain(wordsTable()));
});
