import { judged } from './judged';

const body = { $ref: '#/components/schemas/Body' };

/** CPU time of this process, in milliseconds. */
function cpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const int64 = { type: 'integer', format: 'int64' };
const forty = <T>(make: (i: number) => T): T[] => Array.from({ length: 40 }, (_, i) => make(i));
const items = (text: string, bytes: number): string[] =>
  Array.from({ length: Math.floor(bytes / (text.length + 1)) }, () => text);
const large = (last: number | string) => [...Array.from({ length: 100 }, (_, i) => ({ a: i })), last];

/** Wide schemas, and schemas with many comparisons. Each has values of a size in bytes that nearly conform. */
const WIDE: readonly (readonly [name: string, schema: object, adversary: (bytes: number) => string])[] = [
  [
    'branches of int64',
    { anyOf: forty(() => ({ type: 'array', items: int64 })) },
    (bytes) => `[${items('1', bytes).join()},""]`,
  ],
  [
    'branches of objects',
    {
      type: 'array',
      items: { oneOf: forty((i) => ({ properties: { a: { const: i } }, required: ['a'] })).slice(30) },
    },
    (bytes) => `[${items('{"a":39}', bytes).join()},{"a":40}]`,
  ],
  [
    'constants',
    { type: 'array', items: { anyOf: forty((i) => ({ const: large(i) })) } },
    (bytes) => `[${items(JSON.stringify(large('x')), bytes).join()}]`,
  ],
  [
    'nested uniqueItems',
    { uniqueItems: true, items: body },
    (bytes) => `${'['.repeat(60)}${items('1', bytes).join()}${']'.repeat(60)}`,
  ],
  [
    'contains',
    { contains: { properties: { a: false }, required: ['a'] } },
    (bytes) => `[${items('{}', bytes).join()}]`,
  ],
  [
    'wrong items',
    { type: 'array', items: { anyOf: [{ type: 'string' }, { properties: { a: int64 }, required: ['a'] }] } },
    (bytes) => `[${items('{}', bytes).join()}]`,
  ],
  [
    'names that match nothing',
    {
      properties: { a: true },
      patternProperties: { '^x': int64 },
      unevaluatedProperties: { type: 'string' },
    },
    (bytes) => JSON.stringify(Object.fromEntries(items('"k12345":""', bytes).map((_, i) => [`k${i}`, '']))),
  ],
];

it.each(WIDE)('ten times as large a value takes about ten times as long: %s', (_, schema, adversary) => {
  const { first, all, converted } = judged({ Body: schema });
  const [small, big] = [2_000, 20_000].map((bytes) => adversary(bytes)) as [string, string];
  const work = (text: string) => () => [first(text), all(text), converted(text)];
  for (let i = 0; i < 5; i++) cpu(work(small)); // warm-up for the compiler of V8
  const fastest = (text: string) => Math.min(...[1, 2, 3].map(() => cpu(work(text))));
  expect(fastest(big) / Math.max(fastest(small), 1)).toBeLessThan(25);
});

it('bounds the search for all violations of each value', () => {
  const { first, all } = judged({ Body: { type: 'array', items: { type: 'string' } } });
  expect(all('[1,2,3]')).toHaveLength(3);
  const large = `[${items('1', 100_000).join()}]`;
  expect([first(large).length, all(large).length]).toEqual([1, 0]);
  expect(all('[1,2,3]')).toHaveLength(3);
});
