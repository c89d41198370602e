import request from 'supertest';
import { type Answer, InvalidContract } from 'contract-first-server';
import { buildDocument, buildService } from '../../../../scripts/testing/service';

// A schema that no body of the media type can match is refused at startup, because every request would fail.

const SCHEMAS: Readonly<Record<string, object>> = {
  object: { type: 'object', properties: { a: { type: 'string' } } },
  array: { type: 'array', items: { type: 'string' } },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  'list of numbers': { enum: [1, 2] },
  'reference to an object': { $ref: '#/components/schemas/Thing' },
  'one of two schemas without strings': {
    oneOf: [{ type: 'integer' }, { $ref: '#/components/schemas/Thing' }],
  },
  contradiction: { allOf: [{ type: 'string' }, { type: 'integer' }] },
  string: { type: 'string', maxLength: 5 },
  'string or null': { type: ['string', 'null'] },
  'list of strings': { enum: ['text', 'other'] },
  anything: {},
};
const FITS_TEXT = ['string', 'string or null', 'list of strings', 'anything'];
const FITS_PLAIN = ['integer', 'boolean', 'list of numbers'];
const TEXTS = ['text/plain', 'text/csv', 'text/html; charset=utf-8', 'text/event-stream', 'text/*'];
const PLAIN = ['text/plain', 'text/*'];
const LINES = [
  'application/jsonl',
  'application/x-ndjson',
  'application/json-seq',
  'application/geo+json-seq',
  'application/xml',
  'application/atom+xml',
  'application/yaml',
];
const BYTES = ['application/octet-stream', 'image/png', 'application/cbor'];

function serve(type: string, name: string, direction: string) {
  const content = { [type]: { schema: SCHEMAS[name] } };
  const given: { body?: unknown }[] = [];
  const { app } = buildService({
    document: buildDocument({
      operation:
        direction === 'request'
          ? { requestBody: { content } }
          : { responses: { 200: { description: '', content }, 204: { description: '' } } },
      components: { schemas: { Thing: SCHEMAS['object'] } },
    }),
    handlers: {
      postThing: (of: { body?: unknown }): Promise<Answer> => {
        given.push(of);
        const contentType = type.includes('*') ? 'text/plain' : type;
        return Promise.resolve(
          direction === 'request' ? { status: 204 } : { status: 200, contentType, body: 'text' },
        );
      },
    },
  });
  return { app, given };
}

function refusal(type: string, name: string, direction: string): string {
  try {
    serve(type, name, direction);
  } catch (error) {
    if (error instanceof InvalidContract) return error.message;
    throw error;
  }
  return '';
}

const products = <A, B>(left: readonly A[], right: readonly B[]): [A, B][] =>
  left.flatMap((a) => right.map((b): [A, B] => [a, b]));
const names = Object.keys(SCHEMAS);

describe.each(['request', 'response'])('in a %s', (direction) => {
  const place =
    direction === 'request' ? '#/paths/~1things/post/requestBody/' : '#/paths/~1things/post/responses/200/';

  test.each([
    ...products(
      TEXTS,
      names.filter((name) => !FITS_TEXT.includes(name)),
    ).filter(([type, name]) => !PLAIN.includes(type) || !FITS_PLAIN.includes(name)),
    ...products(
      LINES,
      names.filter((name) => !FITS_TEXT.includes(name)),
    ),
    ...products(
      BYTES,
      names.filter((name) => name !== 'anything'),
    ),
  ])('%s with the schema %s is refused with its place and a remedy', (type, name) => {
    const message = refusal(type, name, direction);
    expect(message.startsWith(`${place}content/${type.replace('/', '~1')}/schema: a body of ${type} `)).toBe(
      true,
    );
    expect(message).toContain(': use type string');
  });

  test.each(products([...TEXTS, ...LINES], ['string', 'list of strings']))(
    '%s with the schema %s is text',
    async (type, name) => {
      const { app, given } = serve(type, name, direction);
      const client = request(app).post('/things');
      if (direction === 'request') {
        const response = await client
          .set('Content-Type', type.replace('*', 'plain'))
          .serialize(String)
          .send('text');
        expect([response.status, given[0]?.body]).toEqual([204, 'text']);
        const another = request(app).post('/things').set('Content-Type', type.replace('*', 'plain'));
        expect((await another.serialize(String).send('too long')).status).toBe(400);
      } else {
        const response = await client.buffer(true).parse((reply, done) => {
          let text = '';
          reply
            .on('data', (chunk) => (text += String(chunk)))
            .on('end', () => {
              done(null, text);
            });
        });
        expect([response.status, response.body]).toEqual([200, 'text']);
      }
    },
  );

  test.each(['text/plain; charset=latin1', 'application/json; charset=utf-16'])(
    '%s is refused for its charset',
    (type) => {
      expect(refusal(type, 'anything', direction)).toContain('cannot be served: only utf-8 can');
    },
  );

  test.each(['json', 'application/json, text/plain', ''])('%p is refused: it is not a media type', (type) => {
    expect(refusal(type, 'anything', direction)).toContain('is not a media type');
  });

  test.each([
    'application/json',
    'text/json',
    'application/vnd.a+json',
    'application/*+json',
    '*/*',
    'application/*',
  ])('%s with a schema is JSON', (type) => {
    for (const name of names) expect(refusal(type, name, direction)).toBe('');
  });
});

