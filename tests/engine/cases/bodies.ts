import { protocolKey } from '../ledger';
import { codec } from '../request';
import type { RawRequest } from '../wire';
import {
  accepted,
  authorised,
  bodiless,
  refused,
  withHeader,
  type Case,
  type Context,
  type Expectation,
} from './case';

/** Everything about a body but the value in it: its media type, its presence, its size, its form. */
export function bodyCases(context: Context): Case[] {
  const { operation, base, target } = context;
  const { body } = operation;
  if (!body || !base.body) return [];
  const request = authorised(context);
  const made = (
    family: Case['family'],
    scenario: string,
    title: string,
    changed: RawRequest,
    expect: Expectation,
  ): Case => ({
    family,
    title,
    operation,
    request: changed,
    expect,
    proves: [protocolKey(operation, scenario)],
  });
  const typed = (type: string | undefined): RawRequest => withHeader(request, 'Content-Type', type);
  const type = base.body.type;
  // What is bytes anyway has no charset that could be wrong.
  const charsets = codec(type) === 'binary' ? [] : ['utf-16', 'latin1'];
  const wrong = [
    ...['application/x-undocumented', `${type}x`, 'not a media type', ''],
    ...charsets.map((charset) => `${type}; charset=${charset}`),
  ];
  const same = [
    type.toUpperCase(),
    ...(charsets.length > 0
      ? [`${type}; charset=utf-8`, `${type};charset=UTF-8`, `${type} ; charset="utf-8"`]
      : []),
  ];
  const cases = [
    made(
      'media types',
      'unsupported media types',
      'no Content-Type',
      typed(undefined),
      refused('unsupported media type'),
    ),
    ...wrong.map((name) =>
      made(
        'media types',
        'unsupported media types',
        `Content-Type: ${name}`,
        typed(name),
        refused('unsupported media type'),
      ),
    ),
    ...['gzip', 'br', 'undocumented'].map((coding) =>
      made(
        'media types',
        'unsupported media types',
        `Content-Encoding: ${coding}`,
        withHeader(request, 'Content-Encoding', coding),
        refused('unsupported media type'),
      ),
    ),
    ...same.map((name) =>
      made('media types', 'equivalent media types', `Content-Type: ${name}`, typed(name), accepted),
    ),
    made('bodies', 'body limit', 'in chunks', { ...request, sending: 'chunked' }, accepted),
    ...limitCases(request, target.bodyLimit, codec(type) === 'json', made),
  ];
  if (body.required) {
    const absent = refused('malformed', 'invalid request');
    cases.push(
      made('bodies', 'absent body', 'no body', { ...bodiless(request), headers: request.headers }, absent),
    );
    cases.push(made('bodies', 'absent body', 'an empty body', { ...request, body: Buffer.alloc(0) }, absent));
    cases.push(
      made(
        'bodies',
        'absent body',
        'an empty chunked body',
        { ...request, body: Buffer.alloc(0), sending: 'chunked' },
        absent,
      ),
    );
    if (codec(type) === 'json') {
      cases.push(
        made(
          'bodies',
          'absent body',
          'nothing but space',
          { ...request, body: Buffer.from(' \r\n\t') },
          absent,
        ),
      );
    }
  }
  return codec(type) === 'json' ? [...cases, ...jsonCases(request, target.bodyLimit, made)] : cases;
}

type Make = (
  family: Case['family'],
  scenario: string,
  title: string,
  changed: RawRequest,
  expect: Expectation,
) => Case;

/** On, and just beyond, the largest body: padded with space where the body is JSON, else only beyond. */
function limitCases(request: RawRequest, limit: number, json: boolean, made: Make): Case[] {
  const body = request.body ?? Buffer.alloc(0);
  const padded = (size: number): Buffer =>
    Buffer.concat([body, Buffer.alloc(Math.max(0, size - body.length), ' ')]);
  const over = { ...request, body: padded(limit + 1) };
  const tooLarge = refused('too large');
  return [
    ...(json
      ? [made('bodies', 'body limit', `${limit} bytes`, { ...request, body: padded(limit) }, accepted)]
      : []),
    made('bodies', 'body limit', `${limit + 1} bytes`, over, tooLarge),
    made('bodies', 'body limit', `${limit + 1} bytes in chunks`, { ...over, sending: 'chunked' }, tooLarge),
    made(
      'bodies',
      'body limit',
      `${limit + 1} bytes announced, none sent`,
      { ...over, sending: 'withheld' },
      tooLarge,
    ),
  ];
}

/** Far beyond any nesting that a person writes, and deep enough to end a recursive reader's stack. */
const TOO_DEEP = 10_000;

function jsonCases(request: RawRequest, limit: number, made: Make): Case[] {
  const text = (request.body ?? Buffer.alloc(0)).toString();
  const inside = text.slice(1);
  const separator = inside.startsWith('}') ? '' : ',';
  const bytes = (...parts: (string | number[])[]): Buffer =>
    Buffer.concat(parts.map((part) => Buffer.from(part)));
  const object = text.startsWith('{');
  const first = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1];
  const deep = Math.min(TOO_DEEP, Math.floor(limit / 5)); // five bytes a level, all within the limit
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
      made('bodies', 'malformed JSON', title, { ...request, body }, refused('malformed')),
    ),
    ...unusual.map(([title, body]) => made('bodies', 'unusual JSON', title, { ...request, body }, accepted)),
  ];
}

const escaped = (name: string): string =>
  `"${Array.from(JSON.parse(name) as string)
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`;
