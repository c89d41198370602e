/**
 * Reads the styles of OpenAPI 3.1 section 4.8.12, which are those of RFC 6570: a percent-encoded delimiter is data, and a
 * label that is not exploded has commas (OpenAPI 3.1.0 shows dots, corrected in 3.1.1).
 */
import type { Parameter } from '../operations/operations';
import { type Decode, type Entry, MalformedText, type PartsReader, type Read, Unservable } from './parts';

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['label', '.'],
  ['matrix', ';'],
]);
/** The delimiters in a query before it is decoded. */
const DELIMITERS: ReadonlyMap<string, RegExp> = new Map([
  ['spaceDelimited', /%20|\+/],
  ['pipeDelimited', /%7C|\|/i],
]);

export type Written = Pick<Parameter, 'name' | 'style' | 'explode'>;

/** Compiles the reader of a value that is one text. */
export function compileText(written: Written, parts: PartsReader, decode: Decode): Read<string> {
  const { name, style, explode } = written;
  const prefix = PREFIXES.get(style) ?? '';
  const delimiter = DELIMITERS.get(style) ?? (explode && prefix !== '' ? prefix : ',');
  if (typeof delimiter !== 'string' && (explode || parts.kind === 'primitive')) {
    throw new Unservable(`${style} is defined for arrays and objects that are not exploded`);
  }
  if (parts.kind === 'array' && parts.isUnion && (typeof delimiter !== 'string' || delimiter === '.')) {
    throw new Unservable(`a text of the style ${style} does not determine whether it is a list`);
  }
  const unprefixed: Decode = (text) => {
    if (text.startsWith(prefix)) return text.slice(prefix.length);
    throw new MalformedText(`is not of the style ${style}: expected "${prefix}" before it`);
  };
  const unnamed: Decode = (text) => {
    const [encoded, rest] = halves(text);
    if (decode(encoded) === name) return rest;
    throw new MalformedText(`is not of the style ${style}: expected "${prefix}${name}=" before it`);
  };
  const whole: Decode = style === 'matrix' ? (text) => unnamed(unprefixed(text)) : unprefixed;
  switch (parts.kind) {
    case 'primitive':
      return (text, holder, key) => {
        parts.read(whole(text), holder, key);
      };
    case 'array': {
      const split: (text: string) => string[] =
        style === 'matrix' && explode
          ? (text) => unprefixed(text).split(delimiter).map(unnamed)
          : (text) => whole(text).split(delimiter);
      return (text, holder, key) => {
        parts.read(split(text), holder, key);
      };
    }
    case 'object': {
      const split: (text: string) => Iterable<Entry> = explode
        ? (text) => inHalves(unprefixed(text).split(delimiter), decode)
        : (text) => inTwos(whole(text).split(delimiter), decode);
      return (text, holder, key) => {
        parts.read(split(text), holder, key);
      };
    }
  }
}

/** Splits at the first separator. */
export function halves(text: string, separator = '='): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

// Generators: a property that is given twice ends the reading, before a million pairs are made.

function* inHalves(texts: readonly string[], decode: Decode): Generator<Entry> {
  for (const text of texts) {
    const [name, value] = halves(text);
    yield [decode(name), value];
  }
}

function* inTwos(texts: readonly string[], decode: Decode): Generator<Entry> {
  for (let i = 0; i < texts.length; i += 2) {
    const [name = '', value] = [texts[i], texts[i + 1]];
    if (value === undefined)
      throw new MalformedText('is not a list of names and values: the last name has no value');
    yield [decode(name), value];
  }
}
