import { minimalInputs } from '../../src/request/compose';
import { slots, slotValidity } from '../../src/request/slots';
import { constraints } from '../../src/schema/constraints';
import { createOracle } from '../../src/schema/oracle';
import { read } from '../support/document';

const isbn = { type: 'string', format: 'isbn' };
const schema = { type: 'object', required: ['isbn'], properties: { isbn, default: isbn } };
const { document, operation } = read(
  {
    post: {
      requestBody: { content: { 'application/xml': { schema }, 'application/x-book': { schema } } },
      responses: { default: { description: 'added', content: { 'application/json': { schema: isbn } } } },
    },
  },
  {},
  '/books',
  {
    formats: { isbn: '^97[89][0-9]{10}$' },
    encoders: { 'application/x-book': (value) => Buffer.from(`BOOK ${JSON.stringify(value)}`) },
  },
);
const oracle = createOracle(document.requests);
const ISBN = '9780306406157';

test('a format of a team constrains values, whatever the name of their place; a standard lets a server ignore it', () => {
  const slot = slots(document, operation).find(({ codec }) => codec === 'own');
  const keywords = constraints(document.requests, slot?.schema ?? '').map(({ keyword }) => keyword);
  expect(keywords).toContain('pattern');
  const verdict = (judge: typeof oracle, ...members: [string, string][]) =>
    slot && slotValidity(judge, slot, new Map(members));
  expect(verdict(oracle, ['isbn', ISBN])).toBe('valid');
  expect(verdict(oracle, ['isbn', '123'])).toBe('invalid');
  expect(verdict(oracle, ['isbn', ISBN], ['default', '123'])).toBe('invalid');
  expect(verdict(createOracle(document.lenient.requests), ['isbn', '123'])).toBe('valid');
  const answer = operation.responses[0]?.content[0]?.schema ?? '';
  expect(createOracle(document.responses).valid(answer, '123')).toBe(false);
  const [lenient] = document.lenient.responses;
  expect(lenient && createOracle(lenient).valid(answer, '123')).toBe(true);
});

test('the body of a minimal request has a media type that can be encoded', () => {
  const { body } = minimalInputs(document, oracle, operation);
  expect(body?.type).toBe('application/x-book');
  expect(body?.bytes.toString()).toMatch(/^BOOK \{"isbn":"97[89]\d{10}"\}$/);
});
