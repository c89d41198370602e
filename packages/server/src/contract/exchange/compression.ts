/**
 * Compresses responses that are known at once, by the Accept-Encoding of their requests (RFC 9110 section 12.5.3). What is sent
 * piece by piece stays as it is, so that no piece waits and a part can be asked for again; so do types that are compressed.
 */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { vary } from '../http/header-field';
import { essenceOf, preferredCoding } from '../http/media-type';
import type { Operation } from '../operations/operations';
import type { Answer } from '../problem';
import { fits } from './problem-overlay';
import type { Encoded } from './write-response';
import type { ServedOperation } from './served-operation';

type Coding = 'br' | 'gzip';
const OFFERED: readonly (Coding | 'identity')[] = ['br', 'gzip', 'identity'];
// Quality 5 takes as long as gzip; 11, the default, a hundred times as long.
const PARAMS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const brotli = promisify(brotliCompress);
const CODERS: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  br: (bytes) => brotli(bytes, PARAMS),
  gzip: promisify<Uint8Array, Buffer>(gzip),
};

/** Bytes below which a response fits into one packet anyway. */
const LEAST = 1_024;
/** Compressions at a time. Each takes up to some megabytes: beyond that responses are sent as they are. */
const MOST = 32;
const COMPRESSIBLE =
  /^text\/|[/+](json|xml|yaml|javascript|graphql|jsonl|ndjson|x-ndjson|x-jsonlines|json-seq)$|^application\/(x-www-form-urlencoded|wasm)$/;
/** Events are read as they come, whatever the client says. */
const EVENTS = 'text/event-stream';

let underWay = 0;

/** Whether a client does not accept a response without a coding: `identity;q=0`, or `*;q=0`. */
const needsCoding = (accepted: string | undefined): boolean =>
  accepted?.includes('0') === true && preferredCoding(accepted, ['identity']) === undefined;

/** A response, and the coding in which it is sent. */
interface Negotiated {
  /** That of the handler, with the tag that is sent. */
  readonly answer: Answer;
  readonly encoded: Encoded;
  readonly coding: Coding | undefined;
}

/**
 * Chooses the coding of a response, and says so in its header fields.
 *
 * @param answer that of the handler
 */
export function negotiateCoding(
  request: IncomingMessage,
  served: ServedOperation,
  answer: Answer,
  encoded: Encoded,
): Negotiated {
  const { headers, body } = encoded;
  const asIs = { answer, coding: undefined, encoded };
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return asIs;
  const accepted = request.headers['accept-encoding'];
  const must = needsCoding(accepted);
  if ((body.length < LEAST && !must) || !isFree(served.operation, encoded, must)) return asIs;
  const sent = { ...headers };
  vary(sent, 'Accept-Encoding');
  const coding = accepted === undefined ? 'identity' : preferredCoding(accepted, OFFERED);
  const plain = { ...asIs, encoded: { ...encoded, headers: sent } };
  if (coding === undefined || coding === 'identity') return plain;
  const weak = weakTag(headers);
  // The document may know strong tags only. That of a hook need not be documented.
  const own = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name, weak?.[name] ?? value]),
  );
  const weakened = { ...answer, headers: own };
  if (weak && !fits(served, weakened)) return plain;
  return { answer: weakened, coding, encoded: { ...encoded, headers: { ...sent, ...weak } } };
}

/** The ETag header as a weak one, because each coding has other bytes (section 8.8.1); undefined if none is strong. */
function weakTag(headers: Encoded['headers']): Readonly<Record<string, string>> | undefined {
  const [name, tag] = Object.entries(headers).find(([name]) => /^etag$/i.test(name)) ?? [];
  return name !== undefined && typeof tag === 'string' && tag.startsWith('"')
    ? { [name]: `W/${tag}` }
    : undefined;
}

/** Whether nothing but the wish of the client is against a coding. */
function isFree({ responses }: Operation, { headers, isBytes, status }: Encoded, must: boolean): boolean {
  if (status === 206 || (isBytes && responses.has('206'))) return false;
  for (const [name, value] of Object.entries(headers)) {
    // A digest is one of the bytes that are sent (RFC 9530).
    if (/^(content-(encoding|range|digest|md5)|(repr-)?digest)$/i.test(name)) return false;
    if (/^cache-control$/i.test(name) && /\bno-transform\b/i.test(String(value))) return false;
  }
  const type = essenceOf(String(headers['Content-Type']));
  return type !== EVENTS && (must || COMPRESSIBLE.test(type));
}

/** Encodes the body. */
export async function compress(encoded: Encoded, coding: Coding): Promise<Encoded> {
  const { body } = encoded;
  if ((typeof body !== 'string' && !(body instanceof Uint8Array)) || underWay >= MOST) return encoded;
  underWay++;
  try {
    const bytes = await CODERS[coding](typeof body === 'string' ? Buffer.from(body) : body);
    return { ...encoded, headers: { ...encoded.headers, 'Content-Encoding': coding }, body: bytes };
  } finally {
    underWay--;
  }
}
