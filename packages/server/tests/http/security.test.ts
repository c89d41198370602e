import { connect } from 'node:net';
import express from 'express';
import { Strategy } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import request from 'supertest';
import { type Answer, bearerStrategy, type Credentials, TokenStrategy } from 'contract-first-server';
import { buildAuthentication } from '../support/authentication';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

/** The methods with which a passport strategy reports its result. */
interface Verdicts {
  success(principal: unknown): void;
  fail(challenge: string): void;
}

function strategy(challenge: string, verify: (credentials: Credentials) => object | false) {
  const authenticate = function (this: Verdicts, credentials: Credentials) {
    const principal = verify(credentials);
    if (principal) this.success(principal);
    else this.fail(challenge);
  };
  return Object.assign(new Strategy(), { authenticate });
}

const keyStrategy = (key: string) => strategy('ApiKey', ({ apiKey }) => apiKey === key && { key });

/** Accepts any user with the password `secret`. */
const basicStrategy = strategy('Basic realm="api"', ({ headers: { authorization = '' } }) => {
  const [user, password] = Buffer.from(authorization.slice('basic '.length), 'base64').toString().split(':');
  return password === 'secret' && { user };
});

const bearer = new BearerStrategy(
  { realm: 'api' },
  (token: string, done: (error: unknown, who?: unknown) => void) => {
    if (token === 'down') done(new Error('the directory is down: ldap://10.0.0.1'));
    else done(null, token === 'good' && { who: token });
  },
);

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  oauth: { type: 'oauth2', flows: {} },
  basic: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'key' },
  token: { type: 'apiKey', in: 'header', name: 'Authorization' },
};
const STRATEGIES = {
  bearer,
  oauth: bearer,
  basic: basicStrategy,
  header: keyStrategy('h'),
  query: keyStrategy('q'),
  cookie: keyStrategy('c'),
  token: new TokenStrategy((token) => token === 'good' && { token }, { prefix: 'Token' }),
};

/** Calls an operation with this security requirement. Returns the status, and the error number or the principal. */
async function ask(
  security: object[] | undefined,
  headers: Record<string, string> = {},
  query = '',
  global?: object[],
) {
  const responses = { 200: { description: '', content: json(true) } };
  const document = {
    ...buildDocument({
      operation: { responses, ...(security && { security }) },
      components: { securitySchemes: SCHEMES },
    }),
    ...(global && { security: global }),
  };
  const postThing = ({ principal }: { principal: unknown }): Promise<Answer> =>
    Promise.resolve({ status: 200, body: principal });
  const { app, outcomes } = buildService({ document, handlers: { postThing }, strategies: STRATEGIES });
  const response = await request(app).post(`/things${query}`).set(headers);
  const body = response.body as { error?: number };
  return {
    status: response.status,
    result: body.error ?? body,
    challenge: response.headers['www-authenticate'],
    outcomes,
  };
}

const basic = (credentials: string) => ({
  Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
});

describe('each scheme, without or with other credentials', () => {
  const none = (challenge: string) => ({ status: 401, result: 40100, challenge });
  const bad = (challenge: string) => ({ status: 401, result: 40101, challenge });
  it.each([
    ['bearer', {}, '', none('Bearer realm="api"')],
    ['bearer', { Authorization: 'Bearer bad' }, '', bad('Bearer realm="api", error="invalid_token"')],
    ['bearer', basic('ann:secret'), '', none('Bearer realm="api"')],
    ['basic', {}, '', none('Basic realm="api"')],
    ['basic', basic('ann:wrong'), '', bad('Basic realm="api"')],
    ['basic', { Authorization: 'Basic !' }, '', bad('Basic realm="api"')],
    ['header', {}, '', none('ApiKey')],
    ['header', { 'X-Key': 'x' }, '', bad('ApiKey')],
    ['header', {}, '?X-Key=h', none('ApiKey')],
    ['query', {}, '?key=q&key=q', bad('ApiKey')],
    ['query', { key: 'q' }, '', none('ApiKey')],
    ['cookie', { Cookie: 'key=' }, '', bad('ApiKey')],
    ['cookie', { Cookie: 'xkey=c' }, '', none('ApiKey')],
  ])('%s with %j and the query "%s"', async (scheme, headers, query, refusal) => {
    expect(await ask([{ [scheme]: [] }], headers as Record<string, string>, query)).toMatchObject(refusal);
  });
});

