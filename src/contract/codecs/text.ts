import { decodeText } from '../http/body';
import { isTextual } from '../http/media-type';
import { DescribedValue } from '../operations/described-value';
import { Unservable } from '../parameters/parts';
import type { Codec, DescribedBody, ReadBody } from './codec';

const read: ReadBody = (bytes, envelope) => {
  envelope['body'] = decodeText(bytes);
};

/** Text in UTF-8, as one string: plain text, XML, CSV, lines of JSON, an event stream. */
export const text: Codec = {
  name: 'text',
  mediaType: 'text/plain; charset=utf-8',
  isText: true,
  isJudged: true,
  carries: (essence, body) =>
    (essence.startsWith('text/') && body?.isStream !== true) ||
    (body !== undefined && isTextual(essence) && describesText(body)),
  reader(body) {
    assertString(body);
    return read;
  },
  writer(body) {
    assertString(body);
    return (value, envelope) => {
      if (typeof value !== 'string' || !value.isWellFormed()) {
        throw new TypeError(`expected a well-formed string for ${body.key}`);
      }
      envelope['body'] = value;
      return value;
    };
  },
};

const typesOf = ({ document, schema }: DescribedBody) => DescribedValue.at(document, schema).types();

/** Whether a schema describes strings and nothing else, and these are not bytes. */
export function describesText(body: DescribedBody): boolean {
  const { document, schema } = body;
  if (schema === undefined) return false;
  if (document.subschemas.certain(schema).some(({ value }) => value['format'] === 'binary')) return false;
  const types = typesOf(body) ?? [];
  return types.length > 0 && types.every((type) => type === 'string');
}

function assertString(body: DescribedBody): void {
  const types = typesOf(body);
  if (types?.includes('string') !== false) return;
  const described = [...new Set(types)].join(' or ') || 'nothing';
  throw new Unservable(
    `a body of ${body.key} is text, but its schema describes ${described}: use type string, or application/json`,
  );
}
