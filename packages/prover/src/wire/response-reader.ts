import { codecOf, sequenceOf } from '../document/media';
import { decode } from './codings';
import { header, headerItems, Malformed, type Outcome, quoted, type RawResponse } from './message';

/** Bytes of all that a server sends beside the content: interim responses, heads, trailers. */
const MAX_HEAD_BYTES = 65_536;

/** Bytes of a line that announces a chunk, with its extensions. */
const MAX_CHUNK_LINE_BYTES = 4096;

/** Bytes of the content, as it is sent and without each content coding. */
const MAX_CONTENT_BYTES = 10_000_000;

/** Bytes of a stream that are read: it may be endless. */
const MAX_STREAM_BYTES = 1_000_000;

/** Reads one response (RFC 9112). The work is linear in the bytes, and the bytes are bounded. */
interface ResponseReader {
  /** Takes the next bytes. Returns the outcome as soon as it is certain. */
  readonly take: (bytes: Buffer) => Outcome | undefined;
  /** The outcome when the server has ended the connection in order, which ends a body without a length. */
  readonly end: () => Outcome;
  /** The outcome when no more bytes can come, for another reason. */
  readonly lacking: (reason: string) => Outcome;
  /** The start of a stream or of a file that is on its way, if the prover waits no longer; undefined for other contents. */
  readonly leave: (reason: string) => Outcome | undefined;
  /** Whether the content of a stream is on its way. */
  readonly isStream: () => boolean;
}

/** Takes some of the bytes that have arrived. Returns false if it needs more. */
type Step = () => boolean;

/** Receives a part of the content, without the framing, in its codings. Returns false to end the exchange there. */
export type OnContent = (piece: Buffer) => boolean;

