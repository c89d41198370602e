import { decodeText } from '../http/body';
import { coverage, isJson } from '../http/media-type';
import { MalformedJson, parseJson } from '../json/parse';
import { readJson } from '../json/read';
import { stringifyJson } from '../json/stringify';
import { copyPlain, exactNumber } from '../json/values';
import { RequestProblem } from '../problem';
import { applyShape, type Codec, isOpaque, type ReadBody, type WriteBody } from './codec';

const read: ReadBody = (bytes, envelope) => {
  const text = decodeText(bytes);
  try {
    readJson(bytes, text, envelope, 'body');
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new RequestProblem('malformed', `the body is not well-formed JSON: ${error.message}`);
  }
};

const write: WriteBody = (value, envelope, shape) => {
  // The validator judges the copy. A value without a copy, such as one with toJSON, is judged by its JSON text.
  const project = shape.project ?? copyPlain;
  const way = project(value, envelope, 'body');
  const text = way === undefined ? stringifyJson(value) : undefined;
  if (text !== undefined) parseJson(text, envelope, 'body');
  const changed = (text !== undefined || !shape.project) && applyShape(envelope, shape);
  if (text !== undefined && !changed) return text;
  if (way === 'native') return JSON.stringify(envelope['body']);
  return stringifyJson(exactNumber(envelope, 'body') ?? envelope['body']);
};

/** JSON (RFC 8259). A range that covers JSON is JSON if its schema does not describe bytes: only JSON could conform. */
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
