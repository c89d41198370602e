import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keywordsTable } from '../../../scripts/generate/keywords-table';
import { OBJECTS } from '../../../src/contract';

/** Without the spaces and dashes by which Prettier aligns a table. */
const plain = (table: string) => table.trim().replace(/ +/g, ' ').replace(/-+/g, '-');

it('has each keyword once that is not enforced, of all objects of which not every keyword is documented', () => {
  const keywords = [...OBJECTS.values()]
    .map(({ keywords: all }) => [...all.values()].map(({ support }) => support))
    .filter((supports) => supports.some((support) => support !== 'documented'))
    .flatMap((supports) => supports.filter((support) => support !== 'enforced'));
  expect(keywordsTable().match(/`[^`]+`/g)).toHaveLength(keywords.length);
});

it('is what README has between its marks', () => {
  const readme = readFileSync(join(__dirname, '../../../README.md'), 'utf8');
  const [, table = keywordsTable()] = /<!-- keywords -->\n([^]*?)<!-- \/keywords -->/.exec(readme) ?? [];
  expect(plain(table)).toBe(plain(keywordsTable()));
});
