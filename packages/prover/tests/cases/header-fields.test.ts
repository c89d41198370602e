import type { IncomingMessage } from 'node:http';
import { run } from '../../src/run';
import { describeFailure } from '../../src/report/terminal';
import { type Answer, correctServer, numbers, serve } from '../support/simple-server';

// Which header fields the prover sends that a server must refuse: one that takes them all fails each of these cases.

const OPTIONS = { generated: 1, shrink: false };
const WAIVERS = [{ obligation: /409/, reason: 'no conflict can occur' }];

describe('a server that wants a bearer token', () => {
  const fieldsOf = ({ rawHeaders }: IncomingMessage): string[] =>
    rawHeaders.filter((_, i) => /^authorization$/i.test(rawHeaders[i - 1] ?? ''));

  /** What the prover finds, if the server takes other values of Authorization, too. */
  async function failuresWith(takes: (field: string) => boolean) {
    const isAdmitted = (field: string) =>
      /^bearer token$/.test(field.replace(/^bearer/i, 'bearer')) || takes(field);
    const answer: Answer = (request, body) => {
      const reply = correctServer(request, body);
      if (reply.status === 404 || reply.status === 405) return reply;
      const fields = fieldsOf(request);
      if (fields.length > 1)
        return { status: 400, headers: { 'WWW-Authenticate': 'Bearer error="invalid_request"' } };
      if (fields.some(isAdmitted)) return reply;
      const error = fields.some((field) => /^bearer ./i.test(field)) ? ' error="invalid_token"' : '';
      return { status: 401, headers: { 'WWW-Authenticate': `Bearer${error}` } };
    };
    const target = numbers(
      (_, document) => {
        document['security'] = [{ token: [] }];
        document['components'] = { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } };
      },
      answer,
      {
        // It reads no body of a request that it refuses.
        start: serve(answer, undefined, (request) => (fieldsOf(request).some(isAdmitted) ? 2000 : 0)),
        credentials: { token: { valid: 'token', invalid: 'wrong' } },
        waivers: WAIVERS,
      },
    );
    return (await run(target, OPTIONS)).failures;
  }

  test('passes if it refuses all others with the statuses of RFC 9110', async () => {
    expect((await failuresWith(() => false)).map(describeFailure)).toEqual([]);
  });

  test('fails if it takes what is no token', async () => {
    const failures = await failuresWith((field) => !/^bearer \w+$/i.test(field));
    expect(failures.map(({ title }) => title)).toEqual([
      'token: Authorization: ',
      'token: Authorization: Bearer',
      'token: Authorization: Bearer ',
      'token: Authorization: Bearertoken',
      'token: Authorization: token',
      'token: Authorization: xBearer token',
      'token: Authorization: Bearer token token',
      'token: Authorization: Bearer token,',
      'token: another scheme',
    ]);
  });
});

test('a server fails that ignores the media type, the charset and the coding of a body', async () => {
  const ignoring: Answer = (request, body) => {
    request.headers['content-type'] = 'application/json';
    delete request.headers['content-encoding'];
    return correctServer(request, body);
  };
  const { failures } = await run(
    numbers(() => undefined, ignoring, { waivers: WAIVERS }),
    OPTIONS,
  );
  expect(failures.map(({ title }) => title)).toEqual([
    'no Content-Type',
    'Content-Type: application/x-undocumented',
    'Content-Type: application/x-undocumented+json',
    'Content-Type: application/jsonx',
    'Content-Type: not a media type',
    'Content-Type: ',
    'Content-Type: application/json; charset=utf-16',
    'Content-Type: application/json; charset=latin1',
    'Content-Encoding: gzip',
    'Content-Encoding: br',
    'Content-Encoding: undocumented',
  ]);
});
