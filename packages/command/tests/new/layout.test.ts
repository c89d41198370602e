import { parse, stringify } from 'yaml';
import { readExtras } from '../../src/new/extras';
import { layOut } from '../../src/new/layout';
import { namesFrom } from '../../src/new/names';
import { OpenApiDocument, samples } from 'contract-first-server/tools';
import { useFolder } from '../../../../scripts/testing/folder';
import { buildDocument } from '../../../../scripts/testing/service';
import { readSource } from '../../src/document/source/source';

const folder = useFolder();
const names = namesFrom('shop', 'Shop');
/** What `make new` writes for a document of these parts. */
async function layOutOf(document: object) {
  const root = { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, ...document };
  const file = folder.write({ 'api.yaml': stringify(root) });
  if (!names) throw new Error('expected names');
  return layOut(readSource(file), names, '3.0.0', readExtras('deploy, github,vscode'));
}

const done = { 204: { description: 'done' } };
const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };
const error = json({ type: 'object', required: ['message'], properties: { message: text } });
const none = { description: 'none' };
const inPath = (schema: object) => ({ name: 'id', in: 'path', required: true, schema });
/** What `make new` writes for an operation with these responses. */
const layOutGet = (responses: object) =>
  layOutOf({ paths: { '/a': { get: { operationId: 'getA', responses } } } });
/** What `make new` writes for an operation that reads one object. */
const layOutRead = (id: object, schema: object, path = '/carts', components: object = {}) => {
  const responses = { 200: json(schema), 404: none };
  const read = { operationId: 'read', parameters: [inPath(id)], responses };
  return layOutOf({ paths: { [`${path}/{id}`]: { get: read } }, components });
};

it.each([
  ['text/plain', {}, true],
  ['application/xml', { schema: { type: 'object' } }, false],
])('has senders for a webhook with a body of %s that has the schema %j: %j', async (type, media, sends) => {
  const sent = { requestBody: { content: { [type]: media } }, responses: done };
  const get = { operationId: 'getA', responses: done };
  const { files, notes } = await layOutOf({ paths: { '/a': { get } }, webhooks: { made: { post: sent } } });
  expect(files['src/dependencies.ts']?.includes('openSenders<webhooks>')).toBe(sends);
  expect(files['.env.example']?.includes('WEBHOOK_SECRETS=')).toBe(sends);
  expect(files['tests/contract/service.ts']?.includes('WEBHOOK_SECRETS: ')).toBe(sends);
  expect(notes.filter((note) => note.startsWith('webhooks and callbacks are not sent'))).toHaveLength(
    sends ? 0 : 1,
  );
});

it('documents what its handlers refuse, where the document does not', async () => {
  const cart = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const requestBody = { required: true, content: { 'application/json': { schema: cart } } };
  const { files } = await layOutOf({
    paths: {
      '/carts/': { post: { operationId: 'addCart', requestBody, responses: { 201: json(cart) } } },
      '/carts/{id}': {
        parameters,
        get: { operationId: 'getCart', responses: { 200: json(cart) } },
        delete: { operationId: 'deleteCart', responses: done },
      },
    },
  });
  expect(files['package.json']).toContain('contract-first mock openapi/api.yaml');
  const { actions } = parse(files['openapi/overlay.yaml'] ?? '') as {
    actions: { description: string; update: Record<string, { description: string }> }[];
  };
  const refused = actions
    .filter(({ description }) => description === 'how its handler refuses')
    .flatMap(({ update }) =>
      Object.entries(update).map(([status, { description }]) => [status, description]),
    );
  expect(refused).toEqual([
    ['409', 'The id is taken.'],
    ['404', 'There is no cart.'],
    ['404', 'There is no cart.'],
  ]);
  for (const name of ['add', 'get', 'delete'])
    expect(files[`src/handlers/${name}-cart.ts`]).toContain('errorBody(');
});

it('names all but the first of the operations that share an operationId', async () => {
  const get = { operationId: 'findAll', responses: done };
  const { files } = await layOutOf({ paths: { '/cats': { get }, '/dogs': { get } } });
  expect(files['openapi/overlay.yaml']?.match(/operationId: /g)).toHaveLength(1);
  expect(files['openapi/overlay.yaml']).toMatch(
    /\['\/dogs'\]\.get\n.*another operation has the same operationId.*\n.*\n *operationId: getDogs/,
  );
});

