import { cover, type MediaTypeObject } from '../../../src/contract/media-type';

const media = (key: string, codec: MediaTypeObject['codec']) => ({ key, codec });
const ALL = media('*/*', 'binary');
const TEXTS = media('text/*', 'text');
const CSV = media('text/csv', 'text');
const JSON_RANGE = media('application/*', 'json');

test.each([
  ['itself before its range', [ALL, TEXTS, CSV], 'text/csv', CSV],
  ['its range before everything', [ALL, TEXTS, CSV], 'text/plain', TEXTS],
  ['everything, as bytes: an image', [ALL], 'image/png', ALL],
  ['everything, as bytes: a text', [ALL], 'text/plain', ALL],
  ['everything, as bytes: JSON', [ALL], 'application/json', ALL],
  ['a range of JSON', [JSON_RANGE], 'application/merge-patch+json', JSON_RANGE],
  ['no range of JSON where it is none', [JSON_RANGE], 'application/pdf', undefined],
  ['nothing', [TEXTS, CSV], 'image/png', undefined],
])('is covered by %s', (_, content, essence, expected) => {
  expect(cover(content, essence)).toBe(expected);
});
