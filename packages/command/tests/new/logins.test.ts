import { OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { loginsOf } from '../../src/new/users/logins';
import { userExamples, userScenario } from '../../src/new/users/user-examples';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const json = (schema: object) => ({ 'application/json': { schema } });
const form = (schema: object) => ({ 'application/x-www-form-urlencoded': { schema } });
const ok = (schema: object) => ({ 200: { description: '', content: json(schema) } });
const BEARER = { auth: { type: 'http', scheme: 'bearer' } };
const KEY = { auth: { type: 'apiKey', in: 'header', name: 'Authorization' } };

/** A document with these operations, beside one that demands the scheme. */
function documentOf(operations: Readonly<Record<string, object>>, securitySchemes: object = BEARER) {
  const paths = Object.fromEntries(
    Object.entries(operations).map(([title, operation]) => {
      const [method = '', path = ''] = title.split(' ');
      return [
        path,
        { [method.toLowerCase()]: { operationId: title, responses: ok(object({})), ...operation } },
      ];
    }),
  );
  const me = {
    get: { operationId: 'me', security: [{ auth: [] }], responses: { 204: { description: '' } } },
  };
  return new OpenApiDocument({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/mine': me, ...paths },
    components: { securitySchemes },
  });
}

/** What is found in {@link documentOf}. */
function find(...given: Parameters<typeof documentOf>) {
  const document = documentOf(...given);
  const { logins, notes } = loginsOf(document, readOperations(document));
  return {
    login: logins?.login.operation.operationId,
    register: logins?.register?.operation.operationId,
    own: logins?.own.map(({ operation }) => operation.operationId),
    name: logins?.login.login.path.join('.'),
    token: logins?.login.token?.path.join('.'),
    prefix: logins?.prefix,
    notes,
  };
}

const asks = (name: string, password = 'password', more: object = {}) => ({
  requestBody: { required: true, content: json(object({ [name]: text, [password]: text, ...more })) },
});
const answersIn = (properties: object) => ({ responses: ok(object(properties)) });
const answers = (token: string) => answersIn({ [token]: text });

/** An operation that takes a name with a password, and answers a token. */
const login = (name: string, token: string, password?: string) => ({
  ...asks(name, password),
  ...answers(token),
});

test.each<[title: string, operation: object, expected: object]>([
  ['POST /login', login('email', 'token'), { name: 'email', token: 'token' }],
  ['POST /auth/signin', login('username', 'access_token', 'passwd'), { token: 'access_token' }],
  ['POST /auth', login('phoneNumber', 'accessToken', 'pass'), { name: 'phoneNumber' }],
  ['PUT /users/authenticate', login('user_name', 'jwt'), { token: 'jwt' }],
  ['POST /sessions', login('login', 'sessionId'), { token: 'sessionId' }],
  [
    'POST /login',
    { ...asks('email'), ...answersIn({ user: object({ email: text, token: text }) }) },
    { token: 'user.token' },
  ],
  [
    'POST /v1/log-in',
    { ...asks('email'), ...answersIn({ data: object({ session: object({ token: text }) }) }) },
    { token: 'data.session.token' },
  ],
  ['POST /login', { ...asks('username'), responses: ok(text) }, { token: '', name: 'username' }],
  [
    'POST /token',
    {
      requestBody: { content: form(object({ grant_type: text, username: text, password: text })) },
      ...answers('access_token'),
    },
    { name: 'username' },
  ],
  [
    'POST /login',
    {
      requestBody: { content: json(object({ user: object({ email: text, password: text }) })) },
      ...answers('token'),
    },
    { name: 'user.email' },
  ],
  [
    'POST /login',
    { ...asks('account', 'word', { word: { type: 'string', format: 'password' } }), ...answers('key') },
    { token: 'key' },
  ],
])('%s is a login (%#)', (title, operation, expected) => {
  expect(find({ [title]: operation })).toMatchObject({ login: title, ...expected });
});

const LOGIN = { 'POST /login': login('email', 'token') };
test.each([
  ['POST /register', asks('email')],
  ['POST /users', login('email', 'token')],
  ['POST /auth/sign-up', asks('email')],
  ['PUT /accounts', asks('email', 'pwd')],
  ['POST /anything', { ...asks('email'), 'x-register': true }],
])('%s registers users', (title, operation) => {
  expect(find({ ...LOGIN, [title]: operation })).toMatchObject({ login: 'POST /login', register: title });
});

test.each<[title: string, operation: object]>([
  ['POST /password/reset', {}],
  ['POST /login/verify', {}],
  ['POST /auth/refresh', {}],
  ['POST /connections', login('username', 'status')],
  ['POST /cards/tokens', asks('number', 'name')],
  ['POST /users/{id}/login', { parameters: [{ name: 'id', in: 'path', required: true, schema: text }] }],
  ['POST /servers/login', { security: [{ auth: [] }] }],
  ['DELETE /login', {}],
  ['POST /login', { 'x-login': false }],
  ['POST /login', answersIn({})],
  [
    'GET /login',
    {
      requestBody: undefined,
      parameters: ['email', 'password'].map((name) => ({ name, in: 'query', schema: text })),
    },
  ],
])('%s is no login (%#)', (title, changes) => {
  expect(find({ [title]: { ...login('email', 'token'), ...changes } })).toEqual({ notes: [] });
});

test('a hint decides, and says why it cannot be followed', () => {
  const hinted = { ...login('email', 'token'), 'x-login': true };
  expect(find({ 'POST /enter': hinted, ...LOGIN })).toMatchObject({ login: 'POST /enter' });
  expect(find({ 'POST /enter': { 'x-login': true } })).toMatchObject({
    notes: ['POST /enter has x-login, but its request has no name with a password: it stays a stub'],
  });
});

test('tokens that no scheme takes are told, and the scheme of the hint takes them', () => {
  const other = { auth: { type: 'apiKey', in: 'query', name: 'key' } };
  expect(find(LOGIN, other)).toMatchObject({ notes: [expect.stringContaining('x-login: { scheme: NAME }')] });
  const hinted = { 'POST /login': { ...LOGIN['POST /login'], 'x-login': { scheme: 'auth' } } };
  expect(find(hinted, other)).toMatchObject({ login: 'POST /login' });
});

test.each([
  ['Use `Authorization: Token abc.def.ghi`', 'Token'],
  ['Prefix the key with "JWT ", please', 'JWT'],
  ['Authorization: Bearer <token>', 'Bearer'],
  ['', 'Bearer'],
])('the prefix of %j', (description, prefix) => {
  expect(find(LOGIN, { auth: { ...KEY.auth, description } })).toMatchObject({ prefix });
});

const USER = object({ user: object({ email: text }) });

test.each<[string, object, string[]]>([
  ['GET /me', {}, ['GET /me']],
  ['GET /users/current', {}, ['GET /users/current']],
  ['GET /account', { responses: ok(object({ email: text })) }, ['GET /account']],
  [
    'GET /user/profile',
    { parameters: [{ name: 'fields', in: 'query', schema: text }] },
    ['GET /user/profile'],
  ],
  ['GET /me', { responses: ok(object({ color: text })) }, []], // nobody's
  ['GET /company', {}, []],
  ['PUT /me', {}, []],
  ['GET /me', { security: [{ auth: [] }, {}] }, []], // perhaps nobody asks
  ['GET /me', { security: [] }, []],
  ['GET /me', { parameters: [{ name: 'of', in: 'query', required: true, schema: text }] }, []],
])('%s %j answers who asks: %j', (title, operation, expected) => {
  const own = { security: [{ auth: [] }], responses: ok(USER), ...operation };
  expect(find({ ...LOGIN, [title]: own }).own).toEqual(expected);
});

test.each([
  ['JSON', json, ['POST /register', 'POST /register', 'POST /login', 'POST /login']],
  ['a form', form, []],
])('a scenario registers and logs in, where the body to register is %s', (_, media, operations) => {
  const registers = {
    requestBody: { required: true, content: media(object({ email: text, password: text })) },
  };
  const document = documentOf({ 'POST /login': login('email', 'token'), 'POST /register': registers });
  const { logins } = loginsOf(document, readOperations(document));
  const steps = logins && userScenario(logins, userExamples(document, logins)).flatMap((one) => one.steps);
  expect(steps?.map((step) => /operation: '([^']*)'/.exec(step)?.[1])).toEqual(operations);
});
