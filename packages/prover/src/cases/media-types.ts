import { negotiableMediaTypes } from '../document/model';
import { codecOf, isRange, matchesMediaType, partsOf, withCharset } from '../document/media';
import type { Value } from '../json/value';
import type { Slot } from '../request/slots';
import { refusalsFor } from '../target';
import { withHeader } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  type Expectation,
  expectRefusal,
  expectSuccess,
  expectSuccessOrOwnRefusal,
  handlerInput,
  inputCase,
  type OperationContext,
  protocolCases,
} from './case';

/** Content-Type and Content-Encoding of the request body, and Accept. */
export const mediaTypeCases = (context: OperationContext): Case[] => [
  ...contentTypeCases(context),
  ...acceptCases(context),
];

function contentTypeCases(context: OperationContext): Case[] {
  const { base, operation } = context;
  if (!base.body) return [];
  const { type } = base.body;
  const request = authorizedRequest(context);
  const make = protocolCases(context, 'media types');
  const send = (name: string, value: string | undefined, isSupported: boolean): Case =>
    make(
      isSupported ? 'equivalent media types' : 'unsupported media types',
      value === undefined ? `no ${name}` : `${name}: ${value}`,
      withHeader(request, name, value),
      isSupported ? expectSuccess : expectRefusal('unsupported media type'),
    );
  const isCovered = (value: string): boolean =>
    (operation.body?.content ?? []).some(({ name }) => isRange(name) && matchesMediaType(name, value));
  // Bytes, parts and sequences have no charset.
  const withCharsets = (...charsets: string[]): string[] =>
    ['binary', 'multipart', 'lines'].includes(codecOf(type))
      ? []
      : charsets.map((charset) => withCharset(type, charset));
  const [essence, ...parameters] = partsOf(type);
  const others = [
    ...['application/x-undocumented', 'application/x-undocumented+json', `${essence}x`],
    ...['not a media type', ''],
  ];
  const unsupported = [
    undefined,
    ...others.filter((value) => !isCovered(value)),
    ...withCharsets('charset=utf-16', 'charset=latin1'),
  ];
  const equivalent = [
    [essence.toUpperCase(), ...parameters].join('; '),
    ...withCharsets('charset=utf-8', 'charset=UTF-8', 'charset="utf-8"', 'CHARSET=utf-8'),
  ];
  return [
    ...unsupported.map((value) => send('Content-Type', value, false)),
    ...['gzip', 'br', 'undocumented'].map((coding) => send('Content-Encoding', coding, false)),
    ...equivalent.map((value) => send('Content-Type', value, true)),
  ];
}

/** Other spellings of a media type with parameters (RFC 9110 section 8.3.1). */
export function contentTypeSpellings(context: OperationContext, slot: Slot, value: Value): Case[] {
  const type = slot.body?.type ?? '';
  const [essence, ...parameters] = partsOf(type);
  if (parameters.length === 0) return [];
  const pairs = parameters.map((parameter): [name: string, text: string] => {
    const at = parameter.indexOf('=');
    return [parameter.slice(0, at), parameter.slice(at + 1)];
  });
  const upperCase = pairs.map(([name, text]) => `${name.toUpperCase()}=${text}`);
  const quoted = pairs.map(([name, text]) =>
    text.startsWith('"') ? `${name}=${text}` : `${name}="${text}"`,
  );
  const spellings = [
    [essence.toUpperCase(), ...upperCase].join(';'),
    [essence, ...quoted].join(' ; '),
    withCharset(type, 'charset=utf-8'),
  ];
  const inputs = slot.fill(context.base, value);
  return spellings.map((spelling) =>
    inputCase(context, 'media types', `${slot.label} as Content-Type: ${spelling}`, inputs, {
      request: withHeader(authorizedRequest(context, inputs), 'Content-Type', spelling),
      ...handlerInput(context, slot, value),
      expect: expectSuccessOrOwnRefusal(context),
    }),
  );
}

/** The media types of the response that a client may request (RFC 9110 section 12.5.1). */
function acceptCases(context: OperationContext): Case[] {
  const { operation, target } = context;
  const all = negotiableMediaTypes(operation);
  const names = all.filter((name) => !isRange(name));
  const [first = ''] = names;
  const last = names.at(-1) ?? '';
  if (all.length === 0) return [];
  const make = protocolCases(context, 'media types');
  const isAdmitted = all.some(
    (name) => isRange(name) && matchesMediaType(name, 'application/x-undocumented'),
  );
  const accept = (field: string, expect: Expectation): Case => {
    const request = withHeader(authorizedRequest(context), 'Accept', field);
    return make('content negotiation', `Accept: ${field}`, request, expect);
  };
  const choosing = (mediaType: string, ...others: string[]): Expectation => ({
    ...expectSuccess,
    mediaType,
    isSelective: all.some((name) => name !== mediaType && !others.includes(name)),
  });
  return [
    ...names.map((name) => accept(name, choosing(name))),
    ...(last === '' ? [] : [accept(`application/x-undocumented, ${last};q=0.1`, choosing(last))]),
    ...(names.length > 1 ? [accept(`${first};q=0.1, ${last};q=0.9`, choosing(last, first))] : []),
    accept('*/*', expectSuccess),
    ...(isAdmitted ||
    target.profile === 'document' ||
    refusalsFor(target, operation.id)['not acceptable'] === undefined
      ? []
      : [accept('application/x-undocumented', expectRefusal('not acceptable'))]),
  ];
}
