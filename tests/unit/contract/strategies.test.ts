import { ApiKeyStrategy, BasicStrategy } from '../../../src/contract/strategies';
import request from 'supertest';
import { buildDocument, buildService, json } from '../../support/service';

/** A service with one operation that demands an API key, or else a user and password, and says who was told to it. */
function serve(verify: {
  key?: (key: string) => Promise<unknown>;
  basic?: (user: string, password: string) => Promise<unknown>;
}) {
  const nobody = () => Promise.resolve(false);
  const document = buildDocument({
    operation: {
      security: [{ key: [] }, { basic: [] }],
      responses: { 200: { description: '', content: json(true) } },
    },
    components: {
      securitySchemes: {
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
      key: new ApiKeyStrategy(verify.key ?? nobody),
      basic: new BasicStrategy(verify.basic ?? nobody),
    },
  });
  return (headers: Record<string, string>) => request(app).post('/things').set(headers);
}

const basic = (pair: string) => ({ Authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

it('tells the handler whose the API key is', async () => {
  const ask = serve({ key: (key) => Promise.resolve(key === 'good' && { name: 'Ada' }) });
  expect((await ask({ 'X-Key': 'good' }).expect(200)).body).toEqual({ key: { name: 'Ada' } });
  expect((await ask({ 'X-Key': 'bad' }).expect(401)).body).toMatchObject({ error: 40101 });
  expect((await ask({}).expect(401)).headers['www-authenticate']).toBe(
    'ApiKey, Basic realm="api", charset="UTF-8"',
  );
});

it('splits user and password at the first colon, in UTF-8', async () => {
  const ask = serve({ basic: (...pair) => Promise.resolve({ pair }) });
  expect((await ask(basic('Zoë:a:b')).expect(200)).body).toEqual({ basic: { pair: ['Zoë', 'a:b'] } });
  await ask(basic('no colon')).expect(401);
});

it('answers 500 when it cannot be found out', async () => {
  const ask = serve({ key: () => Promise.reject(new Error('the directory is down')) });
  expect((await ask({ 'X-Key': 'any' }).expect(500)).text).not.toContain('directory');
});
