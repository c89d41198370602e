import express from 'express';
import request from 'supertest';
import { convertTo31 } from '../../src/document/source/convert';
import { createMock } from '../../src/mock/service';

const OBJECT = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
const THING = { $ref: '#/components/schemas/Thing' };
const CREATED = { $ref: '#/components/schemas/Created' };
const DONE = {
  type: 'object',
  required: ['event', 'data'],
  properties: { event: { enum: ['done'] }, data: { enum: ['[DONE]'] } },
};

function convert(key: string, media: object, openapi = '3.1.0') {
  const responses = { 200: { description: '', content: { [key]: media } } };
  const document = structuredClone({
    openapi,
    info: { title: 'A', version: '1' },
    paths: { '/a': { get: { operationId: 'a', responses } } },
    components: {
      schemas: {
        Thing: OBJECT,
        Created: {
          type: 'object',
          required: ['event', 'data'],
          properties: { event: { enum: ['created'] }, data: THING },
        },
        Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] },
      },
    },
  });
  const notes = convertTo31(document, String);
  return { document, notes, media: document.paths['/a'].get.responses[200].content[key] };
}

const dataOf = (contentSchema: object) => ({
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'string', contentMediaType: 'application/json', contentSchema } },
});

/** The spellings of schemas that only objects conform to. */
const OBJECTS: readonly object[] = [
  OBJECT,
  THING,
  { type: ['object'] },
  { allOf: [{ description: 'a' }, THING] },
  { oneOf: [THING, OBJECT] },
  { anyOf: [{ oneOf: [THING] }, OBJECT] },
];

/** Schemas that other values conform to, or nothing at all. */
const OTHERS: readonly object[] = [
  { type: 'string' },
  { properties: { id: { type: 'integer' } } },
  { type: ['object', 'null'] },
  { type: ['object', 'string'] },
  { type: 'array', items: THING },
  { oneOf: [THING, { type: 'string' }] },
  { anyOf: [] },
  { $ref: '#/components/schemas/Loop' },
  {},
];

const LINES = [
  'application/jsonl',
  'application/x-ndjson',
  'application/json-seq',
  'application/geo+json-seq',
  'Application/X-NDJSON; charset=utf-8',
];

describe.each(['3.0.3', '3.1.0', '3.2.0'])('in OpenAPI %s', (openapi) => {
  it.each(LINES)('a schema of objects describes each item of %s', (key) => {
    for (const schema of OBJECTS)
      expect(convert(key, { schema, example: 1 }, openapi).media).toEqual({
        'x-item-schema': schema,
        example: 1,
      });
  });

  it('a schema of objects describes the data of each event', () => {
    for (const schema of OBJECTS)
      expect(convert('text/event-stream', { schema }, openapi).media).toEqual({
        'x-item-schema': dataOf(schema),
      });
  });

  it.each([...LINES, 'text/event-stream'])('another schema describes the whole of %s', (key) => {
    for (const schema of OTHERS) {
      const { media, notes } = convert(key, { schema }, openapi);
      expect(media).toEqual({ schema });
      expect(notes.join()).not.toContain('describes');
    }
    expect(convert(key, {}, openapi).media).toEqual({});
  });

  it('a schema of objects stays in a body that is one value', () => {
    for (const key of ['application/json', 'text/plain', 'application/event-stream+json'])
      expect(convert(key, { schema: THING }, openapi).media).toEqual({ schema: THING });
  });
});

it.each(['itemSchema', 'x-item-schema'])('%s of items stays as it is', (field) => {
  for (const key of [...LINES, 'text/event-stream'])
    for (const more of [{}, { schema: { type: 'string' } }]) {
      const media = { [field]: dataOf(THING), ...more };
      expect(convert(key, media, '3.2.0').media).toEqual(media);
    }
});

it('says what it has changed', () => {
  const notesOf = (key: string, media: object) => convert(key, media).notes.join();
  expect(notesOf('text/event-stream', { schema: THING })).toBe(
    'OpenAPI 3.1.0 is read with changes: the schema of text/event-stream describes the data of each event (1)',
  );
  expect(notesOf('text/event-stream', { schema: DONE })).toContain(
    'text/event-stream describes each event (1)',
  );
  expect(notesOf('application/jsonl', { schema: THING })).toContain(
    'application/jsonl describes each item (1)',
  );
  expect(notesOf('text/event-stream', { 'x-item-schema': CREATED })).toContain(
    'the schema of an object in the data of an event describes its JSON (1)',
  );
});

const EVENTS = {
  oneOf: [CREATED, DONE],
  discriminator: { propertyName: 'event', mapping: { created: CREATED.$ref } },
};

/** The spellings of the same events, and the version that has the field. */
it.each<[string, string, object]>([
  ['schema', '3.1.0', EVENTS],
  ['x-item-schema', '3.1.0', EVENTS],
  ['itemSchema', '3.2.0', EVENTS],
  ['schema', '3.0.3', { allOf: [{ anyOf: [CREATED, DONE] }] }],
])(
  'an event whose data is an object is sent as JSON, beside one whose data is a text: %s in %s',
  async (field, version, schema) => {
    const { document } = convert('text/event-stream', { [field]: schema }, version);
    expect(document.components.schemas.Created.properties.data).toEqual(THING);
    const { service, leftOut } = createMock(document, {
      tokens: [],
      bodyLimit: 1_000,
      maxRequests: 10,
      report: () => undefined,
      extensions: {},
    });
    expect(leftOut).toEqual([]);
    const { text } = await request(express().use(service)).get('/a').expect(200);
    expect(text).toContain('event: created\ndata: {"id":1}\n\n');
    expect(text).toContain('event: done\ndata: [DONE]\n\n');
  },
);
