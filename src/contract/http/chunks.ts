import { Problem } from '../problem';
import { TOKEN } from './head';

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

interface Joined {
  /** The number of bytes that were read. */
  readonly read: number;
  readonly joined: Buffer;
  /** `malformed` if the connection must be closed. */
  readonly problem: Problem | undefined;
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
  join(bytes: Buffer): Joined {
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
          this.refuse('a chunk is not of the size it states');
      } else at = this.readLine(bytes, at);
    }
    const { problem } = this;
    const last = this.ended ? LAST : NONE;
    const size = end - START;
    if (size === 0) return { read: at, joined: last, problem };
    joined.write(`${size.toString(16).padStart(DIGITS, '0')}\r\n`, 'latin1');
    joined.write('\r\n', end, 'latin1');
    return { read: at, joined: Buffer.concat([joined.subarray(0, end + 2), last]), problem };
  }

  /** Reads the line before a chunk, or a part of it. Returns the index behind it. */
  private readLine(bytes: Buffer, start: number): number {
    const feed = bytes.indexOf(LF, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    if (this.extra + this.line.length + end - start > EXTRA + LINE) {
      this.refuse('the extensions of the chunks are too long');
      return end;
    }
    this.line += bytes.toString('latin1', start, end);
    if (feed < 0) return end;
    const digits = SIZE_LINE.exec(this.line)?.[1];
    if (digits === undefined) this.refuse('a chunk does not begin with its size');
    else {
      this.extra += this.line.length - digits.length - 2;
      const size = parseInt(digits, 16);
      if (size === 0) this.ended = true;
      else this.left = size + 2;
    }
    this.line = '';
    return end;
  }

  private refuse(reason: string): void {
    this.problem = new Problem('malformed', `the body of the request is not well-formed: ${reason}`);
  }
}