it('names operations, and adds a success and a body of errors, where the document has none', async () => {
  const { files, notes } = await layOutOf({
    paths: {
      '/carts/{id}': {
        delete: {
          parameters: [inPath({ type: 'integer' })],
          responses: { 400: { description: 'no' } },
        },
      },
    },
  });
  const overlay = files['openapi/overlay.yaml'] ?? '';
  expect(overlay).toContain('operationId: deleteCartsId');
  expect(overlay).toContain('not documented');
  expect(overlay).toMatch(
    /target: \$\.paths\['\/carts\/\{id\}'\]\.delete\.parameters\[0\]\n.*\n *update:\n *example: 1/,
  );
  expect(overlay).toMatch(/target: \$\.paths\['\/carts\/\{id\}'\]\.delete\.responses\['400'\]/);
  expect(overlay).not.toContain('413');
  expect(notes).toContain(
    'deleteCartsId documents no success response: openapi/overlay.yaml proposes 204. Add the right 2XX response to the document or to the overlay',
  );
  expect(notes.join('\n')).toContain(
    'the document has no error body: openapi/overlay.yaml adds that of RFC 9457',
  );
  expect(files['src/errors.ts']).toContain("components['schemas']['Problem']");
});

it('takes default for the success, where it is the only response that is no error', async () => {
  const ok = { description: 'ok' };
  const only: Record<string, object>[] = [
    { default: ok },
    { default: json({ type: 'object' }) },
    { default: ok, 404: ok },
    { default: ok, 400: error },
  ];
  for (const responses of only) {
    const { files, notes } = await layOutGet(responses);
    const overlay = files['openapi/overlay.yaml'] ?? '';
    expect(overlay).not.toContain('responses.default');
    expect(overlay).toMatch(/target: \$\.paths\['\/a'\]\.get\.responses\n.*\n *update:\n *4XX:/);
    expect(notes.join('\n')).toContain('getA documents no success response except default');
  }
  const { files } = await layOutGet({ 200: ok, default: ok });
  expect(files['openapi/overlay.yaml']).toContain('.responses.default');
  expect(files['openapi/overlay.yaml']).not.toContain('4XX');
});

it('takes default for errors, where its description speaks of them', async () => {
  for (const description of ['Unexpected error', 'error payload', 'The request failed.']) {
    const responses = { default: { ...json({ type: 'object' }), description } };
    const { files, notes } = await layOutGet(responses);
    expect(notes.join('\n')).toContain(
      'getA documents no success response: openapi/overlay.yaml proposes 204',
    );
    expect(files['openapi/overlay.yaml']).not.toContain('4XX');
  }
});

it('writes the standard error body with examples that have its meaning', async () => {
  const { files } = await layOutGet(done);
  const { actions } = parse(files['openapi/overlay.yaml'] ?? '') as {
    actions: { update?: { schemas?: Record<string, object> } }[];
  };
  const schema = actions.flatMap(({ update }) => update?.schemas?.['Problem'] ?? [])[0];
  const document = new OpenApiDocument(buildDocument({ components: { schemas: { Problem: schema ?? {} } } }));
  const [sample] = samples(document, '/components/schemas/Problem', 'response');
  expect(sample).toMatchObject({ type: 'about:blank', status: 400 });
});

it('leaves out what cannot be served, with the reason', async () => {
  const body = { content: { 'multipart/mixed': { schema: { type: 'object' } } } };
  const { files, notes } = await layOutOf({
    paths: {
      '/a': {
        get: { operationId: 'getA', responses: done },
        // What it lacks, and what is wrong in it, is left out with it: an action inside of it would match nothing.
        post: { requestBody: body, responses: { ...done, NO_SUCH: { description: 'no' } } },
      },
    },
  });
  expect(files['openapi/overlay.yaml']).toMatch(
    /target: \$\.paths\['\/a'\]\.post\n.*multipart\/mixed cannot be served/,
  );
  expect(files['openapi/overlay.yaml']?.match(/\.post\b/g)).toHaveLength(1);
  expect(notes.at(-1)).toBe('served 1 of 2 operations');
});