describe('alternatives and combinations of schemes', () => {
  const both = { ...basic('ann:secret'), 'X-Key': 'h' };
  const AND = [{ basic: [], header: [] }];
  const OR = [{ basic: [] }, { header: [] }];
  const optional = [{ header: [] }, {}];
  it.each([
    ['all of one alternative', AND, both, 200, { basic: { user: 'ann' }, header: { key: 'h' } }],
    ['one of two required schemes', AND, basic('ann:secret'), 401, 40100],
    ['the other one', AND, { 'X-Key': 'h' }, 401, 40100],
    ['the first of two alternatives', OR, basic('ann:secret'), 200, { basic: { user: 'ann' } }],
    ['the second', OR, { 'X-Key': 'h' }, 200, { header: { key: 'h' } }],
    [
      'the second, although the first has bad credentials',
      OR,
      { ...basic('ann:x'), 'X-Key': 'h' },
      200,
      { header: { key: 'h' } },
    ],
    ['neither', OR, {}, 401, 40100],
    ['no credentials, if that is an alternative', optional, {}, 200, {}],
    ['credentials, although none are required', optional, { 'X-Key': 'h' }, 200, { header: { key: 'h' } }],
    ['no credentials, without a requirement', [], {}, 200, {}],
  ])('%s', async (_, security, headers, status, result) => {
    expect(await ask(security, headers as Record<string, string>)).toMatchObject({ status, result });
  });

  it('the response contains all challenges', async () => {
    expect((await ask(OR)).challenge).toBe('Basic realm="api", ApiKey');
  });
});

describe('where no credentials would do, those that are given must be good', () => {
  const basicBad = basic('ann:x');
  /** By scheme: good credentials, and others, each as headers and a query. */
  const GIVEN: Readonly<Record<string, readonly (readonly [Record<string, string>, string?])[]>> = {
    bearer: [
      [{ Authorization: 'Bearer good' }],
      ...['Bearer bad', 'bearer  bad', 'Bearer', 'Bearer a b', 'Token good', 'good', '', 'Basic !'].map(
        (Authorization) => [{ Authorization }] as const,
      ),
      [basic('ann:secret')],
    ],
    oauth: [[{ Authorization: 'Bearer good' }], [{ Authorization: 'Bearer bad' }], [basic('ann:secret')]],
    basic: [
      [basic('ann:secret')],
      [basicBad],
      [{ Authorization: 'Basic !' }],
      [{ Authorization: 'Bearer good' }],
    ],
    header: [[{ 'X-Key': 'h' }], [{ 'X-Key': 'x' }], [{ 'X-Key': '' }]],
    query: [
      [{}, '?key=q'],
      [{}, '?key=x'],
      [{}, '?key='],
      [{}, '?key'],
      [{}, '?key=q&key=q'],
      [{}, '?k%65y=x'],
    ],
    cookie: [
      [{ Cookie: 'a=b; key=c' }],
      [{ Cookie: 'key=x' }],
      [{ Cookie: 'key=' }],
      [{ Cookie: 'key=c; key=c' }],
    ],
    token: [
      [{ Authorization: 'Token good' }],
      ...['Token bad', 'Bearer good', 'good', 'Token', ''].map(
        (Authorization) => [{ Authorization }] as const,
      ),
    ],
  };
  const SENT = Object.entries(GIVEN).flatMap(([scheme, all]) =>
    all.map(([headers, query = ''], i) => [scheme, headers, query, i === 0 ? 200 : 401] as const),
  );
  it.each(SENT)('%s with %j and the query "%s" is %d', async (scheme, headers, query, status) => {
    const required = await ask([{ [scheme]: [] }], headers, query);
    expect(required.status).toBe(status);
    if (status === 200) expect(required.result).toEqual({ [scheme]: expect.any(Object) as object });
    for (const security of [
      [{}, { [scheme]: [] }],
      [{ [scheme]: [] }, {}],
    ]) {
      expect(await ask(security, headers, query)).toMatchObject({
        status,
        result: required.result,
        challenge: required.challenge,
      });
      expect(await ask(security)).toMatchObject({ status: 200, result: {} });
    }
  });

  it.each<[string, object[], Record<string, string>, number, unknown]>([
    [
      'good ones of one alternative suffice',
      [{}, { header: [] }, { basic: [] }],
      { ...basicBad, 'X-Key': 'h' },
      200,
      { header: { key: 'h' } },
    ],
    [
      'in any order',
      [{ basic: [] }, { header: [] }, {}],
      { ...basicBad, 'X-Key': 'h' },
      200,
      { header: { key: 'h' } },
    ],
    ['bad ones of any are refused', [{}, { header: [] }, { basic: [] }], { 'X-Key': 'x' }, 401, 40101],
    ['half of an alternative is refused', [{}, { header: [], basic: [] }], { 'X-Key': 'h' }, 401, 40100],
    ['its other half too', [{}, { header: [], basic: [] }], basic('ann:secret'), 401, 40100],
    ['a bad half is refused', [{}, { header: [], basic: [] }], basicBad, 401, 40100],
    [
      'credentials of a scheme that it does not name are ignored',
      [{}, { header: [] }],
      { Authorization: 'Bearer bad' },
      200,
      {},
    ],
    ['one without a scheme ignores all', [{}], { Authorization: 'Bearer bad', 'X-Key': 'x' }, 200, {}],
    ['so does one without a requirement', [], { Authorization: 'Bearer bad', 'X-Key': 'x' }, 200, {}],
  ])('%s', async (_, security, headers, status, result) => {
    expect(await ask(security, headers)).toMatchObject({ status, result });
    expect(await ask(undefined, headers, '', security)).toMatchObject({ status, result });
  });

  it.each([['constructor'], ['toString'], ['__proto__']])(
    'nobody is the principal of a scheme %s',
    async (name) => {
      const schemes = Object.fromEntries([[name, SCHEMES.header]]);
      const strategies = Object.fromEntries([[name, STRATEGIES.header]]);
      const authenticate = buildAuthentication([{}, Object.fromEntries([[name, []]])], strategies, schemes);
      const [nobody, somebody] = [await authenticate(), await authenticate(['X-Key', 'h'])];
      if (!('principals' in nobody && 'principals' in somebody))
        throw new Error('expected both to be accepted');
      expect([Reflect.get(nobody.principals, name), Reflect.get(somebody.principals, name)]).toEqual([
        undefined,
        { key: 'h' },
      ]);
    },
  );
});

