import request from 'supertest';
import { InvalidContract } from '../../src/contract';
import { buildDocument, buildService, json } from '../support/service';

// Names of inherited properties in JavaScript and names with a special meaning elsewhere are ordinary names.

const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'length', 'name', 'prototype'].filter(
  (name) => name !== '__proto__',
);
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

describe.each(NAMES)('the name %s', (name) => {
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

it('the name $ref is valid for a parameter', async () => {
  const seen: unknown[] = [];
  const parameters = ['path', 'query', 'header', 'cookie'].map((place) => ({
    name: '$ref',
    in: place,
    required: true,
    schema: { type: 'string' },
  }));
  const post = { operationId: 'postThing', parameters, responses: { 204: { description: '' } } };
  const { app } = buildService({
    document: buildDocument({ paths: { '/{$ref}': { post } } }),
    handlers: {
      postThing: (given) => {
        seen.push(given);
        return Promise.resolve({ status: 204 });
      },
    },
  });
  await request(app).post('/a?$ref=a').set({ $ref: 'a', Cookie: '$ref=a' }).expect(204);
  const given = { $ref: 'a' };
  expect(seen).toEqual([
    expect.objectContaining({ path: given, query: given, header: given, cookie: given }),
  ]);
});

it('the name __proto__ is refused in every place', () => {
  for (const place of ['path', 'query', 'header', 'cookie']) {
    const parameter = { name: '__proto__', in: place, required: true, schema: { type: 'string' } };
    const post = {
      operationId: 'postThing',
      parameters: [parameter],
      responses: { 204: { description: '' } },
    };
    const path = place === 'path' ? '/{__proto__}' : '/';
    expect(() => buildService({ document: buildDocument({ paths: { [path]: { post } } }) })).toThrow(
      InvalidContract,
    );
  }
});
