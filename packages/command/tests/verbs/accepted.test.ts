import { judgeBreaks } from '../../src/breaking/accepted';
import { compareDocuments } from '../../src/breaking/changes';
import { buildDocument } from '../../../../scripts/testing/service';

const parameters = (...names: string[]) => ({
  parameters: names.map((name) => ({ name, in: 'query', required: true, schema: { type: 'string' } })),
});
const changes = compareDocuments(
  buildDocument(),
  buildDocument({ operation: parameters('first', 'second') }),
);
const [FIRST, SECOND] = ['first', 'second'].map(
  (name) => `#/paths/~1things/post: the query parameter ${name} is new and required`,
);
const entry = (change: unknown, until: unknown = '2.0.0', more = '') =>
  `- change: ${JSON.stringify(change)}\n  reason: agreed\n  until: ${JSON.stringify(until)}\n${more}`;

function judge(text: string, version = '2.0.0') {
  const { breaking, accepted, wrong } = judgeBreaks(changes, text, version);
  return { breaking: breaking.length, accepted: accepted.map(({ change }) => change), wrong };
}

/** Each list holds the one before it ten times. */
const bomb = () =>
  Array.from(
    { length: 12 },
    (_, i) =>
      `- &a${i} [${Array(10)
        .fill(i === 0 ? 'x' : `*a${i - 1}`)
        .join()}]\n`,
  ).join('');

const PLACE = 'openapi/accepted-breaks.yaml#/0';

test.each(['', '# nothing\n', '[]'])('no entry accepts nothing: %j', (text) => {
  expect(judge(text)).toEqual({ breaking: 2, accepted: [], wrong: [] });
});

test.each([
  ['2.0.0', '2.0.0', true],
  ['1.9.9', '2.0.0', true],
  ['2.0', '2.0.0', true],
  ['2.0.0-rc.1', '2.0.0', true],
  ['2.0.1', '2.0.0', false],
  ['2.1.0', '2.0.9', false],
  ['10.0.0', '9.0.0', false],
  ['9.0.0', '10.0.0', true],
])('of the version %s, an entry until %s holds: %s', (version, until, holds) => {
  expect(judge(entry(FIRST, until), version)).toEqual(
    holds
      ? { breaking: 1, accepted: [FIRST], wrong: [] }
      : {
          breaking: 2,
          accepted: [],
          wrong: [
            `${PLACE}: expired with version ${until}; the document has version ${version}: undo the change, or accept it until ${version}`,
          ],
        },
  );
});

test('each change needs an entry of its own', () => {
  expect(judge(entry(FIRST) + entry(SECOND))).toEqual({ breaking: 0, accepted: [FIRST, SECOND], wrong: [] });
});

test.each([
  ['another change', entry(`${FIRST}!`), /#\/0: no breaking change matches .*required!/],
  ['a part of a change', entry('#/paths'), /#\/0: no breaking change matches/],
  ['no change', '- reason: x\n  until: "2.0.0"\n', /#\/0\/change: expected a non-blank string, got null/],
  [
    'no reason',
    `- change: ${JSON.stringify(FIRST)}\n  until: "2.0.0"\n`,
    /#\/0\/reason: expected a non-blank string, got null/,
  ],
  [
    'a blank reason',
    entry(FIRST).replace('agreed', '" "'),
    /#\/0\/reason: expected a non-blank string, got " "/,
  ],
  [
    'a version that is a number',
    entry(FIRST, 2),
    /#\/0\/until: expected a non-blank string, such as '2.0.0', got 2/,
  ],
  ['no version', entry(FIRST, 'next'), /#\/0\/until: expected a version like 2.0.0/],
  [
    'another member',
    entry(FIRST, '2.0.0', '  untl: x\n'),
    /#\/0\/untl: expected only change, reason, until and places/,
  ],
  ['an entry that is a text', '- x\n', /#\/0\/change: expected a non-blank string/],
  ['an object', 'change: x\n', /accepted-breaks.yaml: expected a list/],
  ['no YAML', '[', /^openapi\/accepted-breaks.yaml:1:2: expected a character such as/],
  ['a name twice', entry(FIRST, '2.0.0', '  until: x\n'), /^openapi\/accepted-breaks.yaml:4:3: /],
  [
    'a tag of JavaScript',
    '- !!js/function x\n',
    /^openapi\/accepted-breaks.yaml:1:3: expected a value without a tag/,
  ],
  ['an alias of nothing', '- *a\n', /^openapi\/accepted-breaks.yaml:1:3: /],
  ['a bomb of aliases', bomb(), /^openapi\/accepted-breaks.yaml:\d+:\d+: /],
])('an entry with %s is wrong, and accepts nothing', (_, text, expected) => {
  const { breaking, wrong } = judge(text);
  expect([breaking, wrong[0]]).toEqual([2, expect.stringMatching(expected)]);
});