/** @param onContent in the place of the content of the outcome, which is empty then: it may be endless */
export function createResponseReader(method: string, onContent?: OnContent): ResponseReader {
  let rest: Buffer = Buffer.alloc(0);
  let total = 0;
  /** The start of a line whose end has not arrived. */
  let line: Buffer[] = [];
  let lineBytes = 0;
  let headBytes = 0;
  let status = 0;
  let version = '';
  let headers: [name: string, value: string][] = [];
  let content = Buffer.alloc(0);
  let contentBytes = 0;
  /** Bytes of the content, or of its chunk, that are still to come. */
  let remaining = 0;
  let step: Step = readStatusLine;
  let outcome: Outcome | undefined;
  /** What is on its way, if its start says as much as the whole: a file is not judged, a stream may be endless. */
  let divisible: 'stream' | 'file' | undefined;

  function skip(bytes: number): Buffer {
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes);
    return taken;
  }

  /**
   * The next line without its end; undefined if it has not arrived.
   *
   * @param before the bytes that count against the limit too
   */
  function takeLine(what: string, limit: number, before = 0): string | undefined {
    const end = rest.indexOf(0x0a);
    const piece = skip(end < 0 ? rest.length : end + 1);
    line.push(piece);
    lineBytes += piece.length;
    if (before + lineBytes > limit) throw new Malformed(`${what} of more than ${limit} bytes`);
    if (end < 0) return undefined;
    const text = Buffer.concat(line).toString('latin1');
    line = [];
    lineBytes = 0;
    if (text.endsWith('\r\n')) return text.slice(0, -2);
    throw new Malformed(`a line that ends without CR, ${quoted(text)} (RFC 9112 section 2.2)`);
  }

  function takeHeadLine(what: string): string | undefined {
    const text = takeLine(what, MAX_HEAD_BYTES, headBytes);
    if (text !== undefined) headBytes += text.length + 2;
    return text;
  }

  function readStatusLine(): boolean {
    const text = takeHeadLine('a head, with the interim responses before it,');
    if (text === undefined) return false;
    const [, found, code] = /^HTTP\/(1\.[01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(text) ?? [];
    if (found === undefined)
      throw new Malformed(`${quoted(text)} in the place of a status line (RFC 9112 section 4)`);
    version = found;
    status = Number(code);
    headers = [];
    step = readHeaders;
    return true;
  }

  function readHeaders(): boolean {
    const text = takeHeadLine('a head, with the interim responses before it,');
    if (text === undefined) return false;
    if (text !== '') headers.push(fieldOf(text));
    else if (status === 101)
      throw new Malformed('101, though the request asked for no other protocol (RFC 9110 section 7.8)');
    else if (status < 200) step = readStatusLine;
    else startContent();
    return true;
  }

  /** How the content ends (RFC 9112 section 6.3). */
  function startContent(): void {
    const length = lengthOf(headers, version);
    const type = header({ headers }, 'content-type');
    if (type !== undefined && status < 300) {
      if (sequenceOf(type)) divisible = 'stream';
      else if (['binary', 'multipart'].includes(codecOf(type))) divisible = 'file';
    }
    if (method === 'HEAD' || status === 204 || status === 304) step = finish;
    else if (length === 'chunked') step = readChunkLine;
    else {
      remaining = length ?? Infinity;
      if (length !== undefined) assertBounded(length);
      step = readContent(finish);
    }
  }

  /** Copies the piece: pieces of one byte would take a hundred times their size. */
  function append(received: Buffer): void {
    if (onContent) {
      if (received.length > 0 && !onContent(received)) outcome = { status, headers, body: Buffer.alloc(0) };
      return;
    }
    assertBounded(contentBytes + received.length);
    const limit = divisible === 'stream' ? MAX_STREAM_BYTES : MAX_CONTENT_BYTES;
    const piece = received.subarray(0, limit - contentBytes);
    if (contentBytes + piece.length > content.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * content.length, contentBytes + piece.length));
      content.copy(larger);
      content = larger;
    }
    contentBytes += piece.copy(content, contentBytes);
    if (divisible && contentBytes === limit) cut('prover', `it read ${limit} bytes`);
  }

  const whole = (isStart: boolean): RawResponse => {
    const body = decode(headers, content.subarray(0, contentBytes), MAX_CONTENT_BYTES, isStart);
    return { status, headers, body };
  };

  function cut(by: 'prover' | 'server', reason: string): void {
    outcome = { ...whole(true), cut: { by, reason } };
  }

  const readContent =
    (next: Step): Step =>
    () => {
      const piece = skip(Math.min(remaining, rest.length));
      remaining -= piece.length;
      append(piece);
      if (remaining === 0) step = next;
      return remaining === 0;
    };

  function readChunkLine(): boolean {
    const text = takeLine('a line with the size of a chunk', MAX_CHUNK_LINE_BYTES);
    if (text === undefined) return false;
    const size = /^([\da-f]+)[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i.exec(text)?.[1];
    if (size === undefined)
      throw new Malformed(`${quoted(text)} in the place of the size of a chunk (RFC 9112 section 7.1)`);
    remaining = parseInt(size, 16);
    assertBounded(contentBytes + remaining);
    step = remaining === 0 ? readTrailers : readContent(readChunkEnd);
    return true;
  }

  function readChunkEnd(): boolean {
    const text = takeLine('a chunk that is longer than its size', 2);
    if (text !== undefined) step = readChunkLine;
    return text !== undefined;
  }

  function readTrailers(): boolean {
    const text = takeHeadLine('trailers, with the head before them,');
    if (text === undefined) return false;
    if (text === '') step = finish;
    else fieldOf(text);
    return true;
  }

  function finish(): boolean {
    if (rest.length > 0)
      throw new Malformed(
        `${quoted(rest.toString('latin1', 0, 60))} after the end of the response (RFC 9112 section 6.3)`,
      );
    outcome = whole(false);
    return false;
  }

  function assertBounded(bytes: number): void {
    if (bytes > MAX_CONTENT_BYTES && !onContent && !divisible)
      throw new Malformed(`a body of more than ${MAX_CONTENT_BYTES} bytes`);
  }

  /** Turns a malformed response into an outcome. */
  function guard(work: () => void): Outcome | undefined {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      outcome = { noResponse: `a malformed one: ${error.message}`, isMalformed: true };
    }
    return outcome;
  }

  const lacking = (reason: string): Outcome => {
    const start =
      divisible === 'stream'
        ? guard(() => {
            cut('server', reason);
          })
        : undefined;
    if (start) return start;
    if (total === 0) return { noResponse: `none: ${reason}` };
    const isHead = step === readStatusLine || step === readHeaders;
    const place = isHead ? 'without the end of its head' : `status ${status}, without the end of its body`;
    return { noResponse: `an incomplete one (${place}): ${reason}`, isMalformed: true };
  };

  return {
    take: (bytes) =>
      outcome ??
      guard(() => {
        total += bytes.length;
        rest = bytes;
        while (step()) if (outcome) return;
      }),
    end: () =>
      outcome ??
      guard(() => {
        if (remaining === Infinity) finish();
      }) ??
      lacking('the connection was closed'),
    lacking,
    leave: (reason) =>
      divisible &&
      guard(() => {
        cut('prover', reason);
      }),
    isStream: () => divisible === 'stream',
  };
}

/** A field line (RFC 9112 section 5). */
function fieldOf(line: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+\-.^_`|~\da-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/i.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new Malformed(`${quoted(line)} in the place of a header field (RFC 9112 section 5)`);
  return [name, value.trimEnd()];
}

/**
 * The length of the content in bytes; undefined if the end of the connection ends it. What RFC 9112 section 6.1 forbids a
 * server is malformed, though a recipient could guess.
 */
function lengthOf(headers: RawResponse['headers'], version: string): number | 'chunked' | undefined {
  const codings = headerItems({ headers }, 'transfer-encoding');
  const lengths = [...new Set(headerItems({ headers }, 'content-length'))];
  if (codings.length > 0) {
    if (lengths.length > 0)
      throw new Malformed('Transfer-Encoding beside Content-Length (RFC 9112 section 6.2)');
    if (codings.length > 1 || codings[0]?.toLowerCase() !== 'chunked' || version === '1.0')
      throw new Malformed(
        `Transfer-Encoding: ${codings.join(', ')} in HTTP/${version}, which the request does not allow (RFC 9112 section 6.1)`,
      );
    return 'chunked';
  }
  const [length] = lengths;
  if (length === undefined) return undefined;
  if (lengths.length > 1 || !/^\d+$/.test(length))
    throw new Malformed(`Content-Length: ${lengths.join(', ')} (RFC 9110 section 8.6)`);
  return Number(length);
}
