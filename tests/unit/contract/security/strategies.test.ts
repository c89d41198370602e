import { ApiKeyStrategy, BasicStrategy, bearerStrategy } from '../../../../src/contract/security/strategies';
import type { Verify } from '../../../../src/contract/security/principals';
import request from 'supertest';
import { buildDocument, buildService, json } from '../../../support/service';

/** A service with one operation that requires a token, an API key, or a user and password. It returns the principals. */
function serve(verify: {
  bearer?: Verify<[token: string], object>;
  key?: Verify<[key: string], object>;
  basic?: Verify<[user: string, password: string], object>;
}) {
  const reject = () => false as const;
  const document = buildDocument({
    operation: {
      security: [{ bearer: [] }, { key: [] }, { basic: [] }],
      responses: { 200: { description: '', content: json(true) } },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  });
  const { app } = buildService({
    document,
    handlers: {
      postThing: ({ principal }: { principal: object }) => Promise.resolve({ status: 200, body: principal }),
    },
    strategies: {
      bearer: bearerStrategy(verify.bearer ?? reject),
      key: new ApiKeyStrategy(verify.key ?? reject),
      basic: new BasicStrategy(verify.basic ?? reject),
    },
  });
  return (headers: Record<string, string>) => request(app).post('/things').set(headers);
}

const basic = (pair: string) => ({ Authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

it.each([
  ['at once', (token: string) => token === 'good' && { name: 'Ada' }],
  ['later', (token: string) => Promise.resolve(token === 'good' && { name: 'Ada' })],
])('passes the principal of a token to the handler, if the verifier returns it %s', async (_, bearer) => {
  const send = serve({ bearer });
  expect((await send({ Authorization: 'Bearer good' }).expect(200)).body).toEqual({
    bearer: { name: 'Ada' },
  });
  const refused = await send({ Authorization: 'Bearer bad' }).expect(401);
  expect(refused.headers['www-authenticate']).toContain('Bearer realm="api", error="invalid_token"');
});

it('passes the principal of an API key to the handler', async () => {
  const send = serve({ key: (key) => Promise.resolve(key === 'good' && { name: 'Ada' }) });
  expect((await send({ 'X-Key': 'good' }).expect(200)).body).toEqual({ key: { name: 'Ada' } });
  expect((await send({ 'X-Key': 'bad' }).expect(401)).body).toMatchObject({ error: 40101 });
  expect((await send({}).expect(401)).headers['www-authenticate']).toBe(
    'Bearer realm="api", ApiKey, Basic realm="api", charset="UTF-8"',
  );
});

it('splits user and password at the first colon, in UTF-8', async () => {
  const send = serve({ basic: (...pair) => Promise.resolve({ pair }) });
  expect((await send(basic('Zoë:a:b')).expect(200)).body).toEqual({ basic: { pair: ['Zoë', 'a:b'] } });
  await send(basic('no colon')).expect(401);
});

it.each([
  ['a token', { Authorization: 'Bearer any' }],
  ['an API key', { 'X-Key': 'any' }],
  ['a password', basic('a:b')],
])('answers 500 if the verifier of %s fails', async (_, headers) => {
  const reason = new Error('the directory is down');
  const failing = [
    () => Promise.reject(reason),
    () => {
      throw reason;
    },
  ];
  for (const fail of failing) {
    const send = serve({ bearer: fail, key: fail, basic: fail });
    expect((await send(headers).expect(500)).text).not.toContain('directory');
  }
});
