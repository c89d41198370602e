import { negotiableMediaTypes } from '../document/document';
import type { Value } from '../json/value';
import { protocolKey } from '../obligations';
import type { Slot } from '../request/slots';
import {
  expectSuccess,
  expectSuccessOrOwnRefusal,
  authorizedRequest,
  type Case,
  type OperationContext,
  handlerInput,
  expectRefusal,
  withHeader,
} from './case';

/** A media type with parameters, written in other ways that mean the same (RFC 9110 section 8.3.1). */
export function contentTypeSpellings(context: OperationContext, slot: Slot, value: Value): Case[] {
  const [essence = '', ...parameters] = (slot.body?.name ?? '').split(';').map((part) => part.trim());
  const pairs = parameters.map((parameter) => parameter.split('='));
  if (pairs.length === 0) return [];
  const spellings = [
    [essence.toUpperCase(), ...pairs.map(([name = '', given = '']) => `${name.toUpperCase()}=${given}`)].join(
      ';',
    ),
    [essence, ...pairs.map(([name = '', given = '']) => `${name}="${given}"`)].join(' ; '),
    [essence, 'charset=utf-8', ...parameters].join('; '),
  ];
  return spellings.map((type) => ({
    family: 'media types',
    title: `${slot.label} as Content-Type: ${type}`,
    operation: context.operation,
    request: withHeader(authorizedRequest(context, slot.fill(context.base, value)), 'Content-Type', type),
    ...handlerInput(context, slot, value),
    expect: expectSuccessOrOwnRefusal(context),
    proves: [],
  }));
}

/** What a client may ask for of the media types of an answer (RFC 9110 section 12.5.1). */
export function acceptCases(context: OperationContext): Case[] {
  const { operation, target } = context;
  const names = negotiableMediaTypes(operation);
  if (names.length === 0) return [];
  const asking = (field: string, expect: Case['expect']): Case => ({
    family: 'media types',
    title: `Accept: ${field}`,
    operation,
    request: withHeader(authorizedRequest(context), 'Accept', field),
    expect,
    proves: [protocolKey(operation, 'what is accepted')],
  });
  const last = names.at(-1) ?? '';
  return [
    ...names.map((name) => asking(name, { ...expectSuccess, media: name })),
    asking(`application/x-undocumented, ${last};q=0.1`, { ...expectSuccess, media: last }),
    ...(names.length > 1
      ? [asking(`${names[0] ?? ''};q=0.1, ${last};q=0.9`, { ...expectSuccess, media: last })]
      : []),
    asking('*/*', expectSuccess),
    ...(target.refusals['not acceptable'] === undefined
      ? []
      : [asking('application/x-undocumented', expectRefusal('not acceptable'))]),
  ];
}
