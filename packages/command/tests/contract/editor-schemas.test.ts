import { type Schema, validate } from '@cfworker/json-schema';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeBreaks } from '../../src/breaking/accepted';
import { changeText, compareDocuments } from '../../src/breaking/changes';
import { workOn } from '../../src/paths';
import { type Json, readWaivers } from 'contract-first-prover';
import { overlay } from '../../src/document/publish/overlay';
import { useFolder } from '../../../../scripts/testing/folder';
import { buildDocument } from '../../../../scripts/testing/service';

// The schemas for editors say of the form of a file what the code says of it.

const folder = useFolder();
const start = process.cwd();
const printed = jest.spyOn(console, 'error').mockImplementation();
afterAll(() => {
  workOn(start);
  printed.mockRestore();
});

const changes = compareDocuments(
  buildDocument(),
  buildDocument({ operation: { parameters: [{ name: 'a', in: 'query', required: true, schema: {} }] } }),
);
const accepted = { change: changeText(changes[0] as never), reason: 'agreed', until: '2.0.0' };
const DOCUMENT = { openapi: '3.1.0', paths: {}, tags: [] };

/** For each file: correct ones, and the sentences of the code about one, but those about what only code can know. */
const FILES: Readonly<
  Record<string, { valid: readonly Json[]; faults: (value: Json) => Promise<string[]> | string[] }>
> = {
  overlay: {
    valid: [
      { actions: [] },
      { overlay: '1.0.0', info: { title: 'x' }, extends: 'a.yaml', actions: [{ target: '$', update: {} }] },
      {
        overlay: '1.1.0',
        'x-y': 1,
        actions: [{ target: '$.tags', description: 'x', remove: true, 'x-y': 1 }],
      },
      { overlay: '1.1.0', actions: [{ target: '$', copy: '$.paths' }] },
    ],
    async faults(value) {
      folder.write({ 'openapi/overlay.yaml': JSON.stringify(value) });
      workOn(folder.path('.'));
      const error = await overlay(DOCUMENT).then(
        () => '',
        (reason: unknown) => (reason as Error).message,
      );
      return error
        .split('\n')
        .filter((line) => !/^$|matches nothing|does not fit|change the document, because/.test(line));
    },
  },
  waivers: {
    valid: [
      [],
      [
        { failure: 'a | b', reason: 'known', expires: '2028-02-29' },
        { obligation: 'a | b | *', reason: 'cannot occur' },
      ],
      [{ obligation: 'a', reason: 'x', expires: '2026-12-31' }],
    ],
    faults(value) {
      try {
        readWaivers(value);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    },
  },
  'accepted-breaks': {
    valid: [[], null, [accepted], [{ ...accepted, places: 1 }], [{ ...accepted, until: '2.0' }, accepted]],
    faults: (value) =>
      judgeBreaks(changes, JSON.stringify(value), '1.0.0').wrong.filter(
        (line) => !line.includes('no breaking change matches') && !line.includes(': expired'),
      ),
  },
};

const ODD: readonly Json[] = [
  ...[null, true, false, 0, 1, 1.5, -1, [], {}, '', ' ', 'x', '$', '$.tags'],
  ...['1.0.0', '1.1.7', '1.2.0', '2.0', '2', '2.0.0-rc.1', 'v2.0.0'],
  ...['2026-12-31', '2026-02-30', '2027-02-29', '2026-1-1', '2026-12-31T00:00:00Z'],
];

/** The value with one place changed: a member or an item that is missing, another one, or one more. */
function* variants(value: Json): Generator<Json> {
  yield* ODD;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      yield value.toSpliced(i, 1);
      for (const other of variants(item)) yield value.with(i, other);
    }
    for (const item of ODD) yield [...value, item];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const others = Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
      yield others;
      yield { ...others, [`${name}s`]: member };
      for (const other of variants(member)) yield { ...value, [name]: other };
    }
    for (const name of [
      'y',
      'x-',
      'X-y',
      'failure',
      'obligation',
      'expires',
      'places',
      'copy',
      'remove',
      'update',
    ])
      if (!Object.hasOwn(value, name)) for (const other of ODD) yield { ...value, [name]: other };
  }
}

test.each(Object.entries(FILES))(
  '%s.json accepts what the code accepts, and nothing else',
  async (name, file) => {
    const text = readFileSync(join(__dirname, `../../schemas/${name}.json`), 'utf8');
    const schema = JSON.parse(text) as Schema;
    const accepts = (value: Json) => validate(value, schema, '7').valid;
    for (const value of file.valid)
      expect([value, accepts(value), await file.faults(value)]).toEqual([value, true, []]);
    const differing: unknown[] = [];
    let refused = 0;
    const seen = new Set<string>();
    for (const value of file.valid.flatMap((one) => [...variants(one)])) {
      const key = JSON.stringify(value);
      if (seen.has(key)) continue;
      seen.add(key);
      const faults = await file.faults(value);
      refused += Number(faults.length > 0);
      if (accepts(value) !== (faults.length === 0)) differing.push([key, faults]);
    }
    expect(differing).toEqual([]);
    expect(printed).not.toHaveBeenCalled(); // by a library
    expect(refused).toBeGreaterThan(seen.size / 4);
  },
);
