import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../problem';
import { judgeHead, TOKEN } from './head';

/** The end of a head, and of the trailers of a message (RFC 9112 sections 2.1 and 7.1). */
const BLANK_LINE = '\r\n\r\n';
/** Bytes. Few heads are longer. */
const HEAD_PART = 2_048;
const NO_PROXY = new Problem('malformed', 'this server is not a proxy');

const [CR, LF] = [0x0d, 0x0a];
/** Hexadecimal digits of the size of a chunk that is made here, and the line break behind them. */
const DIGITS = 8;
const START = DIGITS + 2;
const LAST = Buffer.from('0\r\n');
const NONE = Buffer.alloc(0);
/** Bytes of leading zeros and extensions in the chunks of a body: a server ought to bound them (RFC 9112 section 7.1.1). */
const EXTRA = 16_384;
/** Bytes of the line of a chunk without them: 13 digits, the most that JavaScript counts exactly, and the line break. */
const LINE = 15;

const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'; // RFC 9110 section 5.6.4
const EXTENSIONS = `(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*`;
/** The line of a chunk (RFC 9112 section 7.1), without the whitespace that only bad senders generate. */
const SIZE_LINE = new RegExp(`^0*([\\da-f]{1,13})${EXTENSIONS}\\r\\n$`, 'i');

/** What the parser may read of the bytes that have arrived. */
export interface Part {
  /** How many of the bytes. */
  readonly length: number;
  /** What the parser reads in their place; undefined: the bytes as they are. */
  readonly joined?: Buffer;
  /** Bytes of the head that ends here; undefined: none does. */
  readonly head?: number;
  /** If the connection must be closed. */
  readonly problem?: Problem | undefined;
}

/**
 * Finds where the requests of a connection end (RFC 9112 section 6). The parser gets one head at a time, so that each is judged
 * before it is parsed.
 */
export class MessageFraming {
  /** The part of the current head that is parsed, in latin1. */
  private head = '';
  /** The last bytes of the current head or trailers, in latin1: a blank line may lie in two segments. */
  private tail = '';
  /** Bytes of the current body that are not parsed, if it does not come in chunks. */
  private left = 0;
  private chunks: Chunks | undefined;

  /** Whether a part of a head is parsed. */
  get isInHead(): boolean {
    return this.head !== '';
  }

  /** What is wrong with the head that the parser has rejected; undefined if that is not known. */
  judgeRejected(): Problem | undefined {
    const judged = this.head === '' ? 0 : judgeHead(`${this.head}\r\n\r\n`);
    return typeof judged === 'number' ? undefined : judged;
  }

  /** The next part of a head, with the part of its body that has arrived: to parse them together takes less time. */
  ofHead(bytes: Buffer): Part {
    if (this.head === '') {
      const start = skipLines(bytes);
      if (start > 0) return { length: start, joined: NONE };
    }
    const text = bytes.toString('latin1', 0, HEAD_PART);
    // Not the head as a whole: to search in it takes its time again for each part.
    const sought = this.tail + text;
    const at = sought.indexOf(BLANK_LINE);
    if (at < 0) {
      this.head += text;
      this.tail = sought.slice(1 - BLANK_LINE.length);
      return { length: Math.min(HEAD_PART, bytes.length) };
    }
    const end = at + BLANK_LINE.length - this.tail.length;
    const head = this.head + text.slice(0, end);
    this.tail = '';
    const judged = judgeHead(head);
    const problem = typeof judged === 'object' ? judged : head.startsWith('CONNECT ') ? NO_PROXY : undefined;
    const length = typeof judged === 'object' ? 0 : judged;
    return { length: Math.min(end + length, bytes.length), head: end, problem };
  }

  /**
   * Begins what follows a head.
   *
   * @param headers those of a request whose body has not arrived as a whole
   * @param arrived bytes of the body that are parsed already
   */
  endHead(headers?: IncomingHttpHeaders, arrived = 0): void {
    this.head = '';
    if (!headers) return;
    const { 'transfer-encoding': coding, 'content-length': declared } = headers;
    this.chunks = coding === undefined ? undefined : new Chunks();
    this.left = coding === undefined ? Number(declared) - arrived : 0;
  }

