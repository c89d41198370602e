/** Finds which tables refer to which. */
import type { Operation } from 'contract-first-server';
import type { Column } from './columns';
import { wordsOf } from '../names';
import type { Reference, Table } from './tables';

/** The operation that reads one object. */
const readOf = ({ stored }: Table): Operation | undefined =>
  stored && 'read' in stored ? stored.read : undefined;

/** The references of a table to others: by its path, and by properties such as `authorId`. */
function withReferences(table: Table, all: readonly Table[]): Table {
  const targets = all.filter(
    ({ keys, stored, kind }) => keys.length === 1 && stored && 'read' in stored && kind !== 'value',
  );
  const { stored } = table;
  const path = (stored && 'read' in stored ? stored.read : stored?.create)?.paths[0] ?? '';
  const [first, ...others] = table.keys;
  const above = path.slice(0, path.indexOf('}') + 1);
  const target = others.length > 0 && targets.find((one) => readOf(one)?.paths[0] === above);
  const references = new Map<string, Reference>();
  const refer = (name: string, to: Table, onDelete: Reference['onDelete']) =>
    references.set(name, { to: to.name, column: to.keys[0]?.name ?? '', onDelete });
  const owner = target === false ? undefined : target?.keys[0];
  // What is below an object whose key its path has in another type has it in that type, too.
  const isAlike = owner?.type === first?.type;
  const isConverted = owner?.inPath !== undefined && first !== undefined && first.property === undefined;
  const keys =
    !isAlike && owner && isConverted
      ? [{ ...first, type: owner.type, inPath: first.schemas }, ...others]
      : table.keys;
  if (first && target && (isAlike || isConverted)) refer(first.name, target, 'CASCADE');
  for (const each of table.columns) {
    if (
      references.has(each.name) ||
      each.narrow ||
      each.made ||
      table.keys.some(({ name }) => name === each.name)
    )
      continue;
    const other = targets.find((one) => one !== table && refersTo(each, one));
    if (!other) continue;
    const unset = each.required && !each.nullable ? 'CASCADE' : 'SET NULL';
    refer(each.name, other, other.isKept ? undefined : unset);
  }
  return { ...table, keys, references };
}

/** Whether the name of a column is that of a key of another table: `authorId` of authors, `article_slug` of articles. */
function refersTo({ name, type }: Column, { one, variable, keys: [key] }: Table): boolean {
  if (key?.type !== type) return false;
  const plain = (text: string) => wordsOf(text).join('_');
  const ending = plain(key.name).split('_').at(-1) ?? '';
  const singulars = [
    one,
    variable.replace(/ies$/, 'y'),
    variable.replace(/e?s$/, ''),
    variable.replace(/s$/, ''),
  ].map(plain);
  return singulars.some((text) => plain(name) === `${text}_${ending}`);
}

/** The tables with their references, each after those that it refers to. Of a circle one is left out. */
export const related = (tables: readonly Table[]): Table[] =>
  inOrder(tables.map((table) => withReferences(table, tables)));

/** Each table after those that it refers to. Of a circle of references one is left out. */
function inOrder(tables: readonly Table[]): Table[] {
  const done: Table[] = [];
  const place = (table: Table, above: readonly Table[]): void => {
    if (done.some(({ name }) => name === table.name)) return;
    const kept = [...table.references].filter(
      ([, { to }]) => ![table, ...above].some(({ name }) => name === to),
    );
    for (const [, { to }] of kept) {
      const other = tables.find(({ name }) => name === to);
      if (other) place(other, [table, ...above]);
    }
    done.push({ ...table, references: new Map(kept) });
  };
  for (const table of tables) place(table, []);
  return done;
}
