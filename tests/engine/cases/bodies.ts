import { codec } from '../document/media-type';
import { protocolKey } from '../obligations';
import type { RawRequest } from '../wire/message';
import {
  accepted,
  authorised,
  bodiless,
  type Case,
  type Context,
  type Expectation,
  type Make,
  refused,
  withHeader,
} from './case';
import { jsonCases } from './json-syntax';

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
    const absent = refused('malformed', 'mismatch');
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