  /** The next part of a body. */
  ofBody(bytes: Buffer): Part {
    if (!this.chunks) {
      const length = Math.min(this.left, bytes.length);
      this.left -= length;
      return { length };
    }
    if (!this.chunks.ended) {
      this.tail = '\r\n'; // of the line of the last chunk
      return this.chunks.join(bytes);
    }
    const end = this.endOfBlankLine(bytes);
    const length = end < 0 ? bytes.length : end;
    this.tail = (this.tail + bytes.toString('latin1', Math.max(0, length - 3), length)).slice(-3);
    return { length };
  }

  /** Ends a body. */
  endBody(): void {
    this.tail = '';
  }

  /** The index behind the first blank line; -1 if there is none. */
  private endOfBlankLine(bytes: Buffer): number {
    if (this.tail !== '') {
      const seam = (this.tail + bytes.toString('latin1', 0, 3)).indexOf(BLANK_LINE);
      if (seam >= 0) return seam + BLANK_LINE.length - this.tail.length;
    }
    const at = bytes.indexOf(BLANK_LINE);
    return at < 0 ? -1 : at + BLANK_LINE.length;
  }
}

/** The length of the empty lines before a request (RFC 9112 section 2.2). */
function skipLines(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR || bytes[at] === LF) at++;
  return at;
}

/**
 * Joins the chunks of a body that arrive together to one chunk. Node creates objects of some 230 bytes for each chunk: a
 * client that sends chunks of one byte could fill the memory with bodies of the permitted size.
 */
export class Chunks {
  /** Whether the last chunk has arrived. Trailers and an empty line follow. */
  ended = false;
  private line = '';
  /** Bytes of the current chunk that are missing, with the line break behind it. */
  private left = 0;
  private extra = 0;
  private problem: Problem | undefined;

  /** Reads bytes to their end, or to the end of the last chunk. Returns what the parser may read in their place. */
  join(bytes: Buffer): Required<Omit<Part, 'head'>> {
    const joined = Buffer.allocUnsafe(START + bytes.length + 2);
    let end = START;
    let at = 0;
    while (at < bytes.length && !this.ended && !this.problem) {
      if (this.left > 2) {
        const length = bytes.copy(joined, end, at, at + this.left - 2);
        this.left -= length;
        end += length;
        at += length;
      } else if (this.left > 0) {
        if (bytes[at++] !== (this.left-- === 2 ? CR : LF))
          this.reject('a chunk does not have the size that it states');
      } else at = this.readLine(bytes, at);
    }
    const { problem } = this;
    const last = this.ended ? LAST : NONE;
    const size = end - START;
    if (size === 0) return { length: at, joined: last, problem };
    joined.write(`${size.toString(16).padStart(DIGITS, '0')}\r\n`, 'latin1');
    joined.write('\r\n', end, 'latin1');
    const chunk = joined.subarray(0, end + 2);
    return { length: at, joined: this.ended ? Buffer.concat([chunk, last]) : chunk, problem };
  }

  /** Reads the line before a chunk, or a part of it. Returns the index behind it. */
  private readLine(bytes: Buffer, start: number): number {
    const feed = bytes.indexOf(LF, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    if (this.extra + this.line.length + end - start > EXTRA + LINE) {
      this.reject('the extensions of the chunks are too long');
      return end;
    }
    this.line += bytes.toString('latin1', start, end);
    if (feed < 0) return end;
    const digits = SIZE_LINE.exec(this.line)?.[1];
    if (digits === undefined) this.reject('a chunk does not begin with its size');
    else {
      this.extra += this.line.length - digits.length - 2;
      const size = parseInt(digits, 16);
      if (size === 0) this.ended = true;
      else this.left = size + 2;
    }
    this.line = '';
    return end;
  }

  private reject(reason: string): void {
    this.problem = new Problem('malformed', `the body of the request is not well-formed: ${reason}`);
  }
}
