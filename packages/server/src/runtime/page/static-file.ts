import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { type Headers, preferredCoding, Problem, unsupported } from '../../contract';

type Encode = (bytes: Buffer) => Promise<Buffer>;
const brotli = promisify(brotliCompress);

/** The content codings (RFC 9110 section 8.4.1). */
const CODINGS = {
  // The quality 5 takes as long as gzip; 11, the default, a hundred times as long.
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
  identity: (bytes) => Promise.resolve(bytes),
} satisfies Record<string, Encode>;
type Coding = keyof typeof CODINGS;
const OFFERED: readonly Coding[] = ['br', 'gzip', 'identity'];

interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * Serves a file from memory, in the content coding that the client prefers (RFC 9110 section 12.5.3). It is read and
 * compressed once, at its first use: a response holds no file descriptor.
 */
export function staticFile(
  load: () => Promise<Buffer>,
  type: string,
  headers: () => Headers,
): RequestHandler {
  const made = new Map<Coding, Promise<Representation>>();
  async function make(coding: Coding): Promise<Representation> {
    const bytes =
      coding === 'identity' ? await load() : await CODINGS[coding]((await represent('identity')).bytes);
    return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
  }
  function represent(coding: Coding): Promise<Representation> {
    const known = made.get(coding) ?? make(coding);
    made.set(coding, known);
    known.catch(() => made.delete(coding));
    return known;
  }
  return async (request, response) => {
    response.vary('Accept-Encoding');
    const accepted = request.headers['accept-encoding'];
    const coding = preferredCoding(accepted, OFFERED);
    if (!coding) throw new Problem('notAcceptable', unsupported('Accept-Encoding', accepted ?? '', OFFERED));
    const { bytes, etag } = await represent(coding);
    if (coding !== 'identity') response.set('Content-Encoding', coding);
    response.set({ 'X-Content-Type-Options': 'nosniff', ...headers(), ETag: etag });
    response.type(type).send(bytes);
  };
}
