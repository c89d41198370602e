import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { type JsonObject, OpenApiDocument } from '../../src/contract/document/document';
import { excerpt } from '../../src/contract/json/excerpt';
import { judgeHead } from '../../src/contract/http/head';
import { growsTooFast, tooFast } from '../../../../scripts/testing/growth';
import { root } from '../support/parameters';

/** The sources of the server. */
const SOURCES = join(__dirname, '../../src');

/** What `make growth` and http/growth.slow.test.ts do not put to a server: they have every reader of bodies, parameters and paths. */
describe('reading takes time linear in the text of the client', () => {
  test.each<[string, readonly string[], (text: string) => unknown]>([
    ['request lines', ['GET ', '/', '?', '%41', 'http://', '[', ':', '@', ' HTTP/1.1\r\n', ' '], judgeHead],
    [
      'fields of a head',
      ['A: b\r\n', 'Host:', 'x:', '[', ' ', ',', 'chunked', 'Transfer-Encoding:', '\r\n', '9', ';', '\xff'],
      (text) => judgeHead(`GET / HTTP/1.1\r\n${text}\r\n\r\n`),
    ],
    ['excerpts', ['a', '\u{1f335}', '\ud83d', '\udc00'], (text) => excerpt(text, text.length - 1)],
  ])('%s', (_, tokens, read) => {
    expect(tooFast(tokens, read)).toBeUndefined();
  });
});

describe('reading a document takes time linear in its size', () => {
  const of32 = (more: object): JsonObject => ({ ...root, openapi: '3.2.0', ...more });
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  test.each<[string, (count: number) => JsonObject]>([
    [
      'references that lead to references',
      (count) => {
        const $ref = (i: number) => (i === 0 ? {} : { $ref: `#/components/mediaTypes/m${i - 1}` });
        const mediaTypes = Object.fromEntries(numbers(count).map((i) => [`m${i}`, $ref(i)]));
        return of32({ components: { mediaTypes } });
      },
    ],
    [
      'tags below each other',
      (count) =>
        of32({ tags: numbers(count).map((i) => ({ name: `t${i}`, ...(i > 0 && { parent: `t${i - 1}` }) })) }),
    ],
  ])('of %s', (_, documentOf) => {
    const adversary = { name: '', text: (length: number) => 'a'.repeat(length) };
    const read = ({ length }: string) => new OpenApiDocument(documentOf(length));
    read('a');
    expect(growsTooFast(read, adversary)).toBe(false);
  });
});

/** The regular expressions of a file, with their places. */
function expressionsOf(file: string): { readonly place: string; readonly expression: RegExp }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: { place: string; expression: RegExp }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const text = node.getText(source);
      const end = text.lastIndexOf('/');
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      const expression = new RegExp(text.slice(1, end), text.slice(end + 1).replace('y', ''));
      found.push({ place: `${file}:${line + 1} ${text}`, expression });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Tokens for texts that an expression nearly matches: its words, its characters, and some of each class. */
function tokensOf({ source }: RegExp): string[] {
  const words = source.match(/[a-z]{3,}/gi) ?? [];
  const characters = source.split(/(?:)/u).filter((character) => !/[\w\\()|?*+^$[\]]/.test(character));
  return [...new Set([...words, ...characters, '0', 'a', ' ', '+', '[', '\\', '\n'])].slice(0, 12);
}

test('every regular expression of the server takes linear time', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(SOURCES, name));
  const expressions = files.flatMap(expressionsOf);
  expect(expressions.length).toBeGreaterThan(20);
  const slow = expressions.flatMap(({ place, expression }) => {
    const found = tooFast(tokensOf(expression), (text) => text.replace(expression, ''));
    return found === undefined ? [] : [`${place}: ${found}`];
  });
  expect(slow).toEqual([]);
});