const INT64 = { type: 'integer', format: 'int64' };

/** Plain text of each type: its schema, the text and the value of a handler; undefined: it does not conform. */
const PLAIN_TEXTS: [object, string, unknown][] = [
  [{ type: 'integer' }, '42', 42],
  [{ type: 'integer' }, '-0', -0],
  [{ type: 'integer' }, '4.0', 4],
  [{ type: 'integer' }, '4.5', undefined],
  [{ type: 'integer' }, '4 ', undefined],
  [{ type: 'integer' }, '+4', undefined],
  [{ type: 'integer' }, '04', undefined],
  [{ type: 'integer' }, '', undefined],
  [{ type: 'integer' }, 'null', undefined],
  [{ type: 'integer', maximum: 3 }, '4', undefined],
  [INT64, '9223372036854775807', 9223372036854775807n],
  [INT64, '9223372036854775808', undefined],
  [{ type: 'number' }, '1e-7', 1e-7],
  [{ type: 'number' }, '1e400', undefined],
  [{ type: 'number' }, 'NaN', undefined],
  [{ type: 'boolean' }, 'true', true],
  [{ type: 'boolean' }, 'True', undefined],
  [{ type: ['integer', 'null'] }, '1', 1],
  [{ enum: [1, 2] }, '2', 2],
  [{ enum: [1, 2] }, '3', undefined],
  [{ const: false }, 'false', false],
  [{ type: ['boolean', 'string'] }, 'no', 'no'],
  [{ type: ['integer', 'string'] }, '5', 5],
  [{ anyOf: [INT64, { type: 'boolean' }] }, 'true', true],
  [{ allOf: [{ type: 'number' }, { minimum: 2 }] }, '2.5', 2.5],
  [{ type: 'string' }, '5', '5'],
];

describe.each(['text/plain', 'text/*'])('a body of %s', (key) => {
  const contentType = 'text/plain';
  const described = (schema: object) => ({ [key]: { schema } });

  test.each(PLAIN_TEXTS)('%j in a request: %j', async (schema, sent, value) => {
    const given: unknown[] = [];
    const { app } = buildService({
      document: buildDocument({ operation: { requestBody: { required: true, content: described(schema) } } }),
      handlers: {
        postThing: ({ body }: { body?: unknown }) => (given.push(body), Promise.resolve({ status: 204 })),
      },
    });
    const { status } = await request(app).post('/things').set('Content-Type', contentType).send(sent);
    expect([status, ...given]).toEqual(value === undefined ? [400] : [204, value]);
  });

  test.each([
    ...PLAIN_TEXTS.filter(([, text, value]) => value !== undefined && text !== '-0' && text !== '4.0'),
    ...([4.5, NaN, null, 'a', {}, [], true, new Date(0)].map((value) => [
      INT64,
      undefined,
      value,
    ]) as never[]),
    [{ type: 'string' }, undefined, 5],
    [{ type: ['string', 'boolean'] }, undefined, 5],
    [{ type: 'boolean' }, undefined, 'maybe'],
    [INT64, undefined, 9223372036854775808n],
  ] as [object, string | undefined, unknown][])('%j in a response: %j', async (schema, sent, body) => {
    const { app } = buildService({
      document: buildDocument({
        operation: { responses: { 200: { description: '', content: described(schema) } } },
      }),
      handlers: { postThing: (): Promise<Answer> => Promise.resolve({ status: 200, contentType, body }) },
    });
    const { status, text } = await request(app).post('/things');
    expect([status, text]).toEqual(sent === undefined ? [500, expect.anything()] : [200, sent]);
  });
});
