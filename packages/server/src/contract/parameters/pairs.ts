import { MalformedJson } from '../json/parse';
import type { Holder } from '../json/values';
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
export class Pairs extends Map<string, string[]> {
  /** The names in which brackets follow, by what stands before the first. */
  private continued: Map<string, string[]> | undefined;

  /** Adds a pair, before any is read. */
  add(name: string, text: string): void {
    const texts = this.get(name);
    if (texts) texts.push(text);
    else this.set(name, [text]);
  }

  take(name: string): readonly string[] {
    const texts = this.get(name) ?? [];
    this.delete(name);
    return texts;
  }

  /** The names that continue a name with brackets, of pairs that are not removed. */
  continuing(name: string): string[] {
    const names = this.continuedNames().get(beforeBrackets(name)) ?? [];
    return names.filter((key) => key.startsWith(`${name}[`) && this.has(key));
  }

  private continuedNames(): Map<string, string[]> {
    if (this.continued) return this.continued;
    this.continued = new Map<string, string[]>();
    for (const name of this.keys()) {
      if (!name.includes('[')) continue;
      const names = this.continued.get(beforeBrackets(name));
      if (names) names.push(name);
      else this.continued.set(beforeBrackets(name), [name]);
    }
    return this.continued;
  }
}

/** What stands before the first bracket of a name. */
export const beforeBrackets = (name: string): string => halves(name, '[')[0];

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

/** A MalformedText or MalformedJson at a place within a location, by the names that lead there. */
export class Misplaced extends Error {
  override name = 'Misplaced';
  constructor(
    override readonly cause: Error,
    readonly names: readonly string[],
  ) {
    super(cause.message);
  }
}

/** Rethrows an error. A MalformedText or MalformedJson becomes a MalformedParameter with its place. */
export function rethrow(error: unknown, location: string, ...names: readonly string[]): never {
  if (error instanceof Misplaced) rethrow(error.cause, location, ...error.names);
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
  const pairs = new Pairs();
  for (const pair of text.split(separator)) {
    if (pair === '') continue;
    const [encoded, value] = halves(pair);
    pairs.add(decoded(place, encoded, decodeName), value);
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
      readTexts(whole, pairs.take(name), holder, name);
    },
  };
}

/** Reads `R=100&G=200`, where each property is a pair. */
function spreadReader(name: string, parts: ObjectReader): PairsReader {
  return {
    name,
    names: parts.listed,
    others: parts.open ? 'any' : 'none',
    read: (pairs, holder) => {
      const names = parts.open ? [...pairs.keys()] : parts.listed;
      const entries = names.flatMap((key) => pairs.take(key).map((text): Entry => [key, text]));
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