it('gives an object another variable than the parameter of its path', async () => {
  const profile = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
  const { files } = await layOutOf({
    paths: {
      '/profiles/{profile}': {
        parameters: [{ name: 'profile', in: 'path', required: true, schema: { type: 'integer' } }],
        get: {
          operationId: 'showProfile',
          responses: { 200: json({ $ref: '#/components/schemas/Profile' }), 404: { description: 'none' } },
        },
      },
    },
    components: { schemas: { Profile: profile } },
  });
  expect(files['src/storage/profiles.ts']).toMatch(
    /get\(profile: number\)[^]*const \[profileItem\][^]*return profileItem;/,
  );
});

it('says what the document leaves open about errors: which of two statuses, and which part has the sentence', async () => {
  const responses = { ...done, 400: error, 422: error };
  const mute = json({ type: 'object', required: ['m'], properties: { m: { type: 'string' } } });
  const paths = {
    '/a': { get: { operationId: 'getA', responses }, put: { operationId: 'putA', responses } },
    '/b': { get: { operationId: 'getB', responses: { ...done, 400: mute, 404: { description: 'no' } } } },
  };
  const { files, notes } = await layOutOf({ paths });
  expect(files['src/errors.ts']).toContain("'getB 400': () => ");
  expect(notes).toContain(
    'the 400 of getB has no property for the error message: add `message` in OTHERS of src/errors.ts',
  );
  expect(notes).toContain(
    'getA and 1 more: 400 and 422 are documented, and invalid requests get 400. For 422, change invalidRequest in src/errors.ts',
  );
});

it('lets uploads have 10 MiB, and other bodies what the service admits', async () => {
  const put = (type: string, more: object = {}) => ({
    put: { operationId: `put${type}`, responses: done, requestBody: { content: { [type]: {} } }, ...more },
  });
  const { files } = await layOutOf({
    paths: {
      '/form': put('multipart/form-data'),
      '/image': put('image/png'),
      '/any': put('*/*'),
      '/limited': put('image/jpeg', { 'x-body-limit': 1 }),
      '/value': put('application/json'),
      '/text': put('text/csv'),
      '/fields': put('application/x-www-form-urlencoded'),
    },
  });
  const { actions } = parse(files['openapi/overlay.yaml'] ?? '') as {
    actions: { target: string; update?: Record<string, unknown> }[];
  };
  const limited = actions.filter(({ update = {} }) => 'x-body-limit' in update);
  expect(limited.map(({ target }) => target)).toEqual(
    ['/form', '/image', '/any'].map((path) => `$.paths['${path}'].put`),
  );
  expect(limited[0]?.update).toEqual({ 'x-body-limit': 10 * 2 ** 20 });
});

it('writes what the schema of a stream describes into a document of 3.0', async () => {
  const schema = { type: 'object', properties: { word: { type: 'string' } } };
  const responses = { 200: { description: '', content: { 'text/event-stream': { schema } } } };
  const get = { operationId: 'getA', responses };
  const { files } = await layOutOf({ openapi: '3.0.3', paths: { '/a': { get } } });
  const { paths } = parse(files['openapi/api.yaml'] ?? '') as {
    paths: { '/a': { get: { responses: { 200: { content: object } } } } };
  };
  expect(paths['/a'].get.responses[200].content).toEqual({
    'text/event-stream': {
      'x-item-schema': {
        type: 'object',
        required: ['data'],
        properties: { data: { type: 'string', contentMediaType: 'application/json', contentSchema: schema } },
      },
    },
  });
  expect(files['openapi/overlay.yaml']).not.toContain('left out');
});

it('converts OpenAPI 3.0, and keeps the comments', async () => {
  const file = folder.write({
    'old.yaml':
      'openapi: 3.0.3\ninfo: { title: Old, version: "1" } # ours\npaths:\n  /a:\n    get:\n      responses:\n        200:\n          description: ""\n          content:\n            application/json:\n              schema: { type: string, nullable: true } # or none\n',
  });
  if (!names) throw new Error('expected names');
  const { files } = await layOut(readSource(file), names, '3.0.0');
  expect(files['openapi/old.yaml']).toContain('openapi: 3.1.0\n');
  expect(files['openapi/old.yaml']).toContain('# ours');
  expect(files['openapi/old.yaml']).toMatch(/type: \[ *string, *"?null"? *\] \} # or none/);
});

