import { Unservable } from '../parameters/parts';
import type { Codec } from './codec';

function refuse(): never {
  throw new Unservable('multipart bodies cannot be served');
}

/** Refuses multipart bodies (RFC 7578, OpenAPI 3.1 section 4.8.14.3). */
export const multipart: Codec = {
  name: 'multipart',
  mediaType: 'multipart/form-data',
  isText: false,
  isJudged: true,
  carries: (essence) => essence.startsWith('multipart/'),
  reader: refuse,
  writer: refuse,
};
