import { minimalInputs } from '../../../scripts/prove/request/minimal';
import { slots, slotVerdict } from '../../../scripts/prove/request/slots';
import { constraints } from '../../../scripts/prove/schema/constraints';
import { createOracle } from '../../../scripts/prove/schema/oracle';
import { readDocument } from '../../../scripts/prove/document/reader';

const schema = {
  type: 'object',
  required: ['isbn'],
  properties: { isbn: { type: 'string', format: 'isbn' } },
};
const json = {
  openapi: '3.1.0',
  info: { title: 'Books', version: '1' },
  paths: {
    '/books': {
      post: {
        requestBody: {
          required: true,
          content: { 'multipart/form-data': { schema }, 'application/x-book': { schema } },
        },
        responses: { 204: { description: 'added' } },
      },
    },
  },
};
const document = readDocument(json, {
  formats: { isbn: '^97[89][0-9]{10}$' },
  encoders: { 'application/x-book': (value) => Buffer.from(`BOOK ${JSON.stringify(value)}`) },
});
const oracle = createOracle(document.requests);
const [operation] = document.operations;

test('a format of a team constrains values, and one of a standard may be ignored', () => {
  const keywords = constraints(
    document.requests,
    '/paths/~1books/post/requestBody/content/application~1x-book/schema',
  );
  expect(keywords.map(({ keyword }) => keyword)).toContain('pattern');
  const slot = operation && slots(document, operation).find(({ codec }) => codec === 'own');
  const verdict = (isbn: string) => slot && slotVerdict(oracle, slot, new Map([['isbn', isbn]]));
  expect([verdict('9780306406157'), verdict('123')]).toEqual(['valid', 'invalid']);
  const lenient = createOracle(document.lenient.requests);
  expect(slot && slotVerdict(lenient, slot, new Map([['isbn', '123']]))).toBe('valid');
});

test('the body of a minimal request has a media type that can be encoded', () => {
  const { body } = operation ? minimalInputs(document, oracle, operation) : {};
  expect(body?.type).toBe('application/x-book');
  expect(body?.bytes.toString()).toMatch(/^BOOK \{"isbn":"97[89]\d{10}"\}$/);
});
