import { type Holder, parseJson, stringifyJson } from 'contract-first-server/tools';
import { type OwnCodec, type OwnStreamCodec, Problem, Unservable } from 'contract-first-server';

const malformed = (name: string, reason: string) =>
  new Problem('malformed', `the body is not well-formed ${name}: ${reason}`);

/** NDJSON (https://github.com/ndjson/ndjson-spec): an array with one JSON value a line. */
export const ndjson: OwnCodec = {
  name: 'NDJSON',
  mediaTypes: ['application/x-ndjson'],
  isText: true,
  compile: (value) => {
    if (value.types()?.includes('array') === false)
      throw new Unservable('NDJSON carries arrays: use type array');
    return {
      decode(text) {
        const items: unknown[] = [];
        for (const line of text.split('\n')) {
          if (line !== '') parseJson(line, items as unknown[] & Holder, items.length);
        }
        return items;
      },
      encode: encodeLines,
    };
  },
};

export const encodeLines = (items: unknown): string =>
  (items as unknown[]).map((item) => `${stringifyJson(item)}\n`).join('');

/** CSV without quotes (RFC 4180). The first line has the names; with the parameter `header=absent` they are `a,b`. */
export const csv: OwnCodec = {
  name: 'CSV',
  mediaTypes: ['text/csv'],
  isText: true,
  compile(value) {
    const row = value.item(0);
    const read = (name: string, text: string): unknown => {
      const types = row.property(name).types() ?? [];
      if (types.includes('number') && /^-?\d+$/.test(text)) return BigInt(text);
      return types.includes('boolean') ? text === 'true' : text;
    };
    return {
      decode(text, { parameters }) {
        const [head = [], ...lines] = text.split('\n').map((line) => line.split(','));
        const absent = parameters.get('header') === 'absent';
        const names = absent ? row.propertyNames() : head;
        return (absent ? [head, ...lines] : lines).map((cells) => {
          if (cells.length !== names.length)
            throw malformed('CSV', `expected ${names.length} cells in each row`);
          return Object.fromEntries(
            cells.map((cell, i): [string, unknown] => [names[i] ?? '', read(names[i] ?? '', cell)]),
          );
        });
      },
      encode: encodeCsv,
    };
  },
};

export function encodeCsv(value: unknown): string {
  const rows = value as Record<string, unknown>[];
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => String(row[name])))].map(String).join('\n');
}

/** A part of CBOR (RFC 8949): integers, texts, arrays, maps, simple values and doubles. */
export const cbor: OwnCodec = {
  name: 'CBOR',
  mediaTypes: ['application/cbor', 'application/*+cbor'],
  isText: false,
  compile: () => ({
    decode(bytes) {
      const reader = new CborReader(Buffer.from(bytes));
      const value = reader.item();
      if (!reader.ended) throw malformed('CBOR', 'something follows its item');
      return value;
    },
    encode: encodeCbor,
  }),
};

export const encodeCbor = (value: unknown): Buffer => Buffer.concat(encodeItem(value));

class CborReader {
  private at = 0;
  constructor(private readonly bytes: Buffer) {}

  get ended(): boolean {
    return this.at === this.bytes.length;
  }

  item(): unknown {
    const [head = 0] = this.take(1);
    const [major, info] = [head >> 5, head & 31];
    if (major === 7 && info < 24) return { 20: false, 21: true, 22: null }[info];
    const length = info < 24 ? 0 : 2 ** (info - 24);
    if (length > 8) throw malformed('CBOR', 'an item has no length');
    const operand = this.take(length);
    if (major === 7) return operand.readDoubleBE();
    const argument = length === 0 ? BigInt(info) : BigInt(`0x${operand.toString('hex')}`);
    if (major < 2) return major === 0 ? argument : -1n - argument;
    const size = Number(argument);
    if (major === 3) return this.take(size).toString();
    if (size > this.bytes.length) throw malformed('CBOR', 'it ends early');
    if (major === 4) return Array.from({ length: size }, () => this.item());
    return Object.fromEntries(Array.from({ length: size }, () => [String(this.item()), this.item()]));
  }

  private take(length: number): Buffer {
    const part = this.bytes.subarray(this.at, this.at + length);
    if (part.length < length) throw malformed('CBOR', 'it ends early');
    this.at += length;
    return part;
  }
}

function encodeItem(value: unknown): Buffer[] {
  if (typeof value === 'string') return [head(3, BigInt(Buffer.byteLength(value))), Buffer.from(value)];
  if (typeof value === 'bigint' || Number.isInteger(value)) {
    const integer = BigInt(value as bigint | number);
    return [integer < 0n ? head(1, -1n - integer) : head(0, integer)];
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, 0xfb);
    bytes.writeDoubleBE(value, 1);
    return [bytes];
  }
  if (typeof value === 'boolean') return [Buffer.from([value ? 0xf5 : 0xf4])];
  if (typeof value !== 'object' || value === null) return [Buffer.from([0xf6])];
  if (Array.isArray(value)) return [head(4, BigInt(value.length)), ...value.flatMap(encodeItem)];
  const entries = Object.entries(value);
  return [head(5, BigInt(entries.length)), ...entries.flat().flatMap(encodeItem)];
}

function head(major: number, argument: bigint): Buffer {
  const bytes = Buffer.alloc(9, (major << 5) | 27);
  bytes.writeBigUInt64BE(argument, 1);
  return bytes;
}

/** Bytes, piece by piece. */
export const bytes: OwnStreamCodec = {
  name: 'bytes',
  mediaTypes: ['application/octet-stream'],
  isText: false,
  isStream: true,
  compile: () => ({
    decode: (body) => body,
    async *encode(items) {
      for await (const item of items) {
        if (!(item instanceof Uint8Array)) throw new TypeError('expected bytes');
        yield item;
      }
    },
  }),
};

/** A JSON value a line, item by item. */
export const lines: OwnStreamCodec = {
  name: 'lines',
  mediaTypes: ['application/jsonl'],
  isText: true,
  isStream: true,
  compile: () => ({
    decode: (body) => readLines(body),
    async *encode(items) {
      for await (const item of items) yield `${stringifyJson(item)}\n`;
    },
  }),
};

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator {
  let rest = '';
  for await (const piece of body) {
    const texts = (rest + Buffer.from(piece).toString()).split('\n');
    rest = texts.pop() ?? '';
    yield* texts.map(valueOf);
  }
  if (rest !== '') yield valueOf(rest);
}

function valueOf(text: string): unknown {
  const holder: Holder = {};
  parseJson(text, holder, 'value');
  return holder['value'];
}
