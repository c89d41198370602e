import { Dicer } from '@fastify/busboy';
import { cases, everyOf } from '../../../../../scripts/testing/cases';
import { adversaries, growsTooFast } from '../../../../../scripts/testing/growth';
import { MAX_HEAD, MAX_PARTS, MultipartSplitter } from '../../../src/contract/codecs/multipart-splitter';

const BOUNDARY = 'b-b';
const CRLF = '\r\n';

/** Splits a body that is sent in chunks of a size. Returns the head and the data of each part, or the message of the refusal. */
function split(body: string, size = body.length): string | (readonly [string, string])[] {
  const parts: [string, string][] = [];
  try {
    const framing = new MultipartSplitter(BOUNDARY);
    const bytes = Buffer.from(body, 'latin1');
    for (let at = 0; at < bytes.length; at += size) {
      for (const piece of framing.push(bytes.subarray(at, at + size))) {
        const last = parts.at(-1);
        if (piece.kind === 'head') parts.push([piece.head.toString('latin1'), '']);
        else if (piece.kind === 'data' && last) last[1] += piece.data.toString('latin1');
      }
    }
    framing.end();
    return parts;
  } catch (error) {
    return (error as Error).message.replace('the body is not well-formed multipart: ', '');
  }
}

const part = (data: string, head = `A: 1${CRLF}`) => `--${BOUNDARY}${CRLF}${head}${CRLF}${data}${CRLF}`;
const END = `--${BOUNDARY}--`;
const NOT_CLOSED = 'it ends before its last boundary';
const WITHOUT_LINE = 'a boundary is not followed by a line break';
const AFTER_LAST = 'its last boundary is followed by text';
const NO_EMPTY_LINE = 'the header fields of a part do not end with an empty line';

/** Each is refused with this message, or has these parts. */
const BODIES: readonly [name: string, body: string, expected: ReturnType<typeof split>][] = [
  ['one part', part('x') + END, [['A: 1\r\n', 'x']]],
  ['no part', END, []],
  ['a part without data', part('') + END, [['A: 1\r\n', '']]],
  ['a part without header fields', part('x', '') + END, [['', 'x']]],
  ['a part that ends after its header fields', `--${BOUNDARY}\r\nA: 1\r\n\r\n${END}`, [['A: 1\r\n', '']]],
  ['a preamble and an epilogue', `hi\r\n${part('x')}${END}\r\nbye`, [['A: 1\r\n', 'x']]],
  ['white space after a boundary', part('x').replace('\r\n', ' \t\r\n') + `${END} \t\r\n`, [['A: 1\r\n', 'x']]],
  ['the boundary within data', part(`x--${BOUNDARY}\n--${BOUNDARY}--x\r\n-${BOUNDARY}`) + END, [['A: 1\r\n', `x--${BOUNDARY}\n--${BOUNDARY}--x\r\n-${BOUNDARY}`]]],
  ['line breaks before a boundary', part('\r\n\r\r\n') + END, [['A: 1\r\n', '\r\n\r\r\n']]],
  ['nothing', '', 'it does not contain its boundary'],
  ['no boundary', 'x'.repeat(100), 'it does not contain its boundary'],
  ['the boundary within a line', `x${part('x')}`, 'it does not contain its boundary'],
  ['no last boundary', part('x'), NOT_CLOSED],
  ['a last boundary with one dash', `${part('x')}--${BOUNDARY}-`, NOT_CLOSED],
  ['an end within data', part('x').slice(0, -3), NOT_CLOSED],
  ['an end within header fields', `--${BOUNDARY}\r\nA: 1\r\n`, NOT_CLOSED],
  ['text after a boundary', part('x').replace('\r\n', 'x\r\n') + END, WITHOUT_LINE],
  ['a dash after a boundary', `${part('x')}--${BOUNDARY}-\r\n${END}`, WITHOUT_LINE],
  ['a boundary after a boundary', `${part('x')}--${BOUNDARY}\r\n${END}`, WITHOUT_LINE],
  ['a line feed after a boundary', part('x').replace('\r\n', '\n') + END, WITHOUT_LINE],
  ['a boundary within header fields', `--${BOUNDARY}\r\nA: 1\r\n${END}`, NO_EMPTY_LINE],
  ['a boundary within data of which it is the start', part(`x\r\n--${BOUNDARY}x`) + END, WITHOUT_LINE],
  ['text after the last boundary', `${part('x')}${END}x`, AFTER_LAST],
  ['a carriage return after the last boundary', `${part('x')}${END}\rx`, AFTER_LAST],
  ['a part after the last boundary', `${part('x')}${END}\r\n${part('y')}${END}`, 'it has a boundary after its last one'],
  ['header fields that are too large', part('x', `A: ${'1'.repeat(MAX_HEAD)}${CRLF}`) + END, `the header fields of a part are larger than ${MAX_HEAD} bytes`],
  ['too many parts', part('').repeat(MAX_PARTS + 1) + END, `the body has more than ${MAX_PARTS} parts`],
]; // prettier-ignore

