import request from 'supertest';
import { type Answer, InvalidContract, stub } from 'contract-first-server';
import { NAMES } from '../../../../scripts/testing/names';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { everyOf } from '../../../../scripts/testing/cases';

// Names of inherited properties in JavaScript and names with a special meaning elsewhere are ordinary names.

const ORDINARY = [
  ...Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__'),
  ...['length', 'name', 'prototype', '$ref'],
];
const FORM = 'application/x-www-form-urlencoded';
const object = (name: string, required: boolean) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: required ? [name] : [],
});

/** An operation with a string of this name in each place, and the received values. */
function serviceOf(name: string, required: boolean) {
  const seen: unknown[] = [];
  const parameters = ['query', 'header', 'cookie'].map((place) => ({
    name,
    in: place,
    required,
    schema: { type: 'string' },
  }));
  const content = { ...json(object(name, required)), [FORM]: { schema: object(name, required) } };
  const headers = { [name]: { schema: { type: 'string' }, required } };
  const handler = (given: object) => {
    seen.push(given);
    const value = required ? { [name]: 'a' } : {};
    return Promise.resolve({ status: 200, headers: value, body: value });
  };
  const operation = {
    operationId: 'postThing',
    requestBody: { content },
    responses: { 200: { description: '', headers, content: json(object(name, required)) } },
  };
  const path = { name, in: 'path', required: true, schema: { type: 'string' } };
  const { app } = buildService({
    document: buildDocument({
      paths: { [`/things/{${name}}`]: { post: { ...operation, parameters: [path, ...parameters] } } },
    }),
    handlers: { postThing: handler },
  });
  return { app, seen };
}

describe.each(everyOf(ORDINARY, 3))('the name %s', (name) => {
  const given = { [name]: 'a' };

  it('is valid for a value in every place', async () => {
    const { app, seen } = serviceOf(name, true);
    for (const [type, body] of [
      ['application/json', JSON.stringify(given)],
      [FORM, `${name}=a`],
    ] as const) {
      const response = await request(app)
        .post(`/things/a?${name}=a`)
        .set({ 'Content-Type': type, [name]: 'a', Cookie: `${name}=a` })
        .send(body);
      expect([response.status, response.text]).toEqual([200, JSON.stringify(given)]);
      expect(Object.entries(response.headers as object)).toContainEqual([name.toLowerCase(), 'a']);
    }
    const want = { path: given, query: given, header: given, cookie: given, body: given };
    expect(seen).toEqual([expect.objectContaining(want), expect.objectContaining(want)]);
  });

  it('has no value if none was sent', async () => {
    const { app, seen } = serviceOf(name, false);
    const response = await request(app).post('/things/a').set('Content-Type', 'application/json').send('{}');
    expect([response.status, response.text]).toEqual([200, '{}']);
    expect(seen).toEqual([expect.objectContaining({ query: {}, header: {}, cookie: {}, body: {} })]);
  });

  it.each([
    ['query', '', given, `${name}=a`],
    ['header', `?${name}=a`, {}, `${name}=a`],
    ['cookie', `?${name}=a`, given, ''],
  ])('is reported if it is required and absent in the %s', async (place, query, headers, cookie) => {
    const { app, seen } = serviceOf(name, true);
    const response = await request(app)
      .post(`/things/a${query}`)
      .set({ ...headers, Cookie: cookie });
    expect([response.status, seen]).toEqual([400, []]);
    expect(response.text).toContain(place);
  });

  it.each(['application/json', FORM])(
    'is reported if it is required and absent in a body of %s',
    async (type) => {
      const { app, seen } = serviceOf(name, true);
      const response = await request(app)
        .post(`/things/a?${name}=a`)
        .set({ 'Content-Type': type, [name]: 'a', Cookie: `${name}=a` })
        .send(type === FORM ? 'other=a' : '{}');
      expect([response.status, seen]).toEqual([400, []]);
      expect(response.text).toContain('body must have required property');
    },
  );
});

