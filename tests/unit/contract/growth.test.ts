import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { type JsonObject, OpenApiDocument } from '../../../src/contract/document/document';
import { excerpt } from '../../../src/contract/json/excerpt';
import { parseJson } from '../../../src/contract/json/parse';
import { canonicalJson, stringifyJson } from '../../../src/contract/json/stringify';
import { judgeHead } from '../../../src/contract/http/head';
import {
  parseAccept,
  parseMediaType,
  preferred,
  preferredCoding,
} from '../../../src/contract/http/media-type';
import { compileForm } from '../../../src/contract/codecs/form';
import { Router } from '../../../src/contract/operations/routes';
import { isMultipleOf, parseDecimal } from '../../../src/contract/json/decimal';
import { growsTooFast, tooFast } from '../../support/growth';
import { carry, compileValid, INT64, LIST, RGB, root, STRING } from '../../support/parameters';

const NUMBER_TOKENS = ['0', '1', '9', '.', '1.', '-', 'e', 'E+9', '0.0'];

function readJson(text: string): void {
  const holder: { value?: unknown } = {};
  parseJson(text, holder, 'value');
  stringifyJson(holder.value);
  canonicalJson(holder, 'value');
}

function router(): Router<string> {
  const paths = ['/{z}-{x}-{y}.png', '/{a}/x/{b}', '/{a}/{b}/{c}', '/a-{x}{y}-a', '/{a}.a.{b}', '/a/a/a'];
  const found = new Router<string>();
  for (const path of paths) found.add(`/tiles${path}`, path);
  return found;
}

const accept = (text: string) =>
  preferred([{ key: 'a/*', type: { essence: 'a/*', parameters: new Map() } }], parseAccept(text));

const acceptEncoding = (text: string) => preferredCoding(text, ['br', 'identity']);

describe('reading takes time linear in the text of the client', () => {
  const paths = router();
  test.each<[string, readonly string[], (text: string) => unknown]>([
    ['JSON numbers', NUMBER_TOKENS, readJson],
    ['JSON strings', ['"', '\\', '\\u0041', '\\ud83d', '\\udc00', 'a', '\u{1f335}', '\u0001'], readJson],
    ['JSON', ['{', '}', '[', ']', ',', ':', '"a"', '{"a":', '0', ' '], readJson],
    ['decimals', NUMBER_TOKENS, (text) => isMultipleOf(parseDecimal(text), parseDecimal('0.07'))],
    ['Accept fields', ['a/b', ',', ';', 'q=', '0.5', '*/*', ' ', '"', '\\'], accept],
    ['Accept-Encoding fields', ['br', ',', ';', 'q=', '0.5', '*', ' ', '"', '\\'], acceptEncoding],
    ['media types', ['a/b', ';', ' ', '=', 'a', '"', '\\', 'charset=', ','], parseMediaType],
    ['request lines', ['GET ', '/', '?', '%41', 'http://', '[', ':', '@', ' HTTP/1.1\r\n', ' '], judgeHead],
    [
      'fields of a head',
      ['A: b\r\n', 'Host:', 'x:', '[', ' ', ',', 'chunked', 'Transfer-Encoding:', '\r\n', '9', ';', '\xff'],
      (text) => judgeHead(`GET / HTTP/1.1\r\n${text}\r\n\r\n`),
    ],
    ['paths', ['/', '-', '.', 'a', '.png', '%41', '/tiles/', '{', '/x/'], (text) => paths.find(text)],
    ['excerpts', ['a', '\u{1f335}', '\ud83d', '\udc00'], (text) => excerpt(text, text.length - 1)],
  ])('%s', (_, tokens, read) => {
    expect(tooFast(tokens, read)).toBeUndefined();
  });

  const FREE = { type: 'object', additionalProperties: INT64 };
  const styles: JsonObject[] = [
    ...['simple', 'label', 'matrix'].map((style) => ({ in: 'path', style })),
    { in: 'header' },
    { in: 'cookie' },
    ...['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'].map((style) => ({ in: 'query', style })),
  ];
  const isDefined = ({ style, in: place }: JsonObject, schema: JsonObject, explode: boolean) => {
    if (style === 'deepObject') return schema['type'] === 'object';
    if (place === 'cookie' && schema === FREE) return !explode;
    return !String(style).endsWith('Delimited') || (!explode && schema !== STRING);
  };
  const cases = styles.flatMap((style) =>
    [STRING, LIST, RGB, FREE].flatMap((schema) =>
      [true, false]
        .filter((explode) => isDefined(style, schema, explode))
        .map((explode): JsonObject => ({ ...style, schema, explode })),
    ),
  );
  const separators: Readonly<Record<string, readonly string[]>> = {
    path: [';', '.', ',', ';color='],
    header: [',', ' '],
    cookie: ['; ', ' ', ','],
    query: ['&', '+', '%20', '|', ',', 'color[', ']'],
  };
  test.each(cases)('a parameter: %j', (parameter) => {
    const place = String(parameter['in']);
    const read = compileValid({ parameters: [parameter] });
    const tokens = [...(separators[place] ?? []), 'color=', '=', 'a', '%', '1.', '0'];
    expect(tooFast(tokens, (text) => read(carry(place, text)))).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ['of properties that are not listed', { type: 'object', properties: {} }],
    ['of lists that are not listed', { type: 'object', additionalProperties: LIST }],
    ['of all kinds', { type: 'object', properties: { a: STRING, color: LIST, rgb: RGB, n: INT64 } }],
  ])('a form %s', (_, schema) => {
    const document = new OpenApiDocument(root);
    root['components'] = { form: { schema } };
    const read = compileForm(document, '/components/form/schema');
    const tokens = ['&', '=', 'a=', 'color=', 'rgb={"a":', 'n=1.', '+', '%41', '%', '0', ';'];
    expect(tooFast(tokens, read)).toBeUndefined();
  });

  test('a form of different names', () => {
    const document = new OpenApiDocument(root);
    root['components'] = { form: { schema: { type: 'object' } } };
    const read = compileForm(document, '/components/form/schema');
    const text = (length: number) =>
      Array.from({ length: length / 8 }, (_, i) => `${(i + 1_000_000).toString(36)}=1`).join('&');
    expect(tooFast([text(4_000)], read)).toBeUndefined();
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
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('src', name));
  const expressions = files.flatMap(expressionsOf);
  expect(expressions.length).toBeGreaterThan(20);
  const slow = expressions.flatMap(({ place, expression }) => {
    const found = tooFast(tokensOf(expression), (text) => text.replace(expression, ''));
    return found === undefined ? [] : [`${place}: ${found}`];
  });
  expect(slow).toEqual([]);
});
