import type { IncomingMessage, ServerResponse } from 'node:http';
import contract from '../../generated/openapi.json';
import type { Plant, PlantStore } from '../../src/plants/plant-store';
import { openExample } from '../../tests/contract/scenarios';
import { type Parts, service } from '../../tests/contract/service';
import { type Family, type JsonObject, objectAt } from 'contract-first-prover';

/** The tokens of the service under test: one that it accepts, and one that it refuses. */
export const { valid: TOKEN = '', invalid: WRONG_TOKEN = '' } = service().credentials['bearerAuth'] ?? {};

/** The families of cases one of which must fail. */
type Families = Family | `${Family}, ${Family}`;

/** Faults by the families of cases that are there for them, and by their names. */
export type Table<T> = Readonly<Partial<Record<Families, Readonly<Record<string, T>>>>>;

export const mutants = <T = Fault>(table: Table<T>) =>
  Object.entries(table).flatMap(([families, faults]) =>
    Object.entries(faults).map(([name, parts]) => ({
      name,
      families: families.split(', ') as Family[],
      parts,
    })),
  );

/** One part of the server, broken. */
export type Fault = Partial<Parts>;

/** A fault of what stands before the application. */
export type Wrapped = Required<Pick<Parts, 'wrap'>>;

/** A server that is given another document than the one it is judged by. `pointer` is where `change` is let loose. */
export function document(pointer: string, change: (node: JsonObject) => void): Fault {
  const copy = structuredClone(contract) as JsonObject;
  change(objectAt(copy, pointer));
  return { document: copy };
}

/** A server whose store does this to `create`, its other methods sound. */
export const store = (
  create: (sound: PlantStore, plant: Plant) => ReturnType<PlantStore['create']>,
): Fault => ({
  open: async () => {
    const { store: sound, ...dependencies } = await openExample();
    return { ...dependencies, store: { ...sound, create: (plant: Plant) => create(sound, plant) } };
  },
});

/** A server before which something changes the head of each request. */
export const request = (change: (request: IncomingMessage) => void): Wrapped => ({
  wrap: (application) => (incoming, response) => {
    const { ...before } = incoming.headers;
    change(incoming);
    for (const [name, value] of Object.entries(incoming.headers))
      if (value !== before[name]) replaceLines(incoming.rawHeaders, name, String(value));
    application(incoming, response);
  },
});

/** Changes or removes the lines of a header, which the server reads as they were sent. */
export function replaceLines(rawHeaders: string[], name: string, value?: string): void {
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2)
    if (rawHeaders[i]?.toLowerCase() === name) rawHeaders.splice(i, 2);
  if (value !== undefined) rawHeaders.push(name, value);
}

/** A server before which something changes the body of each request, once it is there. */
export const body = (change: (text: string, request: IncomingMessage) => string | Buffer): Wrapped =>
  request((incoming) => {
    const chunks: Buffer[] = [];
    const emit = incoming.emit.bind(incoming);
    const changed = (): Buffer =>
      Buffer.from(change(Buffer.concat(chunks.splice(0)).toString('latin1'), incoming) as string, 'latin1');
    // The server reads a body that is there at once. To read a chunk emits it, too.
    const read = incoming.read.bind(incoming);
    incoming.read = (size?: number): unknown => {
      if (incoming.listenerCount('data') > 0) return read(size);
      while (read() !== null);
      return chunks.length > 0 ? changed() : null;
    };
    incoming.emit = (event: string, ...values: unknown[]) => {
      if (event === 'data') return chunks.push(values[0] as Buffer) > 0;
      if (event === 'end' && chunks.length > 0) {
        emit('data', changed());
      }
      return emit(event, ...values);
    };
  });

export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: string;
}

/** A server behind which something changes each answer. */
export const answer = (change: (answer: Answer, request: IncomingMessage) => void): Wrapped => ({
  wrap: (application) => (incoming, response) => {
    intercept(incoming, response, change);
    application(incoming, response);
  },
});

function intercept(
  incoming: IncomingMessage,
  response: ServerResponse,
  change: Parameters<typeof answer>[0],
): void {
  const writeHead = response.writeHead.bind(response);
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const held: Answer = { status: 0, headers: {}, body: '' };
  let sent = false;
  const flush = (chunk: string | Uint8Array | undefined): void => {
    if (sent) return;
    sent = true;
    held.body = chunk === undefined ? '' : Buffer.from(chunk as string).toString();
    change(held, incoming);
    writeHead(held.status, { ...held.headers, 'Content-Length': Buffer.byteLength(held.body) });
    write(held.body);
  };
  Object.assign(response, {
    writeHead: (status: number, fields: readonly string[] | Readonly<Record<string, string>>) => {
      const isList = (given: typeof fields): given is readonly string[] => Array.isArray(given);
      // Names and values in turn.
      const pairs = isList(fields)
        ? fields.flatMap((name, i) => (i % 2 === 0 ? [[name, String(fields[i + 1])]] : []))
        : Object.entries(fields);
      const headers: Record<string, string> = Object.fromEntries(pairs) as Record<string, string>;
      Object.assign(held, { status, headers });
      return response;
    },
    write: (chunk: string) => {
      flush(chunk);
      return true;
    },
    end: (chunk?: string) => {
      flush(chunk);
      return end();
    },
  });
}

/** Changes the JSON object in the body of an answer. */
export const json = (change: (body: JsonObject, answer: Answer, request: IncomingMessage) => void): Fault =>
  answer((given, incoming) => {
    if (given.body === '') return;
    const value = JSON.parse(given.body) as JsonObject;
    change(value, given, incoming);
    given.body = JSON.stringify(value);
  });
