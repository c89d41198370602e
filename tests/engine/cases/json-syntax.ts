import type { RawRequest } from '../wire/message';
import { expectSuccess, type Case, type MakeCase, expectRefusal } from './case';

/** Far beyond any nesting that a person writes, and deep enough to end a recursive reader's stack. */
const MAX_NESTING = 10_000;

export function jsonCases(request: RawRequest, limit: number, made: MakeCase): Case[] {
  const text = (request.body ?? Buffer.alloc(0)).toString();
  const inside = text.slice(1);
  const separator = inside.startsWith('}') ? '' : ',';
  const bytes = (...parts: (string | number[])[]): Buffer =>
    Buffer.concat(parts.map((part) => Buffer.from(part)));
  const object = text.startsWith('{');
  const first = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1];
  const deep = Math.min(MAX_NESTING, Math.floor(limit / 5)); // five bytes a level, all within the limit
  const broken: [string, Buffer][] = [
    ...(/^[[{"]/.test(text) ? [['cut off', bytes(text.slice(0, -1))] as [string, Buffer]] : []),
    ['something behind it', bytes(text, ' x')],
    ['twice', bytes(text, ' ', text)],
    ['a byte order mark', bytes([0xef, 0xbb, 0xbf], text)],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['no JSON at all', bytes('name=value')],
    ['NaN', bytes('NaN')],
    ['nested too deep', bytes('['.repeat(deep), ']'.repeat(deep))],
    ['nested too deep, never closed', bytes('{"a":'.repeat(deep))],
  ];
  const withMember = (member: Buffer): Buffer => bytes('{', [...member], separator, inside);
  if (object) {
    broken.push(
      ['a trailing comma', bytes(text.slice(0, -1), ',}')],
      ['single quotes', bytes(`{'a':1${separator}`, inside)],
      ['a comment', bytes('{/* */', inside)],
      ['a control character in a string', withMember(bytes('"a":"\n"'))],
      ['invalid UTF-8', withMember(bytes('"a":"', [0xc3, 0x28], '"'))],
      ['a surrogate in UTF-8', withMember(bytes('"a":"', [0xed, 0xa0, 0x80], '"'))],
      ['overlong UTF-8', withMember(bytes('"a":"', [0xc0, 0xaf], '"'))],
      ['a lone high surrogate', withMember(bytes('"a":"\\ud800"'))],
      ['a lone low surrogate', withMember(bytes('"a":"\\udc00"'))],
      ['surrogates the wrong way round', withMember(bytes('"a":"\\udc00\\ud800"'))],
      ['a lone surrogate in a name', withMember(bytes('"\\ud800":1'))],
      ['a number with a leading zero', withMember(bytes('"a":01'))],
      ['a hexadecimal number', withMember(bytes('"a":0x1'))],
      ['__proto__', withMember(bytes('"__proto__":{}'))],
      ['__proto__ escaped', withMember(bytes('"\\u005f_proto__":{}'))],
      ...(first === undefined
        ? []
        : [['the same name twice', withMember(bytes(`${first}:null`))] as [string, Buffer]]),
    );
  }
  const space = ' \t\r\n';
  const unusual: [string, Buffer][] = [
    ['space around it', bytes(space, text, space)],
    ...(first === undefined
      ? []
      : [
          ['a name written with escapes', bytes(text.replace(first, () => escaped(first)))] as [
            string,
            Buffer,
          ],
        ]),
  ];
  return [
    ...broken.map(([title, body]) =>
      made('bodies', 'malformed JSON', title, { ...request, body }, expectRefusal('malformed')),
    ),
    ...unusual.map(([title, body]) =>
      made('bodies', 'unusual JSON', title, { ...request, body }, expectSuccess),
    ),
  ];
}

const escaped = (name: string): string =>
  `"${Array.from(JSON.parse(name) as string)
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`;
