import fc from 'fast-check';
import { JsonPlaces } from '../../src/document/source/json-text';

/** All pairs of steps and value within a value. */
function* within(value: unknown, steps: readonly string[] = []): Generator<[readonly string[], unknown]> {
  yield [steps, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) yield* within(item, [...steps, name]);
}

it('finds the name or the item of each value of a JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 1, '\t'), (root, indent) => {
      const text = JSON.stringify(root, undefined, indent);
      const places = new JsonPlaces(text);
      for (const [steps, value] of within(JSON.parse(text))) {
        const rest = text.slice(places.of(steps));
        const start = indent === 0 ? JSON.stringify(value) : JSON.stringify(value).slice(0, 1);
        const holder = steps
          .slice(0, -1)
          .reduce<unknown>((at, step) => Reflect.get(at as object, step), root);
        const name = steps.at(-1);
        const isNamed = name !== undefined && !Array.isArray(holder);
        expect(rest.startsWith(isNamed ? `${JSON.stringify(name)}:` : start)).toBe(true);
      }
    }),
    { seed: 3 },
  );
});

it('finds the longest part of a pointer that leads to a value', () => {
  const places = new JsonPlaces('{"a": [10, {"b": "}"}], "c": 1}');
  expect(
    [['a'], ['a', '1'], ['a', '1', 'b'], ['a', '1', 'x', 'y'], ['a', '7'], ['c'], ['c', 'd'], []].map((one) =>
      places.of(one),
    ),
  ).toEqual([1, 11, 12, 11, 1, 24, 24, 0]);
});
