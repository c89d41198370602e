import { codecOf } from '../document/media-type';
import { protocolKey } from '../obligations';
import type { RawRequest } from '../wire/message';
import {
  expectSuccess,
  authorizedRequest,
  withoutBody,
  type Case,
  type OperationContext,
  type Expectation,
  type MakeCase,
  expectRefusal,
  withHeader,
} from './case';
import { jsonCases } from './json-syntax';

/** Everything about a body but the value in it: its media type, its presence, its size, its form. */
export function bodyCases(context: OperationContext): Case[] {
  const { operation, base, target } = context;
  const { body } = operation;
  if (!body || !base.body) return [];
  const request = authorizedRequest(context);
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
  const charsets = codecOf(type) === 'binary' ? [] : ['utf-16', 'latin1'];
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
      expectRefusal('unsupported media type'),
    ),
    ...wrong.map((name) =>
      made(
        'media types',
        'unsupported media types',
        `Content-Type: ${name}`,
        typed(name),
        expectRefusal('unsupported media type'),
      ),
    ),
    ...['gzip', 'br', 'undocumented'].map((coding) =>
      made(
        'media types',
        'unsupported media types',
        `Content-Encoding: ${coding}`,
        withHeader(request, 'Content-Encoding', coding),
        expectRefusal('unsupported media type'),
      ),
    ),
    ...same.map((name) =>
      made('media types', 'equivalent media types', `Content-Type: ${name}`, typed(name), expectSuccess),
    ),
    made('bodies', 'body limit', 'in chunks', { ...request, sending: 'chunked' }, expectSuccess),
    ...limitCases(request, target.bodyLimit, codecOf(type) === 'json', made),
  ];
  if (body.required) {
    const absent = expectRefusal('malformed', 'mismatch');
    cases.push(
      made('bodies', 'absent body', 'no body', { ...withoutBody(request), headers: request.headers }, absent),
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
    if (codecOf(type) === 'json') {
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
  return codecOf(type) === 'json' ? [...cases, ...jsonCases(request, target.bodyLimit, made)] : cases;
}

/** On, and just beyond, the largest body: padded with space where the body is JSON, else only beyond. */
function limitCases(request: RawRequest, limit: number, json: boolean, made: MakeCase): Case[] {
  const body = request.body ?? Buffer.alloc(0);
  const padded = (size: number): Buffer =>
    Buffer.concat([body, Buffer.alloc(Math.max(0, size - body.length), ' ')]);
  const over = { ...request, body: padded(limit + 1) };
  const tooLarge = expectRefusal('too large');
  return [
    ...(json
      ? [made('bodies', 'body limit', `${limit} bytes`, { ...request, body: padded(limit) }, expectSuccess)]
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
