/** Reads a value from the texts of its parts, by its schema. styles.ts and pairs.ts split a text into these parts. */
import { branded } from '../brand';
import type { DescribedValue } from '../operations/described-value';
import type { OpenApiDocument } from '../document/document';
import { excerpt } from '../json/excerpt';
import { parseJson, parseNumber } from '../json/parse';
import type { Holder } from '../json/values';

/** Thrown at start for a part of the document that cannot be served. Its message becomes a finding. */
export class Unservable extends Error {
  override name = 'Unservable';
}
branded(Unservable, 'Unservable');

/** Compiles the reader of `name`; if it cannot be served, the reason becomes a finding at `pointer`. */
export function servable<T>(
  document: OpenApiDocument,
  pointer: string,
  name: string,
  compile: () => T,
): T | undefined {
  try {
    if (name === '__proto__') throw new Unservable('it is not an ordinary property name');
    return compile();
  } catch (error) {
    if (!(error instanceof Unservable)) throw error;
    const shown = name === '' || /[\s\p{C}]/u.test(name) ? JSON.stringify(name) : name;
    document.addFinding(pointer, `${shown} cannot be served: ${error.message}`);
    return undefined;
  }
}

/** A text that the document does not describe. Its message follows the place of the value in a sentence. */
export class MalformedText extends Error {
  override name = 'MalformedText';
  /** @param step the step from the value to the place of the fault, after a slash */
  constructor(
    message: string,
    readonly step = '',
  ) {
    super(message);
  }
}

/** Decodes a text by the encoding of its location. */
export type Decode = (text: string) => string;

/** Percent-decodes UTF-8. */
export const decodePercent: Decode = (text) => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MalformedText('is not percent-encoded UTF-8');
  }
};

/** Sets `holder[key]` to the value that a text denotes. */
export type Read<Text> = (text: Text, holder: Holder, key: string | number) => void;

/** A property: its name, decoded, and its encoded text. */
export type Entry = readonly [name: string, text: string];

/** Reads a value from the encoded texts of its parts. */
export type PartsReader = PrimitiveReader | ArrayReader | ObjectReader;

export interface PrimitiveReader {
  readonly kind: 'primitive';
  readonly read: Read<string>;
}

export interface ArrayReader {
  readonly kind: 'array';
  /** The value may be no array: one text is the value itself then, and several are a list. */
  readonly isUnion: boolean;
  readonly read: Read<readonly string[]>;
}

export interface ObjectReader {
  readonly kind: 'object';
  readonly read: Read<Iterable<Entry>>;
  /** The properties that the document lists. */
  readonly listed: readonly string[];
  /** The document admits other properties, or describes none at all. */
  readonly open: boolean;
}

/** Compiles the reader of a decoded text. */
type CompileText = (value: DescribedValue) => Read<string>;

/** Reads a text as a number or a boolean only if the schema has that type and the text is exactly one. */
export const primitiveText: CompileText = (value) => {
  const types = value.types() ?? [];
  if (types.includes('array') || types.includes('object')) {
    throw new Unservable('no style defines how an array or object is written inside another value');
  }
  return textOf(types);
};

/** Reads a text by the primitive types that its schema names. */
export function textOf(types: readonly string[]): Read<string> {
  const [number, boolean] = [types.includes('number'), types.includes('boolean')];
  return (text, holder, key) => {
    if (number && parseNumber(text, holder, key)) return;
    holder[key] = boolean && (text === 'true' || text === 'false') ? text === 'true' : text;
  };
}

export const jsonText: CompileText = () => parseJson;

/**
 * The kind of parts that a value has. A value that is an array or a primitive has those of an array.
 *
 * @throws {Unservable} if its text does not determine it
 */
export function kindOf(value: DescribedValue): PartsReader['kind'] {
  const types = value.types()?.filter((type) => type !== 'null') ?? [];
  const kind = (['object', 'array'] as const).find((type) => types.includes(type)) ?? 'primitive';
  if (kind === 'object' && types.some((type) => type !== kind)) {
    throw new Unservable(`its text does not determine which of the types ${types.join(', ')} it has`);
  }
  return kind;
}

/** Compiles the reader of a value; `item` compiles that of an array's items. */
export function compileParts(value: DescribedValue, decode: Decode, item = primitiveText): PartsReader {
  const kind = kindOf(value);
  if (kind === 'object') return compileObject(value, decode);
  return kind === 'array' ? compileArray(value, decode, item) : compileWhole(value, decode, primitiveText);
}

/** Compiles the reader of a value of any type that is one text. */
export function compileWhole(value: DescribedValue, decode: Decode, whole: CompileText): PrimitiveReader {
  const read = whole(value);
  return {
    kind: 'primitive',
    read: (text, holder, key) => {
      read(decode(text), holder, key);
    },
  };
}

/**
 * Compiles the reader of an array; `item` compiles that of its items.
 *
 * @param whole reads one text of a value that may be no array
 */
export function compileArray(
  value: DescribedValue,
  decode: Decode,
  item: CompileText,
  whole?: Read<string>,
): ArrayReader {
  const others = value.types()?.filter((type) => type !== 'array' && type !== 'null') ?? [];
  const single = others.length > 0 ? (whole ?? textOf(others)) : undefined;
  const lengths = value.schemas().map(({ prefixItems }) => [prefixItems ?? []].flat().length);
  const first = Array.from({ length: Math.max(0, ...lengths) }, (_, i) => item(value.item(i)));
  const rest = item(value.item(first.length));
  return {
    kind: 'array',
    isUnion: single !== undefined,
    read: (texts, holder, key) => {
      const [text = '', another] = texts;
      if (single && another === undefined) {
        single(decode(text), holder, key);
        return;
      }
      const items: unknown[] = [];
      for (const [i, text] of texts.entries()) {
        (first[i] ?? rest)(decode(text), items as unknown[] & Holder, i);
      }
      holder[key] = items;
    },
  };
}

function compileObject(value: DescribedValue, decode: Decode): ObjectReader {
  const listed = new Map(value.propertyNames().map((name) => [name, primitiveText(value.property(name))]));
  const others = primitiveText(unlisted(value));
  return {
    kind: 'object',
    listed: [...listed.keys()],
    open: isOpen(value),
    read: (entries, holder, key) => {
      const object: Holder = {};
      for (const [name, text] of entries) {
        if (name === '__proto__') throw new MalformedText('has the name "__proto__", which is not accepted');
        if (Object.hasOwn(object, name))
          throw new MalformedText('is given more than once', `/${excerpt(name)}`);
        (listed.get(name) ?? others)(decode(text), object, name);
      }
      holder[key] = object;
    },
  };
}

/** Whether the document admits properties that it does not list, or lists none at all. */
export const isOpen = (value: DescribedValue): boolean =>
  value.propertyNames().length === 0 ||
  value
    .schemas()
    .some((schema) => (schema['additionalProperties'] ?? schema['unevaluatedProperties'] ?? false) !== false);

/** Describes any property that is not listed. */
export function unlisted(value: DescribedValue): DescribedValue {
  if (value.schemas().some((schema) => 'patternProperties' in schema)) {
    throw new Unservable('patternProperties are served in JSON only');
  }
  return value.property();
}