describe('credentials without a required scope are 403, with the required scopes', () => {
  const scopes = { read: 'to read', 'admin:write': 'to write' };
  const flows = { clientCredentials: { tokenUrl: 'https://example.org/token', scopes } };
  const documented = { content: json({ type: 'object' }), description: '' };
  const field = { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } };

  it('where none would do, too', async () => {
    const oauth = bearerStrategy((token) => ({ scopes: token.split('+') }));
    const schemes = { oauth: { type: 'oauth2', flows } };
    const security = [{}, { oauth: ['read', 'admin:write'] }, { oauth: ['read'] }];
    const authenticate = buildAuthentication(security, { oauth }, schemes);
    const refused = {
      refused: 'forbidden',
      challenge: expect.stringContaining('insufficient_scope') as string,
    };
    expect(await authenticate(['Authorization', 'Bearer other'])).toMatchObject(refused);
    expect(await authenticate(['Authorization', 'Bearer read'])).toHaveProperty('principals.oauth');
    expect(await authenticate()).toHaveProperty('principals');
  });

  it.each<[string, object]>([
    ['undocumented', {}],
    ['documented', { 403: documented }],
    ['documented with its header', { 403: { ...documented, headers: field } }],
  ])('%s', async (_, responses) => {
    const document = buildDocument({
      operation: {
        responses: { 204: { description: '' }, ...responses },
        security: [{ oauth: ['admin:write'] }],
      },
      components: { securitySchemes: { oauth: { type: 'oauth2', flows } } },
    });
    const oauth = bearerStrategy((token) => ({ scopes: token.split('+') }));
    const handlers = { postThing: () => Promise.resolve({ status: 204 }) };
    const { app } = buildService({ document, handlers, strategies: { oauth } });
    const withToken = (token: string) => request(app).post('/things').set('Authorization', `Bearer ${token}`);
    const refused = await withToken('read').expect(403);
    expect(refused.body).toMatchObject({ error: 40300 });
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="api", error="insufficient_scope", scope="admin:write"',
    );
    await withToken('read+admin').expect(403);
  });
});

it('an error of a strategy is 50000, and only the log contains its message', async () => {
  const { outcomes, ...refusal } = await ask([{ bearer: [] }], { Authorization: 'Bearer down' });
  expect(refusal).toEqual({ status: 500, result: 50000, challenge: undefined });
  expect(outcomes[0]?.problem?.cause).toEqual(new Error('the directory is down: ldap://10.0.0.1'));
});

it('a client that disconnects during authentication leaves no open request', async () => {
  const app = express();
  const left = new Promise<void>((resolve) => {
    app.use((request, _response, next) => {
      request.once('close', resolve);
      next();
    });
  });
  let leave: () => void = () => undefined;
  const authenticate = function (this: Verdicts) {
    leave();
    void left.then(() => {
      this.success({});
    });
  };
  const reported = new Promise((report) => {
    const service = buildService({
      document: buildDocument({
        operation: { security: [{ bearer: [] }], requestBody: { content: json(true) } },
        components: { securitySchemes: SCHEMES },
      }),
      handlers: { postThing: () => Promise.resolve({ status: 204 }) },
      strategies: { bearer: Object.assign(new Strategy(), { authenticate }) },
      report,
    });
    app.use(service.app);
  });
  await listening(app, async (port) => {
    const head =
      'POST /things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}Content-Length: 1\r\n\r\n1`));
    leave = () => socket.destroy();
    expect(await reported).toMatchObject({ problem: { kind: 'malformed' } });
  });
});
