import { describeFailure } from '../../src/report/terminal';
import { run } from '../../src/run';
import { type Reading, SOUND, uploads } from '../support/uploads';

test('a server that reads uploads, sequences, streams and texts is proven', async () => {
  const { failures, obligations, passed } = await run(uploads(), { generated: 20 });
  expect(failures.map(describeFailure)).toEqual([]);
  const open = obligations.filter(({ state }) => state !== 'PROVEN');
  expect(open.map(({ key, reason }) => [key, reason])).toEqual([]);
  expect(passed).toBe(true);
});

/** A reading whose parts are not checked by one rule. */
const accepting = (change: (parts: Parts) => Parts): Partial<Reading> => ({
  accepts: (parts) => SOUND.accepts(change(parts)),
});
type Parts = Parameters<Reading['accepts']>[0];

const photo = { 'content-type': 'image/png', 'x-license': 'CC0' };
const withPhoto = (headers: object): Partial<Reading> =>
  accepting((parts) =>
    parts.map((part) =>
      part.name === 'photo' ? { ...part, headers: { ...part.headers, ...headers } } : part,
    ),
  );

const FAULTS: readonly [fault: string, where: string, changed: Partial<Reading>][] = [
  [
    'a boundary is no boundary in quotes',
    'a boundary in quotes',
    { boundary: (type) => type.split('boundary=')[1] },
  ],
  [
    'a boundary is cut at 20 characters',
    'a boundary of 70 characters',
    { boundary: (type) => SOUND.boundary(type)?.slice(0, 20) },
  ],
  [
    'a body without an end is one',
    'without the last boundary',
    { split: (body, boundary) => SOUND.split(`${body}\r\n--${boundary}--`, boundary) },
  ],
  [
    'a body begins with its boundary',
    'a preamble and an epilogue',
    { split: (body, boundary) => (body.startsWith('--') ? SOUND.split(body, boundary) : undefined) },
  ],
  [
    'no white space follows a boundary',
    'white space after boundaries',
    { split: (body, boundary) => (body.includes('-0 \t\r\n') ? undefined : SOUND.split(body, boundary)) },
  ],
  [
    'a boundary is malformed where it does not begin a line',
    'the boundary inside of a value',
    { split: (body, boundary) => (/[^\n]--part-0/.test(body) ? undefined : SOUND.split(body, boundary)) },
  ],
  [
    'names of headers have the letter case of the document',
    'names of headers in lower case',
    { read: (part) => (part.head.includes('content-disposition') ? undefined : SOUND.read(part)) },
  ],
  [
    'quotes in names are not read',
    'a name with quotes and line breaks',
    { read: (part) => (part.head.includes('%22') ? undefined : SOUND.read(part)) },
  ],
  [
    'a part without a name is left out',
    'a part without a name',
    { read: (part) => SOUND.read(part) ?? { name: '', headers: {}, content: '' } },
  ],
  [
    'any part is a text',
    'a file of every byte',
    { read: (part) => (/[\x80-\xff]/.test(part.content) ? undefined : SOUND.read(part)) },
  ],
  [
    'an empty file is left out',
    'a file of no byte',
    {
      read: (part) => (part.content === '' && part.head.includes('filename') ? undefined : SOUND.read(part)),
    },
  ],
  [
    'a file name makes a file',
    'a file name on a text',
    { read: (part) => (part.head.includes('a.txt') ? undefined : SOUND.read(part)) },
  ],
  [
    'media types of parts are ignored',
    'photo as application/x-undocumented',
    withPhoto({ 'content-type': photo['content-type'] }),
  ],
  [
    'of the media types of a part the first is enough',
    'photo as image/gif',
    accepting((parts) =>
      parts.map((part) =>
        part.headers['content-type'] === 'image/gif'
          ? { ...part, headers: { ...photo, 'content-type': '' } }
          : part,
      ),
    ),
  ],
  ['headers of parts are ignored', 'photo without X-License', withPhoto({ 'x-license': 'CC0' })],
  [
    'of several parts of one name the last counts',
    'title twice',
    accepting((parts) =>
      parts.filter(
        ({ name }, at) => name !== 'title' || !parts.slice(at + 1).some((part) => part.name === 'title'),
      ),
    ),
  ],
  [
    'required parts may be missing',
    'violates required',
    accepting((parts) => [
      ...parts,
      ...(parts.some(({ name }) => name === 'title') ? [] : [{ name: 'title', headers: {}, content: '' }]),
    ]),
  ],
  [
    'JSON in parts is not judged',
    'place',
    accepting((parts) => parts.filter(({ name }) => name !== 'place')),
  ],
  [
    'repeated parts are not counted',
    'maxItems',
    accepting((parts) => parts.filter(({ name }, at) => name !== 'tags' || at < 4)),
  ],
  [
    'only the first item is judged',
    'item 1 of 3 is wrong',
    { lines: (body) => SOUND.lines(body).slice(0, 1) },
  ],
  ['the last item is not judged', 'item 2 of 3 is wrong', { lines: (body) => SOUND.lines(body).slice(0, 2) }],
  [
    'a cut item is left out',
    'the last item is cut',
    { lines: (body) => SOUND.lines(body).filter((line) => SOUND.isItem(line) !== 'malformed') },
  ],
  [
    'items end with a line break',
    'no line break at the end',
    { lines: (body) => (body.endsWith('\n') ? SOUND.lines(body) : ['x']) },
  ],
  ['bodies may be a byte too large', '1001 bytes', { largest: 1001 }],
  ['the largest body is refused', '1000 bytes', { largest: 999 }],
];
test.each(FAULTS)('it finds the fault that %s', async (_, where, changed) => {
  const { failures } = await run(uploads(changed), { generated: 0, shrink: false });
  expect(failures.map(({ title }) => title).filter((title) => title.includes(where))).not.toEqual([]);
});
