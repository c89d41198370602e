import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OBJECTS } from 'contract-first-server/tools';

const PAGE = readFileSync(join(__dirname, '../../../../docs/words.md'), 'utf8');

/** The support of each keyword in the table of docs/words.md; of an object of annotations, that of all. */
function readTable(): Record<string, string> {
  const [, table = ''] = /<!-- keywords -->\n([^]*?)<!-- \/keywords -->/.exec(PAGE) ?? [];
  const [[, ...supports] = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const entries = rows.flatMap(([object = '', ...cells]) =>
    cells.includes('all')
      ? object.split(', ').map((name) => [name, 'documented'])
      : cells.flatMap((cell, i) =>
          [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => [`${object} ${word}`, supports[i]]),
        ),
  );
  expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
  return Object.fromEntries(entries) as Record<string, string>;
}

it('docs/words.md lists each keyword that is not enforced, once', () => {
  const expected = [...OBJECTS.values()].flatMap(({ name, keywords }): (readonly [string, string])[] => {
    const object = name.replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ');
    const all = [...keywords].map(([keyword, { support }]) => [`${object} ${keyword}`, support] as const);
    const isAnnotation = all.length > 0 && all.every(([, support]) => support === 'documented');
    return isAnnotation ? [[object, 'documented']] : all.filter(([, support]) => support !== 'enforced');
  });
  expect(readTable()).toEqual(Object.fromEntries(expected));
});
