import { binary } from '../../../src/contract/codecs/binary';
import { type Codec } from '../../../src/contract/codecs/codec';
import { json } from '../../../src/contract/codecs/json';
import { Codecs } from '../../../src/contract/codecs/registry';
import { text } from '../../../src/contract/codecs/text';
import { parseMediaType } from '../../../src/contract/http/media-type';

function typeOf(text: string) {
  const type = parseMediaType(text);
  if (!type) throw new Error(`${text} is not a media type`);
  return type;
}
const media = (key: string, codec: Codec = key.includes('json') ? json : text) => ({
  key,
  type: typeOf(key),
  codec,
});
const ALL = media('*/*', binary);
const TEXTS = media('text/*', text);
const CSV = media('text/csv');
const JSON_RANGE = media('application/*', json);
const SUFFIX = media('application/*+json');
const PLAIN = media('application/json');
const UTF8 = media('application/json; charset=UTF-8');
const [V1, V2] = [media('application/json; version=1'), media('application/json;Version="2"')];
const V2_FULL = media('application/json; version=2; profile=full');

describe('a media type is read as', () => {
  test.each([
    ['itself before its range', [ALL, TEXTS, CSV], 'text/csv', CSV],
    ['its range before everything', [ALL, TEXTS, CSV], 'text/plain', TEXTS],
    ['everything, as bytes: an image', [ALL], 'image/png', ALL],
    ['everything, as bytes: a text', [ALL], 'text/plain', ALL],
    ['everything, as bytes: JSON', [ALL], 'application/json', ALL],
    ['a range of JSON', [JSON_RANGE], 'application/merge-patch+json', JSON_RANGE],
    ['no range of JSON if it is not JSON', [JSON_RANGE], 'application/pdf', undefined],
    ['a range of its suffix', [JSON_RANGE, SUFFIX], 'application/merge-patch+json', SUFFIX],
    ['no range of another suffix', [SUFFIX], 'application/json', undefined],
    ['nothing', [TEXTS, CSV], 'image/png', undefined],
    ['its version', [PLAIN, V1, V2], 'application/json;version=2', V2],
    [
      'its version, in any case and order',
      [V1, V2_FULL],
      'APPLICATION/JSON; profile=full; VERSION=2',
      V2_FULL,
    ],
    [
      'the one with the most of its parameters',
      [V2, V2_FULL],
      'application/json; profile=full; version=2',
      V2_FULL,
    ],
    [
      'the one with fewer parameters if the others differ',
      [V2, V2_FULL],
      'application/json; version=2; profile=x',
      V2,
    ],
    [
      'the one without parameters if no version matches',
      [V1, V2, PLAIN],
      'application/json; version=3',
      PLAIN,
    ],
    ['no other version', [V1, V2], 'application/json; version=3', undefined],
    ['no version if several match', [V1, V2], 'application/json', undefined],
    ['the only version if it has none', [V1], 'application/json', V1],
    ['the only version before a range', [JSON_RANGE, V1], 'application/json', V1],
    ['a range before another version', [JSON_RANGE, V1], 'application/json; version=2', JSON_RANGE],
    ['the same with and without charset=utf-8 in the document', [V1, UTF8], 'application/json', UTF8],
    [
      'the same with and without charset=utf-8 in the request',
      [PLAIN, V1],
      'application/json;charset="utf-8";version=1',
      V1,
    ],
  ])('%s', (_, content, type, expected) => {
    expect(new Codecs().cover(content, typeOf(type))?.key).toBe(expected?.key);
  });
});
