import { decodeText } from '../http/body';
import { isSequential, isTextual } from '../http/media-type';
import { DescribedValue } from '../operations/described-value';
import { stringifyJson } from '../json/stringify';
import { primitiveText, type Read, Unservable } from '../parameters/parts';
import type { Codec, DescribedBody } from './codec';
import { malformed } from './own';

/** Text in UTF-8: a number or a boolean as plain text, or one string: CSV, lines of JSON, an event stream. */
export const text: Codec = {
  name: 'text',
  mediaType: 'text/plain; charset=utf-8',
  isText: true,
  isJudged: true,
  carries: (essence, body) =>
    (essence.startsWith('text/') && body?.isStream !== true) ||
    (body !== undefined && isTextual(essence) && describesText(body)),
  reader(body) {
    const read = textReader(body);
    return (bytes, envelope) => {
      try {
        read(decodeText(bytes), envelope, 'body');
      } catch (error) {
        throw malformed('text', error);
      }
    };
  },
  writer(body) {
    const read = textReader(body);
    return (value, envelope) => {
      const text = PRIMITIVES.includes(typeof value) ? stringifyJson(value) : value;
      if (typeof text === 'string' && text.isWellFormed()) {
        read(text, envelope, 'body');
        // A client decodes a string from it only if it is one.
        if (typeof envelope['body'] !== 'string' || text === value) return text;
      }
      throw new TypeError(`expected a well-formed string for ${body.key}`);
    };
  },
};

/** The types of JavaScript beside strings whose values a text can be. */
const PRIMITIVES = ['number', 'bigint', 'boolean'];

const typesOf = ({ document, schema }: DescribedBody) => DescribedValue.at(document, schema).types();

/** Whether a schema describes strings and nothing else, and these are not bytes. */
export function describesText(body: DescribedBody): boolean {
  const { document, schema } = body;
  if (schema === undefined) return false;
  if (document.subschemas.certain(schema).some(({ value }) => value['format'] === 'binary')) return false;
  const types = typesOf(body) ?? [];
  return types.length > 0 && types.every((type) => type === 'string');
}

/** What describes values that are no text: for a sequence, the schema of its items. */
export const instead = ({ type: { essence } }: DescribedBody): string =>
  isSequential(essence) || essence === 'text/event-stream'
    ? 'itemSchema of OpenAPI 3.2, or x-item-schema, for its items'
    : 'application/json';

/**
 * Compiles the reader of a text: as that of a parameter, if it is plain text of numbers or booleans, and as a string else.
 *
 * @throws {Unservable} if the schema does not describe such values
 */
function textReader(body: DescribedBody): Read<string> {
  const { document, schema, key, type } = body;
  const types = typesOf(body) ?? ['string'];
  const isPlain = type.essence === 'text/plain' || type.essence === 'text/*';
  const isPrimitive = types.every((type) => !['array', 'object'].includes(type));
  const isNumber = types.includes('number') || types.includes('boolean');
  if (isPlain && isPrimitive && isNumber) return primitiveText(DescribedValue.at(document, schema));
  if (types.includes('string')) return asIs;
  const described = [...new Set(types)].join(' or ') || 'nothing';
  throw new Unservable(
    `a body of ${key} is text, but its schema describes ${described}: use type string, or ${instead(body)}`,
  );
}

const asIs: Read<string> = (text, holder, key) => {
  holder[key] = text;
};
