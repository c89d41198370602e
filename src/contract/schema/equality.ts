import type { CodeKeywordDefinition } from 'ajv';
import { hasExact } from '../json/parse';
import type { Equals } from './exact-comparison';
import { Interner } from './identity';
import { type Context, error, functionKeyword } from './keyword';

/** The keywords that compare values: numbers exactly, objects and arrays by their number of identity.ts. */
export function equalityKeywords(constants: Interner): CodeKeywordDefinition[] {
  const interners = new WeakMap<object, Interner>();
  const internerOf = ({ root }: Context): Interner => {
    const known = interners.get(root) ?? new Interner(constants);
    interners.set(root, known);
    return known;
  };
  return [
    functionKeyword<unknown[], true>('unique', 'array', () => (items, context) => {
      const interner = internerOf(context);
      const distinct = new Set(items.map((_item, i) => interner.of(items, i)));
      return distinct.size === items.length ? undefined : error('unique', 'must NOT have duplicate items');
    }),
    // `enum` and `const`
    functionKeyword<unknown, Equals>('equals', undefined, ({ primitives, numbers, message }) => {
      const [simple, others] = [new Set(primitives), new Set(numbers)];
      const failed = error('equals', message);
      return (value, context) => {
        const { holder, key } = context;
        const structured = typeof value === 'object' && value !== null;
        if (!structured && !hasExact(holder, key)) return simple.has(value) ? undefined : failed;
        return others.size > 0 && others.has(internerOf(context).of(holder, key)) ? undefined : failed;
      };
    }),
  ];
}
