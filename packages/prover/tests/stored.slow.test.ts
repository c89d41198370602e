import { describeFailure, formatReport, run, urlTarget } from 'contract-first-prover';
import { notes, type Parts } from './support/notes';

const QUICK = { generated: 3, shrink: false };

/** A note without a property. */
const without = (name: string) => (note: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(note).filter(([other]) => other !== name));

/** Each property is stored wrong, in another way; nothing but what is read back shows it. */
const FAULTY: Parts['keep'] = (note) => {
  const { text, rank, weight, isOpen, color, tags, place, ...rest } = note as {
    readonly [name: string]: unknown;
    readonly text?: string;
    readonly rank?: bigint | number;
    readonly tags?: readonly string[];
    readonly place?: { readonly city?: string; readonly due?: string };
  };
  return {
    ...rest,
    ...(text !== undefined && { text: Array.from(text).slice(0, 64).join('') }),
    ...(rank !== undefined && { rank: BigInt.asIntN(32, BigInt(rank)) }),
    ...(weight !== undefined && { weight: Math.trunc(Number(weight)) }),
    ...(isOpen !== undefined && { isOpen: false }),
    ...(color !== undefined && { color: 'red' }),
    ...(tags && { tags: tags.slice(0, -1) }),
    ...(place && { place: { due: place.due } }),
  };
};

test('a service that stores what it is sent is proven', async () => {
  const result = await run(notes(), QUICK);
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(result.obligations.filter(({ state }) => state !== 'PROVEN').map(({ key }) => key)).toEqual([]);
  expect(result.obligations.filter(({ kind }) => kind === 'stored').map(({ key }) => key)).toEqual([
    'addNote | stored | getNote',
    'changeNote | stored | getNote',
    'patchNote | stored | getNote',
  ]);
});

test('a service that stores something else fails at each property, with both requests', async () => {
  const { failures } = await run(notes({ keep: FAULTY }), QUICK);
  expect(new Set(failures.map(({ family }) => family))).toEqual(new Set(['stored']));
  const places = failures.flatMap(({ problems }) =>
    problems.flatMap(
      (problem) =>
        /^expected to read back (\S+) = .*, got .* \(rule: RFC 9110/s.exec(problem)?.[1] ?? problem,
    ),
  );
  expect([...new Set(places)].sort()).toEqual([
    '/color',
    '/isOpen',
    '/place/city',
    '/rank',
    '/tags/*',
    '/text',
    '/weight',
  ]);
  expect(new Set(failures.map(({ operation }) => operation))).toEqual(new Set(['getNote']));
  expect(failures[0]?.curl.split('\n')).toHaveLength(2);
});

test('a service may add, sort and leave out what is empty, and change the case of a text', async () => {
  const parts: Partial<Parts> = {
    keep: ({ text, tags, ...note }) => ({
      ...note,
      ...(text !== undefined && { text: (text as string).trim().toLowerCase() }),
      ...(tags !== undefined && { tags: [...new Set(tags as string[])].sort() }),
    }),
    show: (note) => ({
      ...Object.fromEntries(
        Object.entries(note).filter(([name, value]) => name === 'title' || String(value) !== ''),
      ),
      changed: new Date().toISOString(),
    }),
  };
  const { failures } = await run(notes(parts), QUICK);
  expect(failures.map(describeFailure)).toEqual([]);
});

test('is a warning by the profile document', async () => {
  const sound = notes({ keep: without('text') });
  const server = await sound.start();
  const result = await run(
    urlTarget({
      url: `http://127.0.0.1:${server.port}`,
      document: sound.document,
      write: true,
      requestsPerSecond: 10_000,
    }),
    QUICK,
  );
  await server.close();
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(formatReport(result)).toContain('expected to read back /text = ');
  expect(result.obligations.find(({ key }) => key === 'addNote | stored | getNote')?.state).toBe('WARNED');
});
