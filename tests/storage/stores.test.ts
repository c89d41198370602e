import fc from 'fast-check';
import type { CreateOutcome, Plant, PlantStore } from '../../src/plants/plant-store';
import { StoreUnavailable } from 'contract-first-database';
import { openStore } from '../../src/storage/open';
import { buildPlant } from '../../scripts/testing/plants';
import { EDGE_IDS, STRANGE_STRINGS } from '../../scripts/testing/strange-values';
import { openKyselyPlants } from '../../scripts/testing/kysely-plants';
import { cases, everyOf } from '../../scripts/testing/cases';
import { useDatabases } from '../../scripts/testing/databases';
import { ANY_CHARACTER } from 'contract-first-prover';

const DATABASES = useDatabases();
const STORES = [
  {
    kind: 'memory, without a database',
    shared: false,
    locate: () => Promise.resolve('memory:'),
    open: openStore,
  },
  ...DATABASES.filter(({ shared }) => shared).map((database) => ({ ...database, open: openStore })),
  ...DATABASES.map(({ kind, ...rest }) => ({ ...rest, kind: `${kind}, by Kysely,`, open: openKyselyPlants })),
];

describe.each(STORES)('the $kind store', ({ shared, locate, open }) => {
  let url: string;
  let store: PlantStore;

  beforeAll(async () => {
    url = await locate();
    store = await open(url);
  });
  afterAll(() => store.close());

  // Every test has ids of its own in the one database.
  let lastId = 1_000_000n;
  const newId = () => ++lastId;

  test('creates a plant once; the same again changes nothing', async () => {
    const plant = buildPlant({ id: newId() });
    await expect(store.create(plant)).resolves.toBe('created');
    await expect(store.create(plant)).resolves.toBe('unchanged');
  });

  test.each<[string, Omit<Plant, 'id'>, Omit<Plant, 'id'>]>([
    ['name', { name: 'Monstera', tag: 'a' }, { name: 'Ficus', tag: 'a' }],
    ['tag', { name: 'Monstera', tag: 'a' }, { name: 'Monstera', tag: 'b' }],
    ['tag instead of none', { name: 'Monstera' }, { name: 'Monstera', tag: '' }],
    ['absent tag', { name: 'Monstera', tag: '' }, { name: 'Monstera' }],
  ])('refuses another %s for an id and leaves the plant untouched', async (_, first, second) => {
    const id = newId();
    await expect(store.create({ id, ...first })).resolves.toBe('created');
    await expect(store.create({ id, ...second })).resolves.toBe('conflict');
    await expect(store.create({ id, ...first })).resolves.toBe('unchanged');
  });

  test('tells every 64-bit id from its neighbours', async () => {
    const plants = EDGE_IDS.map((id) => buildPlant({ id, name: `plant ${id.toString()}` }));
    const createAll = () => Promise.all(plants.map((plant) => store.create(plant)));
    expect(new Set(await createAll())).toEqual(new Set(['created']));
    expect(new Set(await createAll())).toEqual(new Set(['unchanged']));
  });

  test.each(['name', 'tag'] as const)(
    'keeps every string exactly, as a %s',
    async (field) => {
      const ids = STRANGE_STRINGS.map(newId);
      const outcomes = (shift: number) =>
        Promise.all(
          ids.map((id, i) =>
            store.create(buildPlant({ id, [field]: STRANGE_STRINGS[(i + shift) % STRANGE_STRINGS.length] })),
          ),
        );
      expect(new Set(await outcomes(0))).toEqual(new Set(['created']));
      expect(new Set(await outcomes(0))).toEqual(new Set(['unchanged']));
      const shifts = Array.from({ length: STRANGE_STRINGS.length - 1 }, (_, i) => i + 1);
      // By one: those that differ least stand beside each other.
      for (const shift of everyOf(shifts, 5))
        expect(new Set(await outcomes(shift))).toEqual(new Set(['conflict']));
    },
    60_000,
  );

  const text = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom('\0', '\u0001', '0', '1', 'a'), maxLength: 4 }),
  );
  const content = fc.record({ name: text, tag: text }, { requiredKeys: ['name'] });

  test('says "unchanged" of equal plants and of no others', () =>
    fc.assert(
      fc.asyncProperty(content, content, async (first, second) => {
        const id = newId();
        await expect(store.create({ id, ...first })).resolves.toBe('created');
        const equal = first.name === second.name && first.tag === second.tag;
        await expect(store.create({ id, ...second })).resolves.toBe(equal ? 'unchanged' : 'conflict');
        await expect(store.create({ id, ...first })).resolves.toBe('unchanged');
      }),
      { numRuns: cases(60, 200), seed: 64 },
    ));

  test('answers creations at the same time as if they came one after the other', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            id: fc.bigInt(0n, 5n),
            name: fc.constantFrom('a', 'b'),
            tag: fc.constantFrom(undefined, '', 't'),
            pause: fc.boolean(),
          }),
          { maxLength: 200 },
        ),
        async (creations) => {
          const base = lastId + 1n;
          lastId += 10n;
          const model = new Map<bigint, string>();
          const expected: CreateOutcome[] = [];
          const answers: Promise<CreateOutcome>[] = [];
          for (const { id, name, tag, pause } of creations) {
            const known = model.get(id);
            const value = JSON.stringify([name, tag]);
            expected.push(known === undefined ? 'created' : known === value ? 'unchanged' : 'conflict');
            if (known === undefined) model.set(id, value);
            answers.push(store.create({ id: base + id, name, ...(tag !== undefined && { tag }) }));
            if (pause) await new Promise(setImmediate);
          }
          expect(await Promise.all(answers)).toEqual(expected);
        },
      ),
      { numRuns: cases(20, 50), seed: 64 },
    ));

  test('is ready while it is open', async () => {
    await expect(store.ready()).resolves.toBeUndefined();
  });

  test('finishes what it has accepted before it closes, and accepts nothing afterwards', async () => {
    const closing = await open(url);
    const plants = Array.from({ length: 300 }, () => buildPlant({ id: newId() }));
    const accepted = plants.map((plant) => closing.create(plant));
    const closed = closing.close();
    await expect(closing.create(buildPlant())).rejects.toThrow(StoreUnavailable);
    await expect(closing.ready()).rejects.toThrow(StoreUnavailable);
    expect(new Set(await Promise.all(accepted))).toEqual(new Set(['created']));
    await closed;
    await expect(closing.close()).resolves.toBeUndefined();
    if (shared)
      expect(new Set(await Promise.all(plants.map((plant) => store.create(plant))))).toEqual(
        new Set(['unchanged']),
      );
  });
});
