import { decodeText } from '../http/body';
import { coverage, isJson } from '../http/media-type';
import { exactNumber, MalformedJson, parseJson } from '../json/parse';
import { copyPlain } from '../json/plain';
import { readJson } from '../json/read';
import { stringifyJson } from '../json/stringify';
import { Problem } from '../problem';
import { type Codec, cut, isOpaque, type ReadBody, type WriteBody } from './codec';

const read: ReadBody = (bytes, envelope) => {
  const text = decodeText(bytes);
  try {
    readJson(bytes, text, envelope, 'body');
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new Problem('malformed', `the body is not well-formed JSON: ${error.message}`);
  }
};

const write: WriteBody = (value, envelope, shape) => {
  // The copy stands for the text that leaves. A value that has none is judged by its text: toJSON may have changed it.
  const project = shape.project ?? copyPlain;
  const way = project(value, envelope, 'body');
  if (way === undefined) parseJson(stringifyJson(value), envelope, 'body');
  if (way === undefined || !shape.project) cut(envelope, shape);
  if (way === 'native') return JSON.stringify(envelope['body']);
  return stringifyJson(exactNumber(envelope, 'body') ?? envelope['body']);
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
