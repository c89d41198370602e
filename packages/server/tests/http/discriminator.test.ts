import request from 'supertest';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { receive } from './receive';
import { hidden, ok, respond } from './respond';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };

/** Animals whose schemas a oneOf or anyOf lists. */
const listed = (keyword: string, discriminator: object) => ({
  Pet: {
    [keyword]: [ref('Cat'), ref('Dog'), { type: 'null' }],
    discriminator: { propertyName: 'kind', ...discriminator },
  },
  Cat: { type: 'object', required: ['kind'], properties: { kind: text, name: text } },
  Dog: { type: 'object', required: ['kind', 'packSize'], properties: { kind: text, packSize: int64 } },
});

/** Animals whose allOf contains their parent. */
const derived = (discriminator: object) => ({
  Pet: {
    type: 'object',
    required: ['kind'],
    properties: { kind: text, friend: ref('Pet') },
    discriminator: { propertyName: 'kind', ...discriminator },
  },
  Cat: { allOf: [ref('Pet'), { properties: { name: text } }] },
  Dog: { allOf: [ref('Pet'), { required: ['packSize'], properties: { packSize: int64 } }] },
  Puppy: { allOf: [ref('Dog'), { required: ['age'], properties: { age: int64 } }] },
});

const mapping = { mapping: { cat: 'Cat', dog: '#/components/schemas/Dog' } };

const FAMILIES: readonly (readonly [string, Readonly<Record<string, object>>, dog: string, cat: string])[] = [
  ['beside oneOf', listed('oneOf', {}), 'Dog', 'Cat'],
  ['beside anyOf', listed('anyOf', {}), 'Dog', 'Cat'],
  ['beside oneOf, with a mapping', listed('oneOf', mapping), 'dog', 'cat'],
  ['of a parent', derived({}), 'Dog', 'Cat'],
  ['of a parent, with a mapping', derived(mapping), 'dog', 'cat'],
];

describe.each(FAMILIES)('a discriminator %s selects the schema', (_, schemas, dog, cat) => {
  const schema = ref('Pet');
  const respondWith = (body: unknown) => respond(ok(schema), { status: 200, body }, { schemas });

  it('in requests', async () => {
    const good = `{"kind":"${dog}","packSize":9007199254740993}`;
    expect(await receive(schema, good, schemas)).toBe(good);
    expect(await receive(schema, `{"kind":"${cat}","name":"a","x":1}`, schemas)).toBe(
      `{"kind":"${cat}","name":"a"}`,
    );
    expect(await receive(schema, `{"kind":"${dog}"}`, schemas)).toBe(
      "body must have required property 'packSize'",
    );
    expect(await receive(schema, `{"kind":"${dog}","packSize":""}`, schemas)).toBe(
      'body/packSize must be integer',
    );
  });

  it('in responses, in which a subtype keeps its own properties', async () => {
    expect(await respondWith({ kind: dog, packSize: 3n, x: 1 })).toMatchObject({
      status: 200,
      text: `{"kind":"${dog}","packSize":3}`,
    });
    expect(await respondWith({ kind: dog })).toMatchObject(hidden);
  });

  it('behind references, in items and in properties', async () => {
    const nested = { Box: { properties: { pets: { type: 'array', items: { allOf: [schema] } } } } };
    const body = `{"pets":[{"kind":"${dog}","packSize":1},{"kind":"${cat}","name":"a"}]}`;
    expect(await receive(ref('Box'), body, { ...schemas, ...nested })).toBe(body);
    const wrong = `{"pets":[{"kind":"${dog}"}]}`;
    expect(await receive(ref('Box'), wrong, { ...schemas, ...nested })).toContain(
      "body/pets/0 must have required property 'packSize'",
    );
  });

  it.each(['{}', '{"kind":"Cow"}', '{"kind":"constructor"}', '{"kind":1}'])(
    'and %s is refused with the list of valid names',
    async (body) => {
      const message = await receive(schema, body, schemas);
      expect(message).toContain(cat);
      expect(message).toContain(dog);
      expect(await respondWith(JSON.parse(body))).toMatchObject(hidden);
    },
  );
});

