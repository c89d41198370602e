/** Names the collections of a service: one for each kind of object that its document stores. */
import { camelOf, capitalized, type Names, pascalOf, wordsOf } from './names';
import type { Stored } from './resources';
import { type BodyPlace, componentOf } from './types';

/** A collection of the store. */
export interface Collection {
  readonly name: string;
  readonly table: string;
  /** The name of the type of its objects. */
  readonly typeName: string;
  readonly type: string;
}

/** Words of SQL that cannot be the name of a table. */
const RESERVED = new Set(
  'all and analyse array as asc case cast check collate column commit create default desc distinct do else end except false fetch for foreign from grant group having in index initially intersect into join key leading left like limit natural not null offset on only or order placing primary references returning right rollback select set some symmetric table then to trailing transaction true union unique update user using values when where window with'.split(
    ' ',
  ),
);

/** Types of the files that import those of a collection, of TypeScript and of JavaScript. */
const TAKEN = [
  ...'Collection Store OwnRefusal RefusalRule Scenario ServiceTarget Waiver Kind'.split(' '),
  ...'Record Readonly Partial Required Pick Omit Extract Exclude'.split(' '),
  ...Object.getOwnPropertyNames(globalThis),
];

/** @param typeOf the TypeScript type of a body */
export function collectionsOf(
  stored: readonly Stored[],
  names: Names,
  typeOf: (body: BodyPlace) => string,
): Collection[] {
  const typeNames = new Set([...TAKEN, `${names.pascal}Store`]);
  const found = stored.map(({ name, body }): Collection => {
    const singular = pascalOf(body.operationId).replace(
      /^(Get|Read|Fetch|Find|Retrieve|Show|Create|Add|Post|New)(?=[A-Z])/,
      '',
    );
    const base = capitalized(camelOf(componentOf(body.schema) ?? singular, 'Item'));
    let typeName = base;
    for (let n = 1; typeNames.has(typeName); n++) typeName = `${base}${n === 1 ? 'Item' : n}`;
    typeNames.add(typeName);
    const words = wordsOf(name).join('_');
    return { name, table: RESERVED.has(words) ? `${words}_table` : words, typeName, type: typeOf(body) };
  });
  if (found.length > 0) return found;
  return [{ name: 'items', table: 'items', typeName: 'Item', type: 'Readonly<Record<string, unknown>>' }];
}
