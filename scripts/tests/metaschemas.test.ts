import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FOLDER, validators } from '../metaschemas';

test('the validators of metaschemas are those of the installed ajv and schemas', () => {
  const folder = path.join(__dirname, '../..', FOLDER);
  const texts = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]);
  // `tsx scripts/metaschemas.ts` writes them. No toEqual: it would print a difference of 500 KB.
  const expected = Object.entries(validators());
  expect(texts.map(([name]) => name)).toEqual(expected.map(([name]) => name).sort());
  for (const [name, text] of expected)
    expect(texts.some((one) => one[0] === name && one[1] === text)).toBe(true);
});
