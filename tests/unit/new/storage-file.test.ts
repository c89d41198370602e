import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { storageFile } from '../../../scripts/new/domain-files';
import { namesFrom } from '../../../scripts/new/names';
import * as library from '../../../src/database';

/** The code in the comment above `collection`: a migration, and the body of a function. */
function codeOfExample(): string[] {
  const names = namesFrom('shop', 'Shop');
  if (!names) throw new Error('expected names');
  const text = storageFile(names, [{ name: 'carts', table: 'carts', typeName: 'Cart', type: 'object' }]);
  const blocks = text.match(/(?:^ \* {5}.*\n)+/gm) ?? [];
  return blocks.map((code) => code.replace(/^ \* {5}/gm, ''));
}

/** Runs the body of a function over the library. */
function evaluate(body: string, values: Readonly<Record<string, unknown>>): unknown {
  const options = { compilerOptions: { target: ts.ScriptTarget.ESNext } };
  const { outputText } = ts.transpileModule(`return (async () => { ${body} })();`, options);
  const known = { ...library, ...values };
  return Reflect.apply(compileFunction(outputText, Object.keys(known)), undefined, Object.values(known));
}

test('the example of a table of its own works as it stands', async () => {
  const { createTable, openDatabase, sql, TEXT } = library;
  const [migration = '', insert = ''] = codeOfExample();
  const own = (await evaluate(`return ${migration.replace(/,\s*$/, '')}`, {})) as library.Migration;
  const database = await openDatabase('memory:', {
    name: 'shop',
    mark: 'shop',
    migrations: [['collections', createTable('carts', sql`key ${TEXT} PRIMARY KEY`)], own],
    probe: sql`INSERT INTO carts (key) SELECT key FROM carts WHERE 1 = 0`,
  });
  await database.execute(sql`INSERT INTO carts (key) VALUES ('a')`);
  const results: unknown[] = [];
  for (const [item, code] of [
    ['a', 'x'],
    ['a', 'x'],
    ['a', 'y'],
    ['b', 'z'],
  ])
    results.push(await evaluate(insert, { database, item, code }));
  expect(results).toEqual([1n, 'taken', expect.any(BigInt), 'no such item']);
  await database.close();
});
