import { join } from 'node:path';
import { readArguments } from '../../../scripts/new/arguments';

const DOCUMENT = join(__dirname, '../../../openapi/plant-store.yaml');

it.each([
  ['nothing', [], 'expected a folder and a document: make new DIR=../museum DOC=path/to/museum.yaml'],
  [
    'a folder with files',
    [__dirname, DOCUMENT],
    `DIR: expected a new or empty folder, got ${__dirname}, which has files`,
  ],
  [
    'a document that does not exist',
    [join(__dirname, 'none'), 'none.yaml'],
    'DOC: expected a file that can be read, got none.yaml, which does not exist',
  ],
])('refuses %s with a sentence', (_, args, sentence) => {
  expect(() => readArguments(args)).toThrow(sentence);
});

it('takes the name from the user, if there is one', () => {
  const folder = join(__dirname, 'none');
  expect(readArguments([folder, DOCUMENT, 'Night Shop'])).toMatchObject({
    folder,
    file: DOCUMENT,
    name: 'Night Shop',
  });
});