it('the branches alone decide about a value that is not an object', async () => {
  expect(await receive(ref('Pet'), 'null', listed('oneOf', {}))).toBe('null');
  expect(await receive(ref('Pet'), '1', listed('oneOf', {}))).toContain('must be');
});

it.each([
  ['beside oneOf', { Pet: { oneOf: [ref('Cat'), ref('Other')] } }, '{"kind":"Cat","lives":9}'],
  ['of a parent', { Pet: { type: 'object', properties: { kind: text } } }, '{"kind":"Cat","lives":9}'],
])('a value without one of the names is that of the default mapping, %s', async (_, { Pet }, cat) => {
  const isParent = !('oneOf' in Pet);
  const own = (schema: object) => (isParent ? { allOf: [ref('Pet'), schema] } : schema);
  const schemas = {
    Pet: { ...Pet, discriminator: { propertyName: 'kind', defaultMapping: 'Other' } },
    Cat: own({ type: 'object', required: ['lives'], properties: { kind: text, lives: int64 } }),
    Other: own({ type: 'object', required: ['name'], properties: { kind: {}, name: text } }),
  };
  const operation = {
    requestBody: { content: json(ref('Pet')) },
    responses: { 200: { content: json(ref('Pet')) } },
  };
  const document = buildDocument({ openapi: '3.2.0', operation, components: { schemas } });
  const postThing = ({ body }: { body: unknown }) => Promise.resolve({ status: 200, body });
  const { app } = buildService({ document, handlers: { postThing } });
  const send = async (body: string) => {
    const response = await request(app).post('/things').set('Content-Type', 'application/json').send(body);
    return response.text.replace(/.*"message":("[^"]*").*/, '$1');
  };
  expect(await send(cat)).toBe(cat);
  expect(await send('{"kind":"Cat","name":"a"}')).toContain("body must have required property 'lives'");
  for (const kind of ['', '"kind":"cow",', ...(isParent ? [] : ['"kind":3,'])]) {
    expect(await send(`{${kind}"name":"a","lives":9}`)).toBe(`{${kind}"name":"a"}`);
    expect(await send(`{${kind}"lives":9}`)).toContain("body must have required property 'name'");
  }
});

describe('a hierarchy of several levels', () => {
  const schemas = derived({});
  it('the discriminator selects every level, including the parent', async () => {
    const puppy = '{"kind":"Puppy","packSize":1,"age":2}';
    expect(await receive(ref('Pet'), puppy, schemas)).toBe(puppy);
    expect(await receive(ref('Pet'), '{"kind":"Puppy","packSize":1}', schemas)).toContain("'age'");
    expect(await receive(ref('Pet'), '{"kind":"Pet","packSize":1}', schemas)).toBe('{"kind":"Pet"}');
  });

  it('it applies to nested values, and to a subtype that is referenced directly', async () => {
    const friends =
      '{"kind":"Cat","friend":{"kind":"Dog","packSize":1,"friend":{"kind":"Puppy","packSize":1}}}';
    expect(await receive(ref('Pet'), friends, schemas)).toContain(
      "body/friend/friend must have required property 'age'",
    );
    expect(await receive(ref('Dog'), '{"kind":"Dog","packSize":1,"name":""}', schemas)).toBe(
      '{"kind":"Dog","packSize":1}',
    );
  });
});

it('recursion between a parent and the allOf of its subtypes ends', async () => {
  const schemas = {
    Pet: {
      type: 'object',
      properties: { kind: text },
      oneOf: [ref('Cat'), ref('Dog')],
      discriminator: { propertyName: 'kind' },
    },
    Cat: { allOf: [ref('Pet'), { properties: { name: text } }] },
    Dog: { allOf: [ref('Pet'), { required: ['packSize'], properties: { packSize: int64 } }] },
  };
  for (const schema of [ref('Pet'), ref('Dog')]) {
    const dog = '{"kind":"Dog","packSize":1}';
    expect(await receive(schema, dog, schemas)).toBe(dog);
    expect(await receive(schema, '{"kind":"Dog"}', schemas)).toContain("'packSize'");
    expect(
      await respond(ok(schema), { status: 200, body: { kind: 'Dog', packSize: 1n, x: 1 } }, { schemas }),
    ).toMatchObject({
      status: 200,
      text: dog,
    });
  }
});
