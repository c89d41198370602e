import request from 'supertest';
import type { JsonObject } from 'contract-first-server';
import { buildDocument, buildService } from '../../../../scripts/testing/service';
import { hidden, ok, respond, thing } from './respond';

describe('an undocumented response never reaches the client, and the log contains the reason', () => {
  const cyclic: Record<string, unknown> = { name: 'a' };
  cyclic['self'] = cyclic;
  const header = (required: boolean) => ({
    headers: { 'X-Count': { required, schema: { type: 'integer' } } },
  });
  it.each([
    ['an undocumented status', ok(thing), { status: 404, body: {} }, 'the status 404 is not documented'],
    ...[0, 101, 199, 600, 1000, 200.5].map((status): [string, object, object, string] => [
      `the status ${status}, which HTTP has not`,
      { default: ok(true)[200] },
      { status, body: {} },
      `the status ${status} is not documented`,
    ]),
    [
      'a range instead of a media type',
      { 200: { description: '', content: { 'image/*': {} } } },
      { status: 200, contentType: 'image/*', body: Buffer.from('') },
      'expected a media type, got "image/*"',
    ],
    [
      'an invalid media type',
      { 200: { description: '', content: { 'text/*': {} } } },
      { status: 200, contentType: 'text/\u2192', body: '' },
      'expected a media type, got "text/\u2192"',
    ],
    [
      'a missing property',
      ok(thing),
      { status: 200, body: {} },
      "the 200 response: body must have required property 'name'",
    ],
    [
      'a wrong type',
      ok(thing),
      { status: 200, body: { name: 1 } },
      'the 200 response: body/name must be string',
    ],
    [
      'a wrong type in a 503',
      { 503: ok({ properties: { message: { type: 'string' } } })[200] },
      { status: 503, body: { message: 1 } },
      'the 503 response: body/message must be string',
    ],
    [
      'an int64 out of range',
      ok(thing),
      { status: 200, body: { name: '', size: 2n ** 63n } },
      'the 200 response: body/size must match format "int64"',
    ],
    [
      'an int64 as text',
      ok(thing),
      { status: 200, body: { name: '', size: '1' } },
      'the 200 response: body/size must be integer',
    ],
    ['a missing body', ok(thing), { status: 200 }, 'body is of the type undefined, which JSON does not have'],
    [
      'an undocumented body',
      { 204: { description: '' } },
      { status: 204, body: {} },
      'a body is not documented',
    ],
    ['NaN', ok(true), { status: 200, body: { a: [NaN] } }, 'body/a/0 is NaN, not a JSON number'],
    [
      'a function',
      ok(true),
      { status: 200, body: { a: () => 1 } },
      'body/a is of the type function, which JSON does not have',
    ],
    [
      'bytes',
      ok(true),
      { status: 200, body: { a: [Buffer.from('a')] } },
      'body/a/0 is a Uint8Array, which JSON does not have',
    ],
    ['a Map', ok(true), { status: 200, body: new Map() }, 'body is a Map, which JSON does not have'],
    [
      'half of a surrogate pair',
      ok(true),
      { status: 200, body: '\ud800' },
      'body has half of a surrogate pair',
    ],
    [
      'something without an end',
      ok(true),
      { status: 200, body: cyclic },
      expect.stringContaining('nested more than 64 deep'),
    ],
    [
      'a toJSON with a wrong result',
      ok(thing),
      { status: 200, body: { name: 'a', toJSON: () => ({}) } },
      "the 200 response: body must have required property 'name'",
    ],
    [
      'a missing header',
      ok(thing, header(true)),
      { status: 200, body: { name: '' } },
      "the 200 response: header must have required property 'X-Count'",
    ],
    [
      'a header of the wrong type',
      ok(thing, header(false)),
      { status: 200, body: { name: '' }, headers: { 'X-Count': 'x' } },
      'the 200 response: header/X-Count must be integer',
    ],
    [
      'a header that could not be read back',
      ok(thing, { headers: { 'X-Pairs': { schema: { properties: { a: { type: 'string' } } } } } }),
      { status: 200, body: { name: '' }, headers: { 'X-Pairs': 'a' } },
      'X-Pairs is not a list of names and values: the last name has no value',
    ],
    [
      'an undocumented header',
      ok(thing),
      { status: 200, body: { name: '' }, headers: { 'X-Secret': 'x' } },
      'the header X-Secret is not documented',
    ],
    ['undefined', ok(thing), undefined, expect.any(String)],
    ['a number', ok(thing), 7, expect.any(String)],
  ])('%s', async (_, responses, answer, log) => {
    const { headers, ...sent } = await respond(responses, answer);
    expect(sent).toEqual({ ...hidden, log: log as unknown });
    expect(headers['x-secret']).toBeUndefined();
  });

  it('a getter that throws', async () => {
    const body = {
      get name() {
        throw new Error('secret');
      },
    };
    expect(await respond(ok(thing), { status: 200, body })).toMatchObject({ ...hidden, log: 'secret' });
  });
});

describe('every thrown error produces the error body', () => {
  it.each([
    ['an Error', new Error('password=secret')],
    ['an error that claims a status', Object.assign(new Error('secret'), { status: 404, expose: true })],
    ['a string', 'secret'],
    ['undefined', undefined],
  ])('%s thrown by a handler is 50000; its message is logged and not sent', async (_, thrown: unknown) => {
    const document = buildDocument();
    const fail = jest.fn().mockRejectedValue(thrown);
    const { app, outcomes } = buildService({ document, handlers: { postThing: fail } });
    const response = await request(app).post('/things');
    expect([response.status, response.text]).toEqual([hidden.status, hidden.text]);
    expect(outcomes[0]?.problem?.cause).toBe(thrown);
  });

  it('a handler that throws before it returns a promise', async () => {
    const document: JsonObject = buildDocument();
    const { app } = buildService({
      document,
      handlers: {
        postThing: () => {
          throw new Error('secret');
        },
      },
    });
    expect((await request(app).post('/things')).text).toBe(hidden.text);
  });

  it('a refusal that does not match the operation', async () => {
    const short = { properties: { message: { type: 'string', maxLength: 20 } } };
    const document = buildDocument({ operation: { responses: { 400: ok(short)[200] } } });
    const handlers = { postThing: () => Promise.reject(new Error('not asked')) };
    const faults: unknown[] = [];
    const { app, outcomes } = buildService({
      document,
      handlers,
      reportFault: (error) => faults.push(error),
    });
    expect((await request(app).post('/things?color=green')).text).toBe(hidden.text);
    expect(faults).toEqual([expect.objectContaining({ message: 'query/color is not in the document' })]);
    expect(outcomes[0]?.problem?.cause).toEqual(
      new Error('the 400 response: body/message must NOT have more than 20 characters'),
    );
  });
});
