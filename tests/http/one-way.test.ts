import request from 'supertest';
import { buildDocument, buildService, json } from '../support/service';
import { ok, respond } from './respond';

const text = { type: 'string' };

/** Every way to mark a property as readOnly or writeOnly. */
const ways = (keyword: string): [string, object, object][] => [
  ['by itself', { ...text, [keyword]: true }, {}],
  ['beside a reference', { $ref: '#/components/schemas/Text', [keyword]: true }, { Text: text }],
  [
    'in the target of a reference',
    { $ref: '#/components/schemas/Text' },
    { Text: { ...text, [keyword]: true } },
  ],
  ['in an allOf', { allOf: [text, { [keyword]: true }] }, {}],
];

/** Schemas that require the property in the same schema and in another one. */
function things(marked: object) {
  const thing = { type: 'object', required: ['name', 'marked'], properties: { name: text, marked } };
  return [thing, { allOf: [{ ...thing, required: ['name'] }, { required: ['marked'] }] }];
}

it.each(ways('readOnly'))(
  'no request has a property that is marked %s as readOnly',
  async (_, marked, schemas) => {
    for (const schema of things(marked)) {
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
    }
  },
);

it.each(ways('writeOnly'))(
  'no response has a property that is marked %s as writeOnly',
  async (_, marked, schemas) => {
    for (const schema of things(marked)) {
      const given = { status: 200, body: { name: 'a', marked: 'b' } };
      const { status, text: sent } = await respond(ok(schema), given, { schemas });
      expect([status, sent]).toEqual([200, '{"name":"a"}']);
    }
  },
);
