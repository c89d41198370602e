import * as zlib from 'node:zlib';
import { headerItems, Malformed, type RawResponse } from './message';

interface Options {
  readonly maxOutputLength: number;
  /** Set for the start of a content. */
  readonly finishFlush?: number;
}

type Decode = (body: Buffer, options: Options) => Buffer;

/** Content codings that a server may apply although nobody asked for one (RFC 9110 section 12.5.3). */
const DECODERS: ReadonlyMap<string, Decode> = new Map(
  Object.entries<Decode>({
    gzip: zlib.gunzipSync,
    'x-gzip': zlib.gunzipSync,
    br: (body, { finishFlush, ...options }) =>
      zlib.brotliDecompressSync(body, {
        ...options,
        ...(finishFlush !== undefined && { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
      }),
    // Not every version of Node that runs the prover has it.
    ...('zstdDecompressSync' in zlib && { zstd: zlib.zstdDecompressSync }),
    // Some servers send a deflate stream without the zlib format.
    deflate: (body, options) =>
      ((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(body, options) : zlib.inflateRawSync(body, options),
    identity: (body) => body,
  }),
);

/** Whether the prover removes a content coding. */
export const isDecodable = (coding: string): boolean => DECODERS.has(coding);

/** No server has a reason to apply more, and each costs as much as the largest content. */
const MAX_CODINGS = 3;

/**
 * The content without its content codings (RFC 9110 section 8.4).
 *
 * @param limit bytes after each of them
 * @param isStart whether the body is only the start of the content
 * @throws {Malformed} if it is larger, or cannot be decoded
 */
export function decode(
  headers: RawResponse['headers'],
  body: Buffer,
  limit: number,
  isStart = false,
): Buffer {
  const codings = headerItems({ headers }, 'content-encoding')
    .map((coding) => coding.toLowerCase())
    .filter((coding) => coding !== '');
  if (codings.length === 0 || body.length === 0) return body;
  if (codings.length > MAX_CODINGS)
    throw new Malformed(`${codings.length} content codings, more than ${MAX_CODINGS}`);
  return codings.reduceRight((coded, coding) => {
    const decoder = DECODERS.get(coding);
    if (!decoder) throw new Malformed(`the content coding ${coding}, for which the request did not ask`);
    try {
      return decoder(coded, {
        maxOutputLength: limit,
        ...(isStart && { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
      });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new Malformed(
        code === 'ERR_BUFFER_TOO_LARGE'
          ? `a body of more than ${limit} bytes without its content coding ${coding}`
          : `a body that is not in its content coding ${coding}`,
      );
    }
  }, body);
}