test.each(BODIES)('%s, whatever the sizes of the chunks', (_, body, expected) => {
  for (const size of [body.length + 1, 7, 3, 2, 1]) expect(split(body, size)).toEqual(expected);
});

test.each<[string | undefined]>([[undefined], [''], ['a '], ['a'.repeat(71)], ['ü'], ['a\r\nb']])(
  'the boundary %j is refused',
  (boundary) => {
    expect(() => new MultipartSplitter(boundary)).toThrow('boundary');
  },
);

/** Small random numbers, the same in each run. */
function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('any data arrives unchanged in any chunks', () => {
  const random = randoms(28);
  const tokens = [
    '\r',
    '\n',
    '-',
    '--',
    CRLF,
    `--${BOUNDARY}`,
    `\r\n--${BOUNDARY.slice(0, 2)}`,
    BOUNDARY,
    'x',
    '\0',
  ];
  for (let round = 0; round < cases(1_000, 3_000); round++) {
    const datas = Array.from({ length: random(4) }, () =>
      Array.from({ length: random(8) }, () => tokens[random(tokens.length)]).join(''),
    ).filter((data) => !`${CRLF}${data}${CRLF}`.includes(`${CRLF}--${BOUNDARY}`));
    const body = datas.map((data) => part(data)).join('') + END;
    expect([body, split(body, 1 + random(20))]).toEqual([body, datas.map((data) => ['A: 1\r\n', data])]);
  }
});

const DROPPED = [
  'text after a boundary',
  'a boundary after a boundary',
  'a boundary within header fields',
  'text after the last boundary',
  'header fields that are too large',
];

test('framing takes time linear in the body, also byte by byte', () => {
  const dashes = new MultipartSplitter(`${'-'.repeat(69)}x`);
  const read = (text: string) => {
    split(text);
    split(text, 1);
    dashes.push(Buffer.from(text));
  };
  const tokens = [
    `\r\n--${BOUNDARY}`,
    `\r\n--${BOUNDARY.slice(0, -1)}`,
    '-',
    CRLF,
    part(''),
    part('').slice(0, -9),
  ];
  // The step has no factor in common with the periods of the list: each token is repeated before and after each other kind.
  const slow = everyOf([...adversaries(tokens)], 5).filter((adversary) => growsTooFast(read, adversary));
  expect(slow.map(({ name }) => name)).toEqual([]);
});

test('the parser of the package accepts what the framing refuses: so only its search is used', async () => {
  const accepts = (body: string) =>
    new Promise<boolean>((resolve) => {
      const dicer = new Dicer({ boundary: BOUNDARY });
      dicer.on('part', (stream: NodeJS.ReadableStream) => stream.resume());
      for (const event of ['error', 'finish'] as const) dicer.on(event, () => { resolve(event === 'finish'); }); // prettier-ignore
      dicer.end(body);
    });
  const accepted: string[] = [];
  for (const [name, body] of BODIES) if (DROPPED.includes(name) && (await accepts(body))) accepted.push(name);
  expect(accepted).toEqual(DROPPED);
});
