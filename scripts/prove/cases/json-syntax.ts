import type { RuleName } from '../profile';
import type { RawRequest } from '../wire/message';
import { type Case, expectRefusal, expectSuccess, type OperationContext, protocolCase } from './case';

/** Far deeper than any document, and deep enough to overflow the stack of a recursive parser. */
const MAX_NESTING = 10_000;

/** Bytes; for a server whose limit is unknown. */
const DEFAULT_LIMIT = 65_536;

/** Five bytes for each level keep the body within the limit. */
const BYTES_PER_LEVEL = 5;

type NamedBody = readonly [title: string, body: Buffer, rule?: RuleName];

/** JSON text that a strict parser refuses, and unusual text that it accepts. */
export function jsonSyntaxCases(context: OperationContext, request: RawRequest): Case[] {
  const text = (request.body ?? Buffer.alloc(0)).toString();
  const firstName = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1];
  const malformed = [
    ...malformedText(text, context.target.bodyLimit ?? DEFAULT_LIMIT),
    ...(text.startsWith('{') ? malformedObjects(text, firstName) : []),
  ];
  return [
    ...malformed.map(([title, body, rule]) =>
      protocolCase(
        context,
        'bodies',
        'malformed JSON',
        title,
        { ...request, body },
        expectRefusal('malformed'),
        rule,
      ),
    ),
    ...unusualText(text, firstName).map(([title, body]) =>
      protocolCase(context, 'bodies', 'unusual JSON', title, { ...request, body }, expectSuccess),
    ),
  ];
}

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

function malformedText(text: string, limit: number): NamedBody[] {
  const depth = Math.min(MAX_NESTING, Math.floor(limit / BYTES_PER_LEVEL));
  return [
    ...(/^[[{"]/.test(text) ? [['truncated', bytes(text.slice(0, -1))] satisfies NamedBody] : []),
    ['trailing text', bytes(text, ' x')],
    ['two values', bytes(text, ' ', text)],
    ['a byte order mark', bytes([0xef, 0xbb, 0xbf], text), 'extended JSON'],
    ['UTF-16', Buffer.from(text, 'utf16le'), 'extended JSON'],
    ['a form instead of JSON', bytes('name=value')],
    ['NaN', bytes('NaN'), 'extended JSON'],
    ['nested too deep', bytes('['.repeat(depth), ']'.repeat(depth)), 'ambiguous JSON'],
    ['nested too deep, never closed', bytes('{"a":'.repeat(depth))],
  ];
}

function malformedObjects(text: string, firstName: string | undefined): NamedBody[] {
  const rest = text.slice(1);
  const separator = rest.startsWith('}') ? '' : ',';
  const withMember = (...member: (string | number[])[]): Buffer => bytes('{', ...member, separator, rest);
  return [
    ['a trailing comma', bytes(text.slice(0, -1), ',}'), 'extended JSON'],
    ['single quotes', bytes(`{'a':1${separator}`, rest), 'extended JSON'],
    ['a comment', bytes('{/* */', rest), 'extended JSON'],
    ['a control character in a string', withMember('"a":"\n"'), 'extended JSON'],
    ['invalid UTF-8', withMember('"a":"', [0xc3, 0x28], '"'), 'extended JSON'],
    ['a surrogate in UTF-8', withMember('"a":"', [0xed, 0xa0, 0x80], '"'), 'extended JSON'],
    ['overlong UTF-8', withMember('"a":"', [0xc0, 0xaf], '"'), 'extended JSON'],
    ['a lone high surrogate', withMember('"a":"\\ud800"'), 'ambiguous JSON'],
    ['a lone low surrogate', withMember('"a":"\\udc00"'), 'ambiguous JSON'],
    ['surrogates in the wrong order', withMember('"a":"\\udc00\\ud800"'), 'ambiguous JSON'],
    ['a lone surrogate in a name', withMember('"\\ud800":1'), 'ambiguous JSON'],
    ['a number with a leading zero', withMember('"a":01'), 'extended JSON'],
    ['a hexadecimal number', withMember('"a":0x1'), 'extended JSON'],
    ['__proto__', withMember('"__proto__":{}'), 'ambiguous JSON'],
    ['__proto__ escaped', withMember('"\\u005f_proto__":{}'), 'ambiguous JSON'],
    ...(firstName === undefined
      ? []
      : [['a duplicate name', withMember(`${firstName}:null`), 'ambiguous JSON'] satisfies NamedBody]),
  ];
}

function unusualText(text: string, firstName: string | undefined): NamedBody[] {
  const space = ' \t\r\n';
  const around: NamedBody = ['white space around the value', bytes(space, text, space)];
  if (firstName === undefined) return [around];
  return [around, ['an escaped name', bytes(text.replace(firstName, () => escapeName(firstName)))]];
}

/** A JSON string with every UTF-16 unit escaped. */
const escapeName = (name: string): string =>
  `"${Array.from(JSON.parse(name) as string)
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`;