it('has a verifier and variables for each scheme', async () => {
  const { files } = await layOutOf({
    security: [{ one: [] }, { two: [] }, { staff: [] }],
    paths: { '/a': { get: { operationId: 'getA', responses: done } } },
    components: {
      securitySchemes: {
        one: { type: 'http', scheme: 'bearer' },
        two: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
        staff: { type: 'http', scheme: 'basic' },
      },
    },
  });
  expect(files['src/auth.ts']).toContain("one: bearerTokens({ secrets: 'ONE_TOKENS', issuer: 'ONE' })");
  expect(files['src/auth.ts']).toContain("two: bearerTokens({ secrets: 'TWO_TOKENS', issuer: 'TWO' })");
  expect(files['src/auth.ts']).toContain("staff: basicUsers({ secrets: 'API_USERS' })");
  for (const name of ['.env.example', 'deploy/compose.yaml', 'deploy/kubernetes.yaml', 'README.md'])
    for (const variable of ['ONE_TOKENS', 'TWO_TOKENS', 'API_USERS']) expect(files[name]).toContain(variable);
});

it('prepares the objects that examples name, and create-read-delete', async () => {
  const cart = {
    type: 'object',
    required: ['id'],
    properties: { id: { ...int64, readOnly: true }, note: text },
  };
  const requestBody = { required: true, content: { 'application/json': { schema: cart } } };
  const parameters = [inPath(int64)];
  const { files } = await layOutOf({
    paths: {
      '/carts': {
        post: { operationId: 'create', requestBody, responses: { 201: json(cart), 409: none } },
        get: { operationId: 'list', responses: { 200: json({ type: 'array', items: cart }) } },
      },
      '/carts/{id}': {
        parameters,
        get: { operationId: 'read', responses: { 200: json(cart), 404: none } },
        delete: { operationId: 'remove', responses: { 204: { description: '' }, 404: none } },
      },
    },
  });
  expect(files['src/shop/shop-store.ts']?.match(/: \w+Part;/g)).toEqual([': CartsPart;']);
  const service = files['tests/contract/service.ts'] ?? '';
  expect(service).toContain('await dependencies.store.carts.add(examples.carts)');
  expect(examplesIn(files)).toEqual({ carts: { note: 'text' } });
  expect(service).toContain('carts: what is created can be read, until it is deleted');
  expect(service).toContain(
    "{ operation: 'read', parameters: (answerTo) => ({ id: answerTo(1).at('/id') }), expect: 'success', answer: (answerTo) => ({ '': answerTo(1).at('') }) }",
  );
  expect(service).toContain("'create | response | 409 | *'");
});

const examplesIn = (files: Readonly<Record<string, string>>): unknown =>
  JSON.parse(files['tests/contract/examples.json'] ?? '');

const MOST = 2n ** 63n - 1n;
it.each([1n, 2n ** 31n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, MOST, -MOST - 1n])(
  'keeps an integer of 64 bits exact: %s',
  async (example) => {
    for (const bounds of [{}, { minimum: example }, { maximum: example }]) {
      const cart = { type: 'object', required: ['id'], properties: { id: int64 } };
      const { files } = await layOutRead({ ...int64, ...bounds, examples: [example] }, cart);
      const service = files['tests/contract/service.ts'] ?? '';
      expect(service).toContain('await dependencies.store.carts.add(examples.carts)');
      expect(examplesIn(files)).toEqual({ carts: { id: { $int64: String(example) } } });
      const [, none = ''] = /parameters: \{ id: (-?\d+)n? \}, expect: 'noSuchResource'/.exec(service) ?? [];
      if (example !== MOST || !('minimum' in bounds)) {
        expect(BigInt(none)).not.toBe(example);
        if ('minimum' in bounds) expect(BigInt(none)).toBeGreaterThan(example);
        if ('maximum' in bounds && example > -MOST) expect(BigInt(none)).toBeLessThan(example);
      }
    }
  },
);

