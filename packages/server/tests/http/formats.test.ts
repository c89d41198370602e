import supertest from 'supertest';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

async function exchange(schema: object, value: unknown, formats = {}) {
  const content = json({ type: 'object', properties: { value: schema } });
  const document = buildDocument({
    operation: { requestBody: { content }, responses: { 200: { description: '', content } } },
  });
  const given = JSON.stringify({ value });
  const handlers = { postThing: () => Promise.resolve({ status: 200, body: JSON.parse(given) as unknown }) };
  const { app, outcomes } = buildService({ document, handlers, formats });
  const request = await supertest(app).post('/things').set('Content-Type', 'application/json').send(given);
  const response = await supertest(app).post('/things');
  return { in: request.status, out: response.status, problem: outcomes[0]?.problem?.message };
}

it('a format of the service is one line and is enforced in both directions', async () => {
  const formats = { color: (text: string) => /^#[0-9a-f]{6}$/.test(text) };
  const schema = { type: 'string', format: 'color' };
  expect(await exchange(schema, '#00ff7f', formats)).toMatchObject({ in: 200, out: 200 });
  expect(await exchange(schema, 'green', formats)).toEqual({
    in: 400,
    out: 500,
    problem: 'body/value must match format "color"',
  });
  expect(await exchange(schema, 'green')).toMatchObject({ in: 200, out: 200 });
});

it('and replaces a built-in format of the same name', async () => {
  const formats = { uuid: (text: string) => text === 'mine' };
  expect(await exchange({ format: 'uuid' }, 'mine', formats)).toMatchObject({ in: 200, out: 200 });
});

it.each([
  ['float', 5e-324, 200],
  ['float', 1e300, 400],
  ['int32', 2 ** 31, 400],
  ['uint8', 256, 400],
  ['uint8', 'a string', 200],
  ['uuid', 1, 200],
])('format %s and %s: %s', async (format, value, status) => {
  expect(await exchange({ format }, value)).toMatchObject({ in: status, out: status === 200 ? 200 : 500 });
});
