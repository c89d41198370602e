import { type Holder, MalformedJson } from '../json/parse';
import { joinPointer } from '../document/document';
import { excerpt } from '../json/excerpt';
import {
  type Decode,
  type Entry,
  MalformedText,
  type ObjectReader,
  type ArrayReader,
  type PrimitiveReader,
  type PartsReader,
  Unservable,
} from './parts';
import { compileText, halves, type Written } from './styles';

/** A parameter that is not in its style. The message names it and the fault: `query/limit is given more than once`. */
export class MalformedParameter extends Error {
  override name = 'MalformedParameter';
  /** @param pointer JSON pointer to the value in the request: `/query/limit` */
  constructor(
    message: string,
    readonly pointer: string,
  ) {
    super(message);
  }
}

/** Encoded texts by decoded name. Each reader removes the pairs that it reads. */
export type Pairs = Map<string, string[]>;

/** Reads a value from a part of a request. */
export interface Reader<Source> {
  readonly name: string;
  readonly read: (source: Source, holder: Holder) => void;
}

export interface PairsReader extends Reader<Pairs> {
  /** The names that it always reads. */
  readonly names: readonly string[];
  /** The other names that it reads. */
  readonly others: keyof typeof TURN;
}

/** The order of readers by the names that they accept: the most general last. */
const TURN = { none: 0, prefixed: 1, any: 2 };

/** Rethrows an error. A MalformedText or MalformedJson becomes a MalformedParameter with its place. */
export function rethrow(error: unknown, location: string, ...names: readonly string[]): never {
  const place = [location, ...names.map((name) => excerpt(name))].join('/');
  const pointer = joinPointer('', location, ...names);
  if (error instanceof MalformedText) {
    throw new MalformedParameter(`${place}${error.step} ${error.message}`, pointer);
  }
  if (error instanceof MalformedJson) throw new MalformedParameter(`${place}: ${error.message}`, pointer);
  throw error;
}

/** Reads the values of one location of a request to `holder`. */
export function readAll<Source>(
  place: string,
  readers: readonly Reader<Source>[],
  source: Source,
  holder: Holder = {},
): Holder {
  for (const { name, read } of readers) {
    try {
      read(source, holder);
    } catch (error) {
      rethrow(error, place, name);
    }
  }
  return holder;
}

/** Reads each remaining pair as a separate property, as in an exploded form. */
export function readRest(
  place: string,
  parts: PrimitiveReader | ArrayReader,
  pairs: Pairs,
  holder: Holder,
): void {
  for (const [name, texts] of pairs) {
    try {
      readTexts(parts, texts, holder, name);
    } catch (error) {
      rethrow(error, place, name);
    }
  }
}

/** Reads the texts of one name. An array has one for each item. */
function readTexts(
  parts: PrimitiveReader | ArrayReader,
  texts: readonly string[],
  holder: Holder,
  name: string,
): void {
  const [text, another] = texts;
  if (text === undefined) return;
  if (parts.kind === 'array') parts.read(texts, holder, name);
  else if (another !== undefined) throw new MalformedText('is given more than once');
  else parts.read(text, holder, name);
}

/** Splits a query, a form or cookies. */
export function splitPairs(
  place: string,
  text: string,
  separator: string | RegExp,
  decodeName: Decode,
): Pairs {
  const pairs: Pairs = new Map();
  for (const pair of text.split(separator)) {
    if (pair === '') continue;
    const [encoded, value] = halves(pair);
    const name = decoded(place, encoded, decodeName);
    const values = pairs.get(name);
    if (values) values.push(value);
    else pairs.set(name, [value]);
  }
  return pairs;
}

function decoded(place: string, name: string, decode: Decode): string {
  try {
    return decode(name);
  } catch (error) {
    return rethrow(error, place);
  }
}

/** Compiles the reader of a value that is one or more pairs. */
export function compilePairs(written: Written, parts: PartsReader, decode: Decode): PairsReader {
  const { name, style, explode } = written;
  if (style === 'deepObject') {
    if (parts.kind === 'object') return deepReader(name, parts);
    throw new Unservable('deepObject is defined for objects');
  }
  const spread = (style === 'form' || style === 'cookie') && explode;
  if (spread && parts.kind === 'object') return spreadReader(name, parts);
  const whole: PrimitiveReader | ArrayReader =
    spread && parts.kind === 'array'
      ? parts
      : { kind: 'primitive', read: compileText(written, parts, decode) };
  return {
    name,
    names: [name],
    others: 'none',
    read: (pairs, holder) => {
      readTexts(whole, take(pairs, name), holder, name);
    },
  };
}

function take(pairs: Pairs, name: string): readonly string[] {
  const texts = pairs.get(name) ?? [];
  pairs.delete(name);
  return texts;
}

/** Reads `R=100&G=200`, where each property is a pair. */
function spreadReader(name: string, parts: ObjectReader): PairsReader {
  return {
    name,
    names: parts.listed,
    others: parts.open ? 'any' : 'none',
    read: (pairs, holder) => {
      const names = parts.open ? [...pairs.keys()] : parts.listed;
      const entries = names.flatMap((key) => take(pairs, key).map((text): Entry => [key, text]));
      if (entries.length > 0) parts.read(entries, holder, name);
    },
  };
}

const INNERMOST = /^([^[\]]*)\]$/;

/** Reads `color[R]=100&color[G]=200`. Nested brackets are undefined in OpenAPI. */
function deepReader(name: string, parts: ObjectReader): PairsReader {
  const names = new Map(parts.listed.map((property) => [`${name}[${property}]`, property]));
  return {
    name,
    names: [...names.keys()],
    others: 'prefixed',
    read: (pairs, holder) => {
      const entries: Entry[] = [];
      for (const key of pairs.keys()) {
        const unlisted = key.startsWith(`${name}[`)
          ? INNERMOST.exec(key.slice(name.length + 1))?.[1]
          : undefined;
        const property = names.get(key) ?? unlisted;
        if (property === undefined) continue;
        for (const text of take(pairs, key)) entries.push([property, text]);
      }
      if (entries.length > 0) parts.read(entries, holder, name);
    },
  };
}

/** Adds a reader to the others of the same pairs. Two readers of one name are a conflict. */
export function addReader(readers: PairsReader[], reader: PairsReader): void {
  const shared = reader.names.find((name) => readers.some(({ names }) => names.includes(name)));
  if (shared !== undefined) throw new Unservable(`it shares the name ${shared} with another`);
  if (reader.others === 'any' && readers.some(({ others }) => others === 'any')) {
    throw new Unservable('it accepts any name, and so does another');
  }
  readers.push(reader);
  readers.sort((a, b) => TURN[a.others] - TURN[b.others]);
}
