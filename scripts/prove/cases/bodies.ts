import { codecOf } from '../document/media';
import { type RawRequest, withoutBody } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  type Expectation,
  expectRefusal,
  expectSuccess,
  type OperationContext,
  protocolCase,
} from './case';
import type { RuleName } from '../profile';
import { jsonSyntaxCases } from './json-syntax';

/** The presence, the size and the syntax of the request body, independent of its value. */
export function bodyCases(context: OperationContext): Case[] {
  const { operation, base } = context;
  if (!operation.body || !base.body) return [];
  const request = authorizedRequest(context);
  const isJson = codecOf(base.body.type) === 'json';
  return [
    ...limitCases(context, request, isJson),
    ...(operation.body.required ? absenceCases(context, request, isJson) : []),
    ...(isJson ? jsonSyntaxCases(context, request) : []),
  ];
}

/** Bodies of the largest size and of one byte more. Only JSON can be padded to the largest size: with white space. */
function limitCases(context: OperationContext, request: RawRequest, isJson: boolean): Case[] {
  const limit = context.target.bodyLimit;
  if (limit === undefined) return [];
  const body = request.body ?? Buffer.alloc(0);
  const padded = (size: number): RawRequest => ({
    ...request,
    body: Buffer.concat([body, Buffer.alloc(Math.max(0, size - body.length), ' ')]),
  });
  const over = padded(limit + 1);
  const tooLarge = expectRefusal('content too large');
  const send = (title: string, sent: RawRequest, expect: Expectation, rule?: RuleName): Case =>
    protocolCase(context, 'bodies', 'body limit', title, sent, expect, rule);
  return [
    send('in chunks', { ...request, sending: 'chunked' }, expectSuccess),
    ...(isJson ? [send(`${limit} bytes`, padded(limit), expectSuccess)] : []),
    send(`${limit + 1} bytes`, over, tooLarge),
    send(`${limit + 1} bytes in chunks`, { ...over, sending: 'chunked' }, tooLarge),
    send(
      `${limit + 1} bytes announced, none sent`,
      { ...over, sending: 'withheld' },
      tooLarge,
      'refusal before the body',
    ),
  ];
}

/** A required body that is absent or empty. An empty body is a text too, but no JSON. */
function absenceCases(context: OperationContext, request: RawRequest, isJson: boolean): Case[] {
  const empty = { ...request, body: Buffer.alloc(0) };
  const bodies: [title: string, sent: RawRequest][] = [
    ['no body', { ...withoutBody(request), headers: request.headers }],
    ['an empty body', empty],
    ['an empty chunked body', { ...empty, sending: 'chunked' }],
    ...(isJson
      ? [['only white space', { ...request, body: Buffer.from(' \r\n\t') }] satisfies [string, RawRequest]]
      : []),
  ];
  const expect = expectRefusal('malformed', 'invalid request');
  const rule = isJson ? 'absent body' : 'empty text';
  return bodies.map(([title, sent]) =>
    protocolCase(context, 'bodies', 'absent body', title, sent, expect, rule),
  );
}
