import { streamFindings } from '../../src/check/streams';
import type { JsonObject } from '../../src/json/tree';
import { createOracle } from '../../src/schema/oracle';
import { read } from '../support/document';

const NUMBER = { contentMediaType: 'application/json', contentSchema: { type: 'number' } };
const data = (schema: object | boolean, others: object = {}) => ({
  type: 'object',
  properties: { data: schema },
  ...others,
});
const EVENTS = {
  components: {
    schemas: {
      Number: { type: 'string', ...NUMBER },
      Event: data({ $ref: '#/components/schemas/Number' }, { required: ['data'] }),
      Text: data({ type: 'string', maxLength: 2 }),
      List: {
        contentMediaType: 'application/json',
        contentSchema: { type: 'array', items: { $ref: '#/components/schemas/Number/contentSchema' } },
      },
    },
  },
};
const EVENT = { $ref: '#/components/schemas/Event' };

/** An item schema, data that it allows, and data that it does not. */
const ROWS: Readonly<Record<string, readonly [schema: object | boolean, valid: string, invalid: string]>> = {
  'content of its own': [data(NUMBER), '1', 'x'],
  'content that is not as described': [data(NUMBER), '-1.5e3', '"1"'],
  'content of a type with a parameter': [
    data({ ...NUMBER, contentMediaType: 'application/json; charset=utf-8' }),
    '1',
    'x',
  ],
  'content of a structured type': [
    data({ ...NUMBER, contentMediaType: 'application/problem+JSON' }),
    '1',
    'x',
  ],
  'JSON of any kind': [data({ contentMediaType: 'application/json' }), '{"a":[]}', '{'],
  'a text of another type': [data({ ...NUMBER, contentMediaType: 'text/plain', maxLength: 2 }), 'x', 'xyz'],
  'encoded content, which is a text': [
    data({ ...NUMBER, contentEncoding: 'base64', maxLength: 2 }),
    'x',
    'xyz',
  ],
  'a reference': [EVENT, '1', 'x'],
  'a reference with a word beside it': [{ ...EVENT, maxProperties: 1 }, '1', 'x'],
  'an event without other properties': [data(NUMBER, { additionalProperties: false }), '1', 'x'],
  'an event without other properties, by reference': [{ ...EVENT, unevaluatedProperties: false }, '1', 'x'],
  'a closed event that has a part': [
    { ...data(true, { additionalProperties: false }), allOf: [EVENT] },
    '1',
    'x',
  ],
  'names of properties': [data(NUMBER, { propertyNames: { enum: ['data'] } }), '1', 'x'],
  'a number of properties': [data(NUMBER, { minProperties: 1, maxProperties: 1 }), '1', 'x'],
  'too few properties': [{ anyOf: [data(NUMBER, { minProperties: 2 }), data({ const: 'x' })] }, 'x', '1'],
  'one of two': [{ oneOf: [EVENT, { $ref: '#/components/schemas/Text' }] }, 'xy', '1'],
  'one of two, which is JSON': [{ oneOf: [EVENT, { $ref: '#/components/schemas/Text' }] }, '123', 'xyz'],
  'a condition': [{ if: data(NUMBER), then: false, else: true }, 'x', '1'],
  'what must not be': [{ not: EVENT }, 'x', '1'],
  'a base beside': [{ allOf: [data({ type: 'string', maxLength: 3 }), EVENT] }, '123', '1234'],
  'choices of whole events': [{ ...EVENT, enum: [{ data: '1' }, { data: '2' }] }, '2', '3'],
  'references in the content': [data({ $ref: '#/components/schemas/List' }), '[1]', '["1"]'],
  'a text': [data({ type: 'string', maxLength: 2 }), '12', '123'],
  nothing: [data(true), '', '\n\nother: line'],
};

test.each(Object.entries(ROWS))('the data of an event is judged by %s', (_, [schema, valid, invalid]) => {
  const content = { 'text/event-stream': { 'x-item-schema': schema } } as JsonObject;
  const responses = { '200': { description: 'events', content } };
  const { document, operation } = read({ get: { responses } }, EVENTS);
  const [media] = operation.responses[0]?.content ?? [];
  if (!media) throw new Error('expected a media type');
  const oracles = {
    strict: createOracle(document.responses),
    lenient: document.lenient.responses.map((schemas) => createOracle(schemas)),
  };
  const findings = (text: string) =>
    streamFindings(document, oracles, media, 'events', {
      status: 200,
      headers: [],
      body: Buffer.from(`data: ${text}\n\n`),
    }).map(({ message }) => message);
  expect(findings(valid)).toEqual([]);
  expect(findings(invalid)).toHaveLength(1);
});
