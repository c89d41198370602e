import StreamSearch from '@fastify/busboy/deps/streamsearch/sbmh';
import { Problem } from '../problem';

/** What a multipart body is split into, in order: a head, its data, and the end of the part. */
export type Piece =
  | { readonly kind: 'head'; readonly head: Buffer }
  | { readonly kind: 'data'; readonly data: Buffer }
  | { readonly kind: 'end' };

/** The maximum number of parts of a body. */
export const MAX_PARTS = 1_000;
/** The maximum size of the header fields of a part, in bytes. */
export const MAX_HEAD = 16_384;

/** RFC 2046 section 5.1.1. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d];
const BLANK_LINE = Buffer.from('\r\n\r\n');
const NO_DATA = Buffer.alloc(0);

/** The problem of a body whose framing is not that of RFC 2046. */
export const notWellFormed = (reason: string) =>
  new Problem('malformed', `the body is not well-formed multipart: ${reason}`);

/**
 * Splits a body at its boundary (RFC 2046 section 5.1.1), whatever the sizes of its chunks, in time linear in its bytes.
 *
 * The search of @fastify/busboy finds the boundary. The rest of its parser is not used: it drops wrong header fields and those
 * beyond its bounds, ignores text after a boundary, and takes `--boundary-` for an end (multipart-splitter.test.ts).
 */
export class MultipartSplitter {
  private place: 'preamble' | 'head' | 'data' | 'closing' | 'epilogue' = 'preamble';
  private pieces: Piece[] = [];
  private parts = 0;
  private readonly search: StreamSearch;
  /** What follows the boundary, up to the end of the header fields. */
  private readonly head = Buffer.allocUnsafe(MAX_HEAD);
  private size = 0;

  /** @throws {Problem} `malformed` if it is no boundary */
  constructor(boundary: string | undefined) {
    if (boundary === undefined) throw notWellFormed('its Content-Type has no boundary');
    if (!BOUNDARY.test(boundary)) throw notWellFormed('the boundary of its Content-Type is invalid');
    this.search = new StreamSearch(`\r\n--${boundary}`);
    this.search.on('info', (isMatch, data, start = 0, end = 0) => {
      // The search reuses its own buffer, but not the chunk.
      const bytes = data?.subarray(start, end) ?? NO_DATA;
      if (bytes.length > 0) this.read(data === this.chunk ? bytes : Buffer.from(bytes));
      if (isMatch) this.delimit();
    });
    this.push(Buffer.from('\r\n')); // A body may start with its first boundary.
  }

  /**
   * Reads the next bytes of the body.
   *
   * @throws {Problem} `malformed` or `tooLarge`
   */
  push(chunk: Buffer): readonly Piece[] {
    this.chunk = chunk;
    this.pieces = [];
    this.search.push(chunk);
    return this.pieces;
  }
  private chunk: Buffer = NO_DATA;

  /** @throws {Problem} `malformed` if the body ends before its last boundary */
  end(): void {
    if (this.place === 'preamble') throw notWellFormed('it does not contain its boundary');
    const isClosed = this.place === 'epilogue' || (this.place === 'closing' && this.size === 0);
    if (!isClosed) throw notWellFormed('it ends before its last boundary');
  }

  private read(data: Buffer): void {
    if (this.place === 'data') this.pieces.push({ kind: 'data', data });
    else if (this.place === 'head') this.readHead(data);
    else if (this.place === 'closing') this.readClosing(data);
  }

  /** A boundary was found: it ends a part. */
  private delimit(): void {
    if (this.place === 'closing' || this.place === 'epilogue')
      throw notWellFormed('it has a boundary after its last one');
    // A part may end after its header fields (RFC 2046 section 5.1.1: body-part). Their last CRLF is before the boundary's.
    if (this.place === 'head') this.endHead(this.head.subarray(0, this.size));
    if (this.place === 'data') this.pieces.push({ kind: 'end' });
    this.place = 'head';
    this.size = 0;
  }

  private readHead(data: Buffer): void {
    const { head, size } = this;
    this.size += data.copy(head, size);
    if (this.size >= 2 && head[0] === DASH && head[1] === DASH) {
      const rest = data.subarray(2 - size);
      this.place = 'closing';
      this.size = 0;
      this.readClosing(rest);
      return;
    }
    const end = head.subarray(0, this.size).indexOf(BLANK_LINE, Math.max(0, size - 3));
    if (end >= 0) {
      const rest = data.subarray(end + BLANK_LINE.length - size);
      this.endHead(head.subarray(0, end + 2));
      if (rest.length > 0) this.read(rest);
    } else if (this.size < size + data.length)
      throw new Problem('tooLarge', `the header fields of a part are larger than ${MAX_HEAD} bytes`);
  }

  /** @param head what follows the boundary: white space (transport-padding), CRLF, and header fields, each with its CRLF */
  private endHead(head: Buffer): void {
    let start = 0;
    while (head[start] === SPACE || head[start] === TAB) start++;
    if (head[start] !== CR || head[start + 1] !== LF)
      throw notWellFormed('a boundary is not followed by a line break');
    if (head.at(-2) !== CR || head.at(-1) !== LF)
      throw notWellFormed('the header fields of a part do not end with an empty line');
    if (++this.parts > MAX_PARTS) throw new Problem('tooLarge', `the body has more than ${MAX_PARTS} parts`);
    this.pieces.push({ kind: 'head', head: Buffer.from(head.subarray(start + 2)) });
    this.place = 'data';
  }

  /** After the last boundary: white space, and a line break before the epilogue. `size` counts the bytes of that. */
  private readClosing(data: Buffer): void {
    for (const byte of data) {
      if (this.size === 0 && (byte === SPACE || byte === TAB)) continue;
      if (byte !== (this.size === 0 ? CR : LF)) throw notWellFormed('its last boundary is followed by text');
      if (++this.size < 2) continue;
      this.place = 'epilogue';
      return;
    }
  }
}