it('names the object above it by the same key, where the path has any text and objects a number', async () => {
  const id = { ...int64, readOnly: true };
  const one = { type: 'object', required: ['id'], properties: { id } };
  const found = { 200: json(one), 404: none };
  const cart = { name: 'cart', in: 'path', required: true, schema: { type: 'string' } };
  const { files } = await layOutOf({
    paths: {
      '/carts': { post: { operationId: 'addCart', responses: { 201: json(one) } } },
      '/carts/{cart}': { get: { operationId: 'getCart', parameters: [cart], responses: found } },
      '/carts/{cart}/items/{item}': {
        get: {
          operationId: 'getItem',
          parameters: [cart, { name: 'item', in: 'path', required: true, schema: int64 }],
          responses: found,
        },
      },
    },
  });
  const overlay = files['openapi/overlay.yaml'] ?? '';
  expect(
    overlay
      .match(/parameters\[0\]\n.*\n +update:\n +example: (.*)/g)
      ?.map((text) => /[^ ]*$/.exec(text)?.[0]),
  ).toEqual(['"1"', '"1"']);
});

it('writes an integer that is no int64 as a number', async () => {
  const id = { type: 'integer', examples: [2n ** 53n] };
  const cart = { type: 'object', required: ['id'], properties: { id } };
  const { files } = await layOutRead(id, cart);
  expect(examplesIn(files)).toEqual({ carts: { id: 9007199254740992 } });
});

it.each([
  ['listed and created below another resource', ['get', 'post'], '/books/{id}/loans', true],
  ['listed and created', ['get', 'post'], '/loans', true],
  ['only created', ['post'], '/books/{id}/loans', false],
  ['only listed', ['get'], '/books/{id}/loans', false],
])('has a collection of what is %s: %s', async (_, methods, path, isStored) => {
  const loan = { type: 'object', required: ['day'], properties: { day: text } };
  const requestBody = { required: true, content: { 'application/json': { schema: loan } } };
  const parameters = [inPath({ type: 'integer' })];
  const operations: Record<string, object> = {
    get: { operationId: 'listLoans', responses: { 200: json({ type: 'array', items: loan }) } },
    post: { operationId: 'addLoan', requestBody, responses: { 201: json(loan) } },
  };
  const item = Object.fromEntries(methods.map((method) => [method, operations[method]]));
  const { files } = await layOutOf({
    paths: { [path]: { ...(path.includes('{') && { parameters }), ...item } },
  });
  const store = files['src/shop/shop-store.ts'] ?? '';
  if (isStored) {
    expect(store).toContain('readonly loans: LoansPart;');
    expect(files['src/storage/loans.ts']).toContain('day: TEXT');
  } else expect(store).not.toContain('loans');
});

it('says nothing of what this project and the layout store', async () => {
  const { files } = await layOutGet(done);
  expect(Object.entries(files).filter(([file, text]) => /plant|bike/i.test(file + text))).toEqual([]);
});

it.each([
  ['Kind', '/kinds', 'kinds', 'KindItem'],
  ['Promise', '/promises', 'promises', 'PromiseItem'],
  ['Record', '/records', 'records', 'RecordItem'],
  ['Gate', '/close', 'close2', 'Gate'],
  ['Maker', '/constructor', 'constructor2', 'Maker'],
  ['Sale', '/shop', 'import type { ShopPart }', 'Sale'],
])('a schema %s below %s has names that the files of the service do not use', async (name, path, member) => {
  const schema = { type: 'object', required: ['id'], properties: { id: text } };
  const components = { schemas: { [name]: schema } };
  const { files } = await layOutRead(text, { $ref: `#/components/schemas/${name}` }, path, components);
  expect(files['src/shop/shop-store.ts']).toContain(member);
});

