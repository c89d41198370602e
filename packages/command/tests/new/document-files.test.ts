import { documentFiles } from '../../src/new/document-files';
import { readSource } from '../../src/document/source/source';
import { type Files, useFolder } from '../../../../scripts/testing/folder';

const folder = useFolder();
const HEAD = "openapi: 3.1.0\ninfo: { title: A, version: '1' } # a comment\n";
const REFERENCE = (file: string) => `${HEAD}paths: { /a: { $ref: '${file}' } }\n`;
const ITEM = "get: { responses: { '204': { description: '' } } }\n";
const filesOf = (given: Files) => documentFiles(readSource(folder.write(given), true), 'the-name');

test.each<[string, Files]>([
  ['one file', { 'a.yaml': `${HEAD}paths: {}\n` }],
  ['JSON', { 'a.json': '{"openapi":"3.1.0","info":{"title":"A","version":"1"},"paths":{}}' }],
  ['parts below it', { 'a.yaml': REFERENCE('parts/item.yaml'), 'parts/item.yaml': ITEM }],
])('%s: the files stay as they are', (_, given) => {
  expect(filesOf(given)).toEqual({ name: Object.keys(given)[0], files: given, note: undefined });
});

test.each<[string, Files, name: string, note: string]>([
  [
    'a part beside its folder',
    { 'in/a.yaml': REFERENCE('../b.yaml'), 'b.yaml': ITEM },
    'a.yaml',
    'bundled 2 files into one',
  ],
  [
    'OpenAPI 3.0',
    { 'a.yaml': `${HEAD.replace('3.1.0', '3.0.3')}paths: {}\n` },
    'a.yaml',
    'converted to OpenAPI 3.1',
  ],
  [
    'the name of the overlay',
    { 'overlay.yaml': `${HEAD}paths: {}\n` },
    'the-name.yaml',
    'renamed from "overlay.yaml"',
  ],
  ['another ending', { 'a.txt': `${HEAD}paths: {}\n` }, 'a.yaml', 'renamed from "a.txt"'],
])('%s: one file with a name that can stay', (_, given, name, note) => {
  const { files, ...rest } = filesOf(given);
  expect(rest).toEqual({ name, note });
  expect(Object.entries(files)).toEqual([[name, expect.stringContaining('openapi: 3.1.')]]);
});
