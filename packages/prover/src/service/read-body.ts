import type { Received } from '../target';

/** The input of a handler with each file and stream in it read, and the input with streams that begin again. */
export interface ReadInput {
  /** Files and bytes are a Uint8Array, and items are an array. */
  readonly seen: Received;
  readonly passed: Received;
}

/** The input whose body is read whole; undefined if there is nothing to read. */
export function readBody(request: Received): Promise<ReadInput> | undefined {
  const { body } = request;
  const as = (seen: unknown, passed: unknown): ReadInput => ({
    seen: { ...request, body: seen },
    passed: Object.assign(request, { body: passed }), // a copy would lack the getters of its class
  });
  if (body instanceof ReadableStream)
    return new Response(body).blob().then(async (blob) => {
      const { seen, passed } = as(await blob.bytes(), blob.stream());
      return { seen: { ...seen, isStream: true }, passed };
    });
  if (typeof body !== 'object' || body === null) return undefined;
  if (Symbol.asyncIterator in body)
    return itemsOf(body as AsyncIterable<unknown>).then((items) => as(items, from(items)));
  return hasFile(body) ? withoutFiles(body).then((seen) => as(seen, body)) : undefined;
}

async function itemsOf(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const item of items) read.push(item);
  return read;
}

const from = (items: readonly unknown[]): AsyncIterable<unknown> => ReadableStream.from(items);

const hasFile = (value: unknown): boolean =>
  value instanceof Blob ||
  (typeof value === 'object' && value !== null && Object.values(value).some(hasFile));

/** The value with the bytes of each file in its place. */
async function withoutFiles(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return value.bytes();
  if (Array.isArray(value)) return Promise.all(value.map(withoutFiles));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    async ([name, member]) => [name, await withoutFiles(member)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}
