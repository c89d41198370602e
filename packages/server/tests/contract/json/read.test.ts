import fc from 'fast-check';
import { MalformedJson, parseJson } from '../../../src/contract/json/parse';
import { readJson } from '../../../src/contract/json/read';
import { canonicalJson } from '../../../src/contract/json/stringify';
import { exactDecimal, hasExact, type Holder } from '../../../src/contract/json/values';
import { ANY_CHARACTER } from 'contract-first-prover';

/** The complete result of a reader: the value with its exact numbers, or the message of its error. */
function outcome(read: (holder: Holder) => void): unknown {
  const holder: Holder = {};
  try {
    read(holder);
  } catch (error) {
    if (error instanceof MalformedJson) return error.message;
    throw error;
  }
  return { text: canonicalJson(holder, 'body'), exact: [...exactNumbersOf(holder)], value: holder['body'] };
}

function* exactNumbersOf(holder: object): Generator<string> {
  for (const [key, value] of Object.entries(holder)) {
    const place = Array.isArray(holder) ? Number(key) : key;
    if (typeof value === 'number' && hasExact(holder, place))
      yield `${key} ${JSON.stringify(exactDecimal(holder, place, value))}`;
    else if (typeof value === 'object' && value !== null) yield* exactNumbersOf(value as object);
  }
}

const expectSame = (text: string) => {
  const bytes = Buffer.from(text);
  const decoded = bytes.toString();
  expect(
    outcome((holder) => {
      readJson(bytes, decoded, holder, 'body');
    }),
  ).toEqual(
    outcome((holder) => {
      parseJson(decoded, holder, 'body');
    }),
  );
};

const digits = fc.stringMatching(/^[0-9]{1,19}$/);
/** Literals that a double represents, and literals that it does not. */
const literal = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^-?(0|[1-9][0-9]{0,5})$/) },
  fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }).map(String),
  fc.stringMatching(/^-?0?[1-9][0-9]{15}(\.0)?$/),
  fc.stringMatching(/^[1-9][0-9]{15}[eE]-?[12]$/),
  fc.stringMatching(/^-?0\.[0-9]{14,16}$/),
  fc.stringMatching(/^-?[1-9][0-9]{0,17}(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?$/),
  fc.constantFrom('1e400', '1e-400', '4e-324', '1e22', '1e23', '-0', '0e0', '01', '1.', '.5'),
  digits,
);
const part = fc.constantFrom(
  'a',
  '\\"',
  '\\\\',
  '\\ud83d',
  '\\uDE00',
  '\\u005f',
  '\\u00e9',
  '__',
  'proto__',
  '\\n',
  'é',
  '😀',
);
const string = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('"a"', '"b:"', '"[{"', '""') },
  fc.string({ unit: ANY_CHARACTER }).map((text) => JSON.stringify(text)),
  fc.array(part, { maxLength: 4 }).map((parts) => `"${parts.join('')}"`),
);
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('"a"', '"b"', '"c"', '"d"', '"\\u0061"', '"constructor"', '"0"') },
  fc.constantFrom('"__proto__"', '"\\u005f_proto__"'),
  string,
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: literal },
    { weight: 2, arbitrary: string },
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(name, tie('json')), { maxLength: 4 })
      .map((members) => `{${members.map((member) => member.join(': ')).join()}}`),
  ),
}));

test('reads valid and nearly valid texts as the parser does', () => {
  fc.assert(fc.property(json, expectSame), { numRuns: 3000, seed: 8259 });
});

test('reads texts with one replaced character as the parser does', () => {
  const replaced = fc
    .tuple(
      json,
      fc.nat(),
      fc.constantFrom('"', '\\', ':', ',', '{', '}', '[', ']', '0', 'e', '.', ' ', '\u0000', ''),
    )
    .map(
      ([text, at, character]) =>
        text.slice(0, at % text.length) + character + text.slice((at % text.length) + 1),
    );
  fc.assert(fc.property(replaced, expectSame), { numRuns: 3000, seed: 8259 });
});

test.each([63, 64, 65, 66, 5000])('nested %i deep', (depth) => {
  expectSame('['.repeat(depth) + ']'.repeat(depth));
  expectSame('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));
});
