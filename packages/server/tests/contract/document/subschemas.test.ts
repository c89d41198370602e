import fc from 'fast-check';
import { isObject, joinPointer } from '../../../src/contract/document/json-pointer';
import { APPLICATORS, inPlace, Subschemas } from '../../../src/contract/document/subschemas';
import { OBJECTS } from '../../../src/contract/document/keywords';

it('relates each keyword of the table of keywords that holds schemas, and no other', () => {
  const holding = [...(OBJECTS.get('Schema')?.keywords ?? [])].flatMap(([name, { holds }]) =>
    holds?.kind === 'Schema' ? [name] : [],
  );
  expect([...APPLICATORS.keys()].sort()).toEqual(['$ref', ...holding].sort());
});

const NAMES = ['A', 'B', 'C'];
const ONE = ['if', 'then', 'else', 'not', 'items', 'contains', 'additionalProperties', 'propertyNames'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];

/** References with and without a target. */
const TARGETS = NAMES.flatMap((name) => [`/${name}/allOf/0`, `/${name}/anyOf/0`, `/${name}`]);
const reference = fc.constantFrom(...TARGETS).map((target) => `#${target}`);
const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const keyword = fc.oneof(
    fc.tuple(fc.constant('$ref'), reference),
    fc.tuple(fc.constantFrom(...ONE), tie('schema')),
    fc.tuple(fc.constantFrom(...LISTS), fc.array(tie('schema'), { maxLength: 2 })),
    fc.tuple(
      fc.constantFrom(...MAPS),
      fc.dictionary(fc.constantFrom('a', 'allOf', 'b/~'), tie('schema'), { maxKeys: 2 }),
    ),
    fc.constant(['enum', [{ $ref: '#/A', allOf: [{ $ref: '#/B' }] }]] as const),
  );
  const object = fc.array(keyword, { maxLength: 3 }).map((keywords): unknown => Object.fromEntries(keywords));
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      reference.map((ref): unknown => ({ $ref: ref })),
      object,
    ),
  };
});
/** Schemas that refer to each other, in cycles too. */
const schemas = fc.record(Object.fromEntries(NAMES.map((name) => [name, schema])));

/** A slow, independent oracle: each value by its pointer, and the pairs of which one holds the other. */
function read(root: unknown) {
  const values = new Map<string, unknown>();
  const collect = (value: unknown, pointer: string): void => {
    values.set(pointer, value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) collect(item, joinPointer(pointer, key));
  };
  collect(root, '');
  const refersTo = (holder: string, to: string) => {
    const value = values.get(holder);
    return isObject(value) && value['$ref'] === `#${to}`;
  };
  /** All schemas that a schema reaches in one or more steps, by a matching rest of the pointer or by a `$ref`. */
  const reached = (start: string, rest: RegExp): ReadonlySet<string> => {
    const found = new Set<string>();
    grow(start);
    function grow(holder: string): void {
      for (const to of values.keys()) {
        const holds = to.startsWith(`${holder}/`) && rest.test(to.slice(holder.length));
        if (found.has(to) || !(holds || refersTo(holder, to))) continue;
        found.add(to);
        grow(to);
      }
    }
    return found;
  };
  return { values, reached };
}

const CERTAIN = /^\/allOf\/\d+$/;
const POSSIBLE = /^\/(?:(?:allOf|anyOf|oneOf)\/\d+|if|then|else|dependentSchemas\/[^/]+)$/;
const ANY = new RegExp(
  `^/(?:(?:${LISTS.join('|')})/\\d+|${ONE.join('|')}|(?:${MAPS.join('|').replace('$', '\\$')})/[^/]+)$`,
);

const viewOf = (root: unknown) => {
  const { values } = read(root);
  return new Subschemas({
    at: (pointer) => values.get(pointer),
    resolve: (ref) => (values.has(String(ref).slice(1)) ? String(ref).slice(1) : undefined),
  });
};
const pointersOf = (places: readonly { readonly pointer: string }[]) => places.map(({ pointer }) => pointer);

it('finds the schemas that a slow oracle finds, each once', () => {
  fc.assert(
    fc.property(schemas, fc.constantFrom(...NAMES), (root, name) => {
      const start = `/${name}`;
      const view = viewOf(root);
      const { reached } = read(root);
      for (const [places, rest] of [
        [view.certain(start), CERTAIN],
        [view.possible(start), POSSIBLE],
        [view.all(start), ANY],
      ] as const) {
        const [first, ...others] = pointersOf(places);
        expect(first).toBe(start);
        expect(others.sort()).toEqual([...reached(start, rest)].filter((to) => to !== start).sort());
      }
    }),
    { numRuns: 2_000 },
  );
});

it('ends each cycle once, and orders the schemas outside of cycles', () => {
  fc.assert(
    fc.property(schemas, (root) => {
      const view = viewOf(root);
      const { values, reached } = read(root);
      const starts = TARGETS.filter((target) => values.has(target));
      const { before, after, cycles } = view.traverse(starts, inPlace);
      expect(pointersOf(after).sort()).toEqual(pointersOf(before).sort());
      const cyclic = pointersOf(before).some((pointer) => reached(pointer, POSSIBLE).has(pointer));
      expect(cycles.length > 0).toBe(cyclic);
      for (const cycle of cycles) {
        expect(values.has(cycle)).toBe(true);
        const holder = cycle.replace(/\/\$ref$/, '');
        expect(reached(holder, POSSIBLE).has(holder)).toBe(true);
      }
      if (cyclic) return;
      const order = pointersOf(after);
      for (const [i, pointer] of order.entries()) {
        for (const to of reached(pointer, POSSIBLE)) expect(order.indexOf(to)).toBeLessThan(i);
      }
    }),
    { numRuns: 2_000 },
  );
});
