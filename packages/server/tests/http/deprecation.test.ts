import request from 'supertest';
import { InvalidContract } from 'contract-first-server';
import { buildDocument, buildService } from '../../../../scripts/testing/service';

const DATES = { 'x-deprecated-since': '2026-05-01', 'x-sunset': '2027-01-31T12:00:00Z' };
const SENT = { deprecation: '@1777593600', sunset: 'Sun, 31 Jan 2027 12:00:00 GMT' };

const serving = (operation: object) =>
  buildService({
    document: buildDocument({
      operation: {
        requestBody: { content: { 'application/json': { schema: { type: 'integer' } } } },
        ...operation,
      },
    }),
    handlers: { postThing: () => Promise.resolve({ status: 204 }) },
  }).app;
const sentBy = async (operation: object, body: unknown = 1) => {
  const { status, headers } = await request(serving(operation))
    .post('/things')
    .set('Content-Type', 'application/json')
    .send(JSON.stringify(body));
  const { deprecation, sunset } = headers as Record<string, string | undefined>;
  return { status, deprecation, sunset };
};

test.each([
  ['both dates', { deprecated: true, ...DATES }, SENT],
  ['a date', { deprecated: true, 'x-sunset': '2027-01-31' }, { sunset: 'Sun, 31 Jan 2027 00:00:00 GMT' }],
  ['no date', { deprecated: true }, {}],
  ['nothing', {}, {}],
])('an operation that is deprecated with %s says so (RFC 9745, RFC 8594)', async (_, operation, sent) => {
  expect(await sentBy(operation)).toEqual({
    status: 204,
    deprecation: undefined,
    sunset: undefined,
    ...sent,
  });
});

test('rejections of a deprecated operation say so, too', async () => {
  expect(await sentBy({ deprecated: true, ...DATES }, 'x')).toEqual({ status: 400, ...SENT });
});

test.each([
  ['x-sunset', { deprecated: true, 'x-sunset': '2027-02-30' }],
  ['x-sunset', { deprecated: true, 'x-sunset': 'next year' }],
  ['x-sunset', { deprecated: true, 'x-sunset': 20270131 }],
  ['x-sunset', { deprecated: true, 'x-deprecated-since': '2026-05-01', 'x-sunset': '2026-04-30' }],
  ['x-sunset', { 'x-sunset': '2027-01-31' }],
  ['x-deprecated-since', { deprecated: true, 'x-deprecated-since': '2026-05-01T12:00:00' }],
  ['x-deprecated-since', { deprecated: false, 'x-deprecated-since': '2026-05-01' }],
])('%s of %j stops the start, with its place', (name, operation) => {
  let error: unknown;
  try {
    serving(operation);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(InvalidContract);
  expect((error as InvalidContract).findings).toEqual([
    expect.objectContaining({
      pointer: `/paths/~1things/post/${name}`,
      message: expect.stringContaining('expected a date such as 2027-01-31') as string,
    }),
  ]);
});
