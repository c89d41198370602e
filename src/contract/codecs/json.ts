import { decodeText } from '../http/body';
import { coverage, isJson } from '../http/media-type';
import { MalformedJson, parseJson } from '../json/parse';
import { stringifyJson } from '../json/stringify';
import { Problem } from '../problem';
import { type Codec, cut, isOpaque, type ReadBody, type WriteBody } from './codec';

const read: ReadBody = (bytes, envelope) => {
  const text = decodeText(bytes);
  try {
    parseJson(text, envelope, 'body');
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new Problem('malformed', `the body is not well-formed JSON: ${error.message}`);
  }
};

const write: WriteBody = (value, envelope, shape) => {
  const text = stringifyJson(value);
  // The text is judged, not the value: toJSON and getters may have changed it.
  parseJson(text, envelope, 'body');
  return cut(envelope, shape) ? stringifyJson(envelope['body']) : text;
};

/** JSON (RFC 8259). A range that covers it is JSON if its schema demands more than bytes: nothing else could be judged. */
export const json: Codec = {
  name: 'JSON',
  mediaType: 'application/json',
  isText: true,
  isJudged: true,
  carries: (essence, body) =>
    isJson(essence) || (body !== undefined && coverage(essence, 'application/json') > 0 && !isOpaque(body)),
  reader: () => read,
  writer: () => write,
};