describe.each(everyOf(NAMES, 3))('the name %j', (name) => {
  const string = { type: 'string' };
  const kind = (more: string) => ({
    type: 'object',
    required: [name],
    properties: { [name]: string, [more]: { type: 'integer' } },
  });
  const components = { schemas: { A: kind('x'), B: kind('y') } };
  const oneOf = ['A', 'B'].map((each) => ({ $ref: `#/components/schemas/${each}` }));
  const mapping = { $anchor: '#/components/schemas/B', [name]: '#/components/schemas/A' };
  const pointer = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
  const schemas = {
    listed: { type: 'object', required: [name], properties: { [name]: string } },
    filled: { type: 'object', properties: { [name]: { type: 'string', default: 'filled in' } } },
    dependent: {
      properties: { [name]: { type: 'integer', format: 'int64' }, a: {} },
      dependentRequired: { a: [name] },
    },
    discriminated: { oneOf, discriminator: { propertyName: name } },
    mapped: { oneOf, discriminator: { propertyName: name, mapping } },
    referred: {
      $defs: { [name]: { type: 'integer' } },
      properties: {
        a: { $ref: `#/paths/~1referred/post/requestBody/content/application~1json/schema/$defs/${pointer}` },
      },
    },
    readOnly: { type: 'object', required: [name], properties: { [name]: { ...string, readOnly: true } } },
    writeOnly: { type: 'object', required: [name], properties: { [name]: { ...string, writeOnly: true } } },
    sampled: { type: 'object', required: [name], properties: { [name]: string } },
  };
  let seen: { readonly query?: unknown; readonly body?: unknown } = {};
  let answer: unknown;
  const handler = (given: object): Promise<Answer> => {
    seen = given;
    return Promise.resolve({ status: 200, body: answer });
  };
  const names = Object.keys(schemas);
  const operations = Object.entries(schemas).map(([operationId, schema]) => {
    const content = { ...json(schema), [FORM]: { schema } };
    const responses = { 200: { description: '', content: json(schema) } };
    const parameters = [{ name, in: 'query', required: operationId === 'listed', schema: string }];
    return [`/${operationId}`, { post: { operationId, parameters, requestBody: { content }, responses } }];
  });
  const { app } = buildService({
    document: buildDocument({ paths: Object.fromEntries(operations) as object, components }),
    handlers: Object.fromEntries(names.map((each) => [each, each === 'sampled' ? stub(each) : handler])),
  });
  const encoded = encodeURIComponent(name);
  const post = async (
    operation: keyof typeof schemas,
    sent: unknown,
    returned: unknown = sent,
    query = '',
  ) => {
    [seen, answer] = [{}, returned];
    const form = typeof sent === 'string';
    const response = await request(app)
      .post(`/${operation}${query}`)
      .set('Content-Type', form ? FORM : 'application/json')
      .serialize((body: unknown) => body as string)
      .send(form ? sent : JSON.stringify(sent));
    return { status: response.status, body: response.body as unknown, received: seen.body };
  };

  it('is required, in a query, a form and a body, in and out', async () => {
    const given = { [name]: 'v' };
    const query = `?${encoded}=v`;
    expect(await post('listed', given, { ...given, more: 1 }, query)).toEqual({
      status: 200,
      body: given,
      received: given,
    });
    expect(seen.query).toEqual(given);
    expect(await post('listed', `${encoded}=v`, given, query)).toMatchObject({ received: given });
    expect(await post('listed', given, given)).toMatchObject({ status: 400 });
    expect(await post('listed', {}, given, query)).toMatchObject({ status: 400 });
    expect(await post('listed', 'more=1', given, query)).toMatchObject({ status: 400 });
    expect(await post('listed', given, { more: 1 }, query)).toMatchObject({ status: 500 });
    expect(await post('dependent', { a: 1 })).toMatchObject({ status: 400 });
    expect(await post('dependent', {}, { a: 1 })).toMatchObject({ status: 500 });
    expect(await post('dependent', { a: 1, [name]: 2 })).toMatchObject({ received: { a: 1, [name]: 2n } });
  });

  it('is filled in, sampled, and excluded in one direction', async () => {
    expect(await post('filled', {})).toMatchObject({ status: 200, received: { [name]: 'filled in' } });
    expect(await post('sampled', {})).toMatchObject({ status: 400 });
    const { body } = await post('sampled', { [name]: 'v' });
    expect(Object.keys(body as object)).toEqual([name]);
    expect(await post('readOnly', {}, { [name]: 'v' })).toMatchObject({ status: 200, body: { [name]: 'v' } });
    expect(await post('readOnly', { [name]: 'v' })).toMatchObject({ status: 400 });
    expect(await post('writeOnly', { [name]: 'v' })).toMatchObject({ status: 200, body: {} });
  });

  it('discriminates, and is the name of a schema', async () => {
    for (const [operation, value] of [
      ['discriminated', 'A'],
      ['mapped', name],
    ] as const) {
      expect(await post(operation, { [name]: value, x: 1 })).toMatchObject({ status: 200 });
      expect(await post(operation, { [name]: value, x: '' })).toMatchObject({ status: 400 });
      expect(await post(operation, { [name]: 'neither' })).toMatchObject({ status: 400 });
      expect(await post(operation, { x: 1 })).toMatchObject({ status: 400 });
    }
    expect(await post('referred', { a: 1 })).toMatchObject({ status: 200 });
    expect(await post('referred', { a: '' })).toMatchObject({ status: 400 });
  });
});

it.each([
  ...['path', 'query', 'header', 'cookie'].map((place) => [place, '__proto__']),
  ['header', ''],
  ['header', 'a b'],
  ['header', 'é'],
  ['cookie', 'a=b'],
  ['cookie', 'a;b'],
  ['cookie', 'a\n'],
  ['query', '\ud800'],
  ['path', '\ud800'],
])('a parameter that no request could have, or no handler, is refused: %s %j', (place = '', name = '') => {
  const parameters = [{ name, in: place, required: true, schema: { type: 'string' } }];
  const post = { operationId: 'postThing', parameters, responses: { 204: { description: '' } } };
  const path = place === 'path' ? `/{${name}}` : '/';
  expect(() => buildService({ document: buildDocument({ paths: { [path]: { post } } }) })).toThrow(
    InvalidContract,
  );
});

it('a template expression without a name is described, too', () => {
  const post = { operationId: 'postThing', responses: { 204: { description: '' } } };
  const serve = () => buildService({ document: buildDocument({ paths: { '/{}': { post } } }) });
  expect(serve).toThrow('does not describe the path parameter');
});
