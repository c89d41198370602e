import { notes, type Parts } from '../../packages/prover/tests/support/notes';
import { mutants } from './parts';

/** A note without a member, or with another value of one. */
const changed =
  (name: string, change: (value: unknown) => unknown) =>
  (note: Record<string, unknown>): Record<string, unknown> =>
    name in note ? { ...note, [name]: change(note[name]) } : note;
const text = (change: (value: string) => string) => changed('text', (value) => change(String(value)));
const only = (methods: string, keep: (note: Record<string, unknown>) => Record<string, unknown>) => ({
  keep: (note: Record<string, unknown>, method: string) => (methods.includes(method) ? keep(note) : note),
});
const without = (name: string) => changed(name, () => undefined);

/** Servers that store something else than they were sent, with valid answers: nothing else sees it. */
const FAULTS: Readonly<Record<string, Partial<Parts>>> = {
  'a property is not stored': { keep: without('text') },
  'a property is stored and not shown': { show: without('rank') },
  'PUT stores nothing': only('PUT', () => ({ title: 'first' })),
  'PATCH does not store a property': only('PATCH', without('weight')),
  'a text is cut, between two characters': {
    keep: text((value) =>
      Buffer.from(value).toString().slice(0, 255).toWellFormed().replaceAll('\ufffd', ''),
    ),
  },
  'characters beyond the BMP are replaced': { keep: text((value) => value.replace(/[^\0-\uffff]/gu, '?')) },
  'an integer is rounded to a double': {
    keep: changed('rank', (value) => {
      const rounded = BigInt(Number(value));
      return rounded === BigInt.asIntN(64, rounded) ? rounded : value;
    }),
  },
  'an integer is cut to 32 bits': {
    keep: changed('rank', (value) => BigInt.asIntN(32, BigInt(value as number))),
  },
  'a fraction is lost': { keep: changed('weight', (value) => Math.trunc(Number(value))) },
  'a boolean is always false': { keep: changed('isOpen', () => false) },
  'a choice is always the first': { keep: changed('color', () => 'red') },
  'the last item is lost': { keep: changed('tags', (value) => (value as unknown[]).slice(0, -1)) },
  'a property of a property is lost': {
    keep: changed('place', (value) => ({ ...(value as object), city: undefined })),
  },
  'a date is a day off': {
    keep: changed('place', (value) => {
      const { due, ...rest } = value as { due?: string };
      const day = due === undefined ? undefined : new Date(Date.parse(due) - 86_400_000).toISOString();
      return { ...rest, due: day?.slice(0, 10) };
    }),
  },
  'two properties are exchanged': {
    keep: ({ title, text: other, ...note }) => ({
      ...note,
      title: String(other ?? title)
        .slice(0, 99)
        .toWellFormed(),
      text: title,
    }),
  },
};

/** Faults of a service that stores notes. */
export const storedMutants = mutants<Partial<Parts>>({
  stored: FAULTS,
  constraints: {
    'a text is cut after 64 UTF-16 units': { keep: text((value) => value.slice(0, 64)) },
    'a text is cut after 255 UTF-16 units': { keep: text((value) => value.slice(0, 255)) },
  },
  valid: {
    'a list has as many items as are asked for': { list: (all, limit) => all.slice(0, limit) },
    'a list has all items': { list: (all, limit) => (limit === 10 ? all : all.slice(0, 5)) },
  },
}).map(({ parts, ...mutant }) => ({ ...mutant, target: notes(parts) }));