it('leaves out that a refusal of the server itself has a header which only a handler knows', async () => {
  const header = (required: boolean) => ({ required, schema: { type: 'string' } });
  const headers = { 'X-Own': header(true), 'X-May': header(false), 'WWW-Authenticate': header(true) };
  const responses = {
    200: { description: '', headers },
    401: { ...error, headers },
    409: { ...error, headers },
  };
  const { files } = await layOutGet(responses);
  const removed = files['openapi/overlay.yaml']?.match(/target: .*\n.*do not have this header/g);
  expect(removed).toHaveLength(1);
  expect(removed?.[0]).toMatch(/responses\.?\[?['"]*401.*X-Own.*required/);
});

it('answers in bytes where the document has a refusal in another type than JSON', async () => {
  const content = { 'application/xml': { examples: { one: { value: '<no/>' } } } };
  const { files } = await layOutGet({ ...done, 400: { description: '', content } });
  expect(files['src/errors.ts']).toMatch(/contentType: 'application\/xml',\s+body: Buffer\.from\('/);
});

/** What `make new` writes for a login and a registration, whose success has these headers, and an operation that demands the token. */
function layOutLogin(headers: object = {}) {
  const credentials = {
    type: 'object',
    required: ['email', 'password'],
    properties: { email: text, password: text },
  };
  const token = json({ type: 'object', required: ['token'], properties: { token: text } });
  const open = { security: [], requestBody: { required: true, ...json(credentials) } };
  const post = (operationId: string, status: number) => ({
    post: { operationId, ...open, responses: { [status]: { ...token, headers } } },
  });
  return layOutOf({
    paths: {
      '/login': post('login', 200),
      '/register': post('register', 201),
      '/secret': { get: { operationId: 'getSecret', responses: done } },
    },
    security: [{ Token: [] }],
    components: {
      securitySchemes: { Token: { type: 'http', scheme: 'bearer' } },
      headers: {
        Limit: { schema: { type: 'integer' } },
        Needed: { required: true, schema: { type: 'integer' } },
        Object: json({ type: 'object' }),
      },
    },
  });
}

it('has the table of users, and no example of another, where nothing else is stored', async () => {
  const { files } = await layOutLogin();
  expect(Object.keys(files).filter((file) => file.startsWith('src/storage/'))).toEqual([
    'src/storage/open.ts',
    'src/storage/stored.ts',
    'src/storage/users.ts',
  ]);
  expect(files['src/storage/open.ts']).toContain('probe: insertInto(users, [])');
});

it('leaves a login as a stub whose success has headers that only a person knows', async () => {
  const laid = async (headers: object) =>
    (await layOutLogin(headers)).handlers.map(({ operationId }) => operationId);
  const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });
  for (const headers of [{}, { 'X-Limit': reference('Limit') }])
    expect(await laid(headers)).toContain('login');
  for (const header of [
    { required: true, schema: { type: 'integer' } },
    reference('Needed'),
    reference('Object'),
  ])
    expect(await laid({ 'X-Limit': header })).not.toContain('login');
});

it('writes handlers that repeat their answers where the document has the header Idempotency-Key', async () => {
  const cart = { type: 'object', required: ['id', 'name'], properties: { id: int64, name: text } };
  const given = { type: 'object', required: ['name'], properties: { name: text } };
  const requestBody = { required: true, content: { 'application/json': { schema: given } } };
  const key = { name: 'Idempotency-Key', in: 'header', schema: text };
  const layOutWith = (parameters: object[], responses: object = {}) =>
    layOutOf({
      paths: {
        '/carts': {
          post: {
            operationId: 'addCart',
            parameters,
            requestBody,
            responses: { 201: json(cart), ...responses },
          },
        },
        '/carts/{id}': {
          get: {
            operationId: 'getCart',
            parameters: [inPath(int64)],
            responses: { 200: json(cart), 404: none },
          },
        },
      },
    });
  const { files } = await layOutWith([key]);
  expect(files['src/handlers/add-cart.ts']).toContain('idempotent(store, async ({ body }, store) => {');
  expect(files['src/handlers/get-cart.ts']).not.toContain('idempotent');
  expect(files['src/storage/open.ts']).toContain('...IDEMPOTENCY_KEYS,');
  expect(files['.env.example']).toContain('IDEMPOTENCY_TTL=24h');
  const { actions } = parse(files['openapi/overlay.yaml'] ?? '') as { actions: { update: object }[] };
  const added = actions.flatMap(({ update }) => Object.keys(update));
  expect(added).toEqual(expect.arrayContaining(['400', '409', '422', 'minLength'])); // anonymous: 22 characters
  // The 409 is that of the key: two carts may have the same name.
  expect(files['src/storage/carts.ts']).not.toContain('unique()');
  const taken = await layOutWith([key], { 409: { ...error, description: 'The name is taken.' } });
  expect(taken.files['src/storage/carts.ts']).toContain('name: TEXT.unique()');
  const without = await layOutWith([]);
  for (const text of Object.values(without.files)) expect(text).not.toMatch(/idempoten/i);
});
