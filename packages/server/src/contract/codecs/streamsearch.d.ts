/** The search of @fastify/busboy for the delimiters of multipart bodies, which has no types of its own. */
declare module '@fastify/busboy/deps/streamsearch/sbmh' {
  /** The bytes before a match, or those that cannot be part of one; `data` is reused for the next chunk if it is another. */
  type Found = (isMatch: boolean, data?: Buffer, start?: number, end?: number) => void;

  class StreamSearch {
    /** @param needle at most 256 bytes */
    constructor(needle: string);
    on(event: 'info', found: Found): this;
    /** Calls `found` before it returns. */
    push(chunk: Buffer): void;
  }
  export = StreamSearch;
}
