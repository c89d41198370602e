import { once } from 'node:events';
import { connect } from 'node:net';
import express from 'express';
import fc from 'fast-check';
import { Chunks } from '../../../src/contract/http/message-framing';
import { listening } from '../../../../../scripts/testing/listening';

const TOKEN = fc.string({ unit: fc.constantFrom(...Array.from('aZ0!#~')), minLength: 1, maxLength: 4 });
const QUOTED = fc
  .string({ unit: fc.constantFrom('a', ' ', ';', '=', '\\"', '\\\\'), maxLength: 6 })
  .map((text) => `"${text}"`);
const EXTENSION = fc
  .tuple(TOKEN, fc.oneof(fc.constant(''), TOKEN, QUOTED))
  .map(([name, value]) => `;${name}${value === '' ? '' : '='}${value}`);
const CHUNK = fc.record({
  data: fc.string({
    unit: fc.constantFrom('a', '0', '\r', '\n', '\r\n\r\n', '5\r\n'),
    minLength: 1,
    maxLength: 40,
  }),
  zeros: fc.constantFrom('', '0', '0000000000000000'),
  extensions: fc.array(EXTENSION, { maxLength: 2 }),
});
const line = (size: number, { zeros, extensions }: { zeros: string; extensions: string[] }) =>
  `${zeros}${size.toString(16)}${extensions.join('')}\r\n`;

/** Reads the segments of a body. Returns what the parser gets for each of them, and what is left at the end. */
function read(text: string, cuts: readonly number[]) {
  const chunks = new Chunks();
  const places = [0, ...[...cuts].sort((a, b) => a - b), text.length];
  const parts: string[] = [];
  for (const [i, from] of places.slice(0, -1).entries()) {
    const bytes = Buffer.from(text.slice(from, places[i + 1]), 'latin1');
    const { length, joined, problem } = chunks.join(bytes);
    if (problem) return { parts, problem };
    parts.push(joined.toString('latin1'));
    if (chunks.ended) return { parts, rest: text.slice(from + length) };
  }
  return { parts };
}

test('chunks that arrive together are one chunk, and their data is unchanged', () => {
  const cut = fc.array(fc.nat(), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(CHUNK), CHUNK, cut, (list, last, given) => {
      const body = list.map((chunk) => `${line(chunk.data.length, chunk)}${chunk.data}\r\n`).join('');
      const text = `${body}${line(0, last)}X: y\r\n\r\nGET / HTTP/1.1`;
      const { parts, rest } = read(
        text,
        given.map((place) => place % text.length),
      );
      expect(rest).toBe('X: y\r\n\r\nGET / HTTP/1.1');
      const data = parts.map((part) => {
        if (part === '' || part === '0\r\n') return '';
        const size = parseInt(part.slice(0, 8), 16);
        expect(part.slice(8, 10)).toBe('\r\n');
        expect(['\r\n', '\r\n0\r\n']).toContain(part.slice(10 + size));
        return part.slice(10, 10 + size);
      });
      expect(data.join('')).toBe(list.map((chunk) => chunk.data).join(''));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['no size', '\r\n'],
  ['another number', '0x5\r\n'],
  ['a sign', '+5\r\n'],
  ['a negative size', '-5\r\n'],
  ['a space behind the size', '5 \r\nhello\r\n'],
  ['a space before the size', ' 5\r\nhello\r\n'],
  ['an underscore', '1_0\r\n'],
  ['a size that JavaScript cannot count', '10000000000000\r\n'],
  ['a size beyond 2^64', '10000000000000005\r\nhello\r\n'],
  ['a bare line feed', '5\nhello\r\n'],
  ['a bare carriage return', '5\rhello\r\n'],
  ['less data than its size', '5\r\nhell\r\n0\r\n\r\n'],
  ['more data than its size', '5\r\nhello!\r\n0\r\n\r\n'],
  ['a line feed behind the data', '5\r\nhello\n0\r\n\r\n'],
  ['an extension without a name', '5;\r\nhello\r\n'],
  ['an extension with a space', '5; a\r\nhello\r\n'],
  ['an extension with an open quote', '5;a="b\r\nhello\r\n'],
  ['an extension with a control character', '5;a="\0"\r\nhello\r\n'],
  ['a bare line feed in an extension', '5;a="\n"\r\nhello\r\n'],
  ['a long extension', `5;${'a'.repeat(17_000)}`],
  ['long extensions in all', `1;${'a'.repeat(1_000)}\r\n0\r\n`.repeat(17)],
  ['leading zeros without an end', '0'.repeat(17_000)],
])('chunks with %s are refused, wherever their bytes are cut', (_, text) => {
  for (const places of [[], [1], [2], Array.from({ length: Math.min(text.length, 20) }, (_, i) => i + 1)])
    expect(read(text, places).problem?.kind).toBe('malformed');
});

test.each([
  ['chunks of one byte', '1\r\na\r\n'.repeat(5_000), 'a'.repeat(5_000)],
  ['a chunk of blank lines', `2710\r\n${'\r\n'.repeat(5_000)}\r\n`, '\r\n'.repeat(5_000)],
])('a body of %s is not read piece by piece', async (_, body, data) => {
  const app = express().use((incoming, response) => {
    let text = '';
    let pieces = 0;
    incoming.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
      pieces++;
    });
    incoming.on('end', () => response.json({ pieces, isWhole: text === data }));
  });
  await listening(app, async (port) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
    const [text] = (await once(socket, 'data')) as [string];
    socket.destroy();
    const { pieces, isWhole } = JSON.parse(text.slice(text.indexOf('{'))) as {
      pieces: number;
      isWhole: boolean;
    };
    expect(isWhole).toBe(true);
    expect(pieces).toBeLessThan(200); // one for each segment that arrives
  });
});
