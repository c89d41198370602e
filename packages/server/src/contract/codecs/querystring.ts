import { describeBytes } from '../document/described-bytes';
import type { OpenApiDocument } from '../document/document';
import { isJson, isTextual, type MediaTypeObject } from '../http/media-type';
import { parseJson } from '../json/parse';
import type { Holder } from '../json/values';
import { DescribedValue } from '../operations/described-value';
import type { Operation } from '../operations/operations';
import { credentialsInQuery, decodeAscii } from '../parameters/parameters';
import { rethrow } from '../parameters/pairs';
import { type Decode, primitiveText, servable, Unservable } from '../parameters/parts';
import { halves } from '../parameters/styles';
import { compileForm, type ReadForm } from './form';
import type { Codecs } from './registry';

const FORM = 'application/x-www-form-urlencoded';

/** A query that is a form has pairs, in which a plus sign is a space (https://url.spec.whatwg.org/#urlencoded-parsing). */
const decodePairs: Decode = (text) => decodeAscii(text.replaceAll('+', ' '));

/**
 * Sets `envelope.query` to the value of a query without its question mark. An empty one is none, as an empty body is.
 *
 * @throws {MalformedParameter} if it is not of its media type
 */
export type ReadQuerystring = (query: string, envelope: Holder) => void;

/**
 * Compiles the reader of the parameter that is the whole query (OpenAPI 3.2 section 4.12.1): a form, or percent-encoded JSON
 * or text. Undefined if the operation has none. One that cannot be read becomes a finding.
 */
export function compileQuerystring(
  document: OpenApiDocument,
  operation: Operation,
  codecs: Codecs,
): ReadQuerystring | undefined {
  const parameter = operation.parameters.find((one) => one.in === 'querystring');
  const media = parameter?.content;
  if (!parameter || !media) return undefined;
  const { name, pointer } = parameter;
  const { schema, type } = media;
  const keys = credentialsInQuery(document, operation);
  const read: ReadQuerystring | undefined =
    type.essence === FORM
      ? formReader(compileForm(document, schema, 'query', decodePairs))
      : servable(document, pointer, name, () => compileText(document, media, keys, codecs));
  return (query, envelope) => {
    try {
      const own = withoutPairs(query, keys);
      if (own !== '') read?.(own, envelope);
    } catch (error) {
      rethrow(error, 'query');
    }
  };
}

const formReader =
  (readForm: ReadForm): ReadQuerystring =>
  (query, envelope) => {
    envelope['query'] = readForm(query);
  };

function compileText(
  document: OpenApiDocument,
  media: MediaTypeObject,
  keys: readonly string[],
  codecs: Codecs,
): ReadQuerystring {
  if (keys.length > 0)
    throw new Unservable(`${keys.join(' and ')} is in the query too, which is a form then`);
  const { schema, type, key } = media;
  const value = DescribedValue.at(document, schema);
  const own = codecs.text({ ...media, document });
  const isText = isTextual(type.essence) || (value.types() !== undefined && !describeBytes(value.schemas()));
  if (!own && (/[*]|^multipart\//.test(type.essence) || !(isJson(type.essence) || isText)))
    throw new Unservable(`expected a form, JSON or text, got ${key}`);
  const read = own ?? (isJson(type.essence) ? parseJson : primitiveText(value));
  return (query, envelope) => {
    read(decodeAscii(query), envelope, 'query');
  };
}

/** The pairs of a query without those that carry credentials. */
function withoutPairs(query: string, names: readonly string[]): string {
  if (names.length === 0) return query;
  const isOther = (pair: string) => {
    const [name] = halves(pair);
    return !names.includes(decodePairs(name));
  };
  return query.split('&').filter(isOther).join('&');
}
