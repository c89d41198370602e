import type { RuleName } from '../profile';
import { type RawRequest, withHeader, withoutBody } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  expectRefusal,
  expectSuccess,
  type OperationContext,
  protocolCases,
} from './case';
import { codecOf } from '../document/media';
import type { MediaType } from '../document/model';
import { codecOfBody } from '../request/encodings';
import { slots, slotSamples } from '../request/slots';

/** Far deeper than any document, and deep enough to overflow the stack of a recursive parser. */
const MAX_NESTING = 10_000;

/** Bytes; for a server whose limit is unknown. */
const DEFAULT_LIMIT = 65_536;

/** Bytes; a body of a larger limit is announced, and not sent. */
export const LARGEST_LIMIT = 10_000_000;

/** Five bytes for each level keep the body within the limit. */
const BYTES_PER_LEVEL = 5;

/** A body, and the rule that an answer breaks if it is not that of the scenario. */
type NamedBody = readonly [title: string, body: Buffer, rule?: RuleName];

/** The presence, the size and the syntax of the request body, independent of its value. */
export function bodyCases(context: OperationContext): Case[] {
  const { operation, base } = context;
  if (!operation.body || !base.body) return [];
  const { type } = base.body;
  const other = codecOf(type) === 'json' ? undefined : operation.body.content.find(isOfJson);
  const inJson = other && inputsWith(context, other);
  const request = authorizedRequest(context, inJson ?? base);
  const isJson = codecOf(type) === 'json' || inJson !== undefined;
  return [
    ...limitCases(context, request, isJson),
    ...(operation.body.required && (isJson || codecOf(type) !== 'lines')
      ? absenceCases(context, request, isJson)
      : []),
    ...(isJson ? jsonSyntaxCases(context, request) : []),
    ...arrivalCases(context),
  ];
}

const isOfJson = ({ type }: MediaType): boolean => codecOf(type) === 'json';

/** The inputs of the minimal request with a body of a media type; undefined without a value of it. */
function inputsWith({ document, oracle, operation, base }: OperationContext, media: MediaType) {
  const slot = slots(document, operation).find(({ body }) => body === media);
  if (!slot) return base;
  const [value] = slotSamples(document, oracle, slot, 'all', 20);
  return value === undefined ? undefined : slot.fill(base, value);
}

/** Whether a server may read a body while it arrives. */
export const isRead = ({ type, isStream }: MediaType): boolean =>
  isStream === true || ['multipart', 'lines'].includes(codecOf(type));

/** Bodies that arrive a byte at a time, and one whose client leaves in the middle before it sends the whole. */
function arrivalCases(context: OperationContext): Case[] {
  const make = protocolCases(context, 'bodies').bind(undefined, 'arriving body');
  return (context.operation.body?.content ?? []).filter(isRead).flatMap((media) => {
    const inputs = inputsWith(context, media);
    if (!inputs) return [];
    const request = authorizedRequest(context, inputs);
    return [
      {
        ...make(`${media.name}, a byte at a time`, { ...request, sending: 'bytewise' }, expectSuccess),
        ...(media.isStream && { handlerInput: { inputs } }),
      },
      make(`${media.name}, after a client that left`, { ...request, sending: 'interrupted' }, expectSuccess),
    ];
  });
}

/**
 * Bodies of the largest size and of one byte more. JSON can be padded to the largest size with white space, a multipart body
 * with an epilogue, and bytes with any. A very large one is only announced.
 */
function limitCases(context: OperationContext, request: RawRequest, isJson: boolean): Case[] {
  const { document, operation, target, base } = context;
  const limit = operation.bodyLimit ?? target.bodyLimit;
  if (limit === undefined) return [];
  const media = operation.body?.content.find(({ type }) => type === base.body?.type);
  const canBePadded =
    isJson || (media !== undefined && ['binary', 'multipart'].includes(codecOfBody(document, media)));
  const body = request.body ?? Buffer.alloc(0);
  const padded = (size: number): RawRequest => ({
    ...request,
    body: Buffer.concat([body, Buffer.alloc(Math.max(0, size - body.length), ' ')]),
  });
  const make = protocolCases(context, 'bodies').bind(undefined, 'body limit');
  const size = `${limit + 1} bytes`;
  const tooLarge = expectRefusal('content too large');
  const announced = make(
    `${size} announced, none sent`,
    { ...withHeader({ ...request, body }, 'Content-Length', String(limit + 1)), sending: 'withheld' },
    tooLarge,
    'refusal before the body',
  );
  if (limit > LARGEST_LIMIT) return [announced];
  const over = padded(limit + 1);
  return [
    make('in chunks', { ...request, sending: 'chunked' }, expectSuccess),
    ...(canBePadded ? [make(`${limit} bytes`, padded(limit), expectSuccess)] : []),
    make(size, over, tooLarge),
    make(`${size} in chunks`, { ...over, sending: 'chunked' }, tooLarge),
    announced,
  ];
}

/** A required body that is absent or empty. An empty body is a text too, but no JSON. A stream may end before its first byte. */
function absenceCases(context: OperationContext, request: RawRequest, isJson: boolean): Case[] {
  const { body } = context.operation;
  const isStream = body?.content.some((media) => media.isStream) === true;
  const empty = { ...request, body: Buffer.alloc(0) };
  const bodies: Readonly<Record<string, RawRequest>> = {
    'no body': { ...withoutBody(request), headers: request.headers },
    'an empty body': empty,
    ...(!isStream && { 'an empty chunked body': { ...empty, sending: 'chunked' } satisfies RawRequest }),
    ...(isJson && { 'only white space': { ...request, body: Buffer.from(' \r\n\t') } }),
  };
  const expect = expectRefusal('malformed', 'invalid request');
  const rule = isJson ? 'absent body' : 'empty text';
  const make = protocolCases(context, 'bodies');
  return Object.entries(bodies).map(([title, sent]) => make('absent body', title, sent, expect, rule));
}

/** JSON text that a strict parser refuses, and unusual text that it accepts. */
function jsonSyntaxCases(context: OperationContext, request: RawRequest): Case[] {
  const text = (request.body ?? Buffer.alloc(0)).toString();
  const firstName = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1];
  const malformed = [
    ...malformedText(text, context.operation.bodyLimit ?? context.target.bodyLimit ?? DEFAULT_LIMIT),
    ...(text.startsWith('{') ? malformedObjects(text, firstName) : []),
  ];
  const make = protocolCases(context, 'bodies');
  const refused = expectRefusal('malformed');
  return [
    ...malformed.map(([title, body, rule]) =>
      make('malformed JSON', title, { ...request, body }, refused, rule),
    ),
    ...unusualText(text, firstName).map(([title, body]) =>
      make('unusual JSON', title, { ...request, body }, expectSuccess),
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
