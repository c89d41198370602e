import request from 'supertest';
import { buildDocument, buildService, json } from '../support/service';
import { ok, respond } from './respond';

const text = { type: 'string' };

/** Every way to say of a property that it goes one way only. */
const ways = (keyword: string): [string, object, object][] => [
  ['by itself', { ...text, [keyword]: true }, {}],
  ['beside a reference', { $ref: '#/components/schemas/Text', [keyword]: true }, { Text: text }],
  ['in what it refers to', { $ref: '#/components/schemas/Text' }, { Text: { ...text, [keyword]: true } }],
  ['in a part of it', { allOf: [text, { [keyword]: true }] }, {}],
];

const thing = (property: object) => ({
  type: 'object',
  required: ['name', 'marked'],
  properties: { name: text, marked: property },
});

it.each(ways('readOnly'))(
  'a property that says %s that it is readOnly is no part of a request',
  async (_, property, schemas) => {
    const schema = thing(property);
    const document = buildDocument({
      operation: { requestBody: { required: true, content: json(schema) } },
      components: { schemas },
    });
    const { app } = buildService({
      document,
      handlers: { postThing: () => Promise.resolve({ status: 204 }) },
    });
    const send = (body: object) => request(app).post('/things').send(body);
    expect((await send({ name: 'a' })).status).toBe(204);
    const refused = await send({ name: 'a', marked: 'b' });
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: 40001, message: 'body/marked is read-only' },
    ]);
  },
);

it.each(ways('writeOnly'))(
  'a property that says %s that it is writeOnly is no part of a response',
  async (_, property, schemas) => {
    const answer = await respond(
      ok(thing(property)),
      { status: 200, body: { name: 'a', marked: 'b' } },
      { schemas },
    );
    expect([answer.status, answer.text]).toEqual([200, '{"name":"a"}']);
  },
);
