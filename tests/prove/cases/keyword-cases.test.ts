import { readDocument } from '../../../scripts/prove/document/reader';
import { NumberLiteral, parse } from '../../../scripts/prove/json/value';
import { slots } from '../../../scripts/prove/request/slots';
import { createOracle } from '../../../scripts/prove/schema/oracle';
import { correctServer, target } from '../support/simple-server';
import { fault } from '../../../scripts/prove/cases/keyword-cases';

test.each([
  ['7.5', 'invalid request'],
  ['9007199254740992.5', 'excess precision'],
  ['1.00000000000000000001', 'excess precision'],
  ['9223372036854775808', 'invalid format'],
  ['-1', 'invalid request'],
])('the integer %s breaks the rule: %s', (literal, rule) => {
  const schema = { type: 'integer', format: 'int64', minimum: 0 };
  const document = readDocument({
    openapi: '3.1.0',
    info: { title: 'Numbers', version: '1' },
    paths: {
      '/number': {
        put: {
          operationId: 'putNumber',
          requestBody: { content: { 'application/json': { schema } } },
          responses: { 204: { description: 'stored' } },
        },
      },
    },
  });
  const lenientOracle = createOracle(document.lenient.requests);
  const [operation] = document.operations;
  const [slot] = operation ? slots(document, operation) : [];
  if (!operation || !slot) throw new Error('expected an operation with a body');
  const context = { lenientOracle, operation, target: target(correctServer) };
  expect(fault(context, slot, new NumberLiteral(literal))).toEqual({
    rule,
    location: 'body',
  });
});

test.each([
  ['document', '""', 'empty parameter'],
  ['document', '["a",""]', 'empty parameter'],
  ['document', '["a"]', 'invalid request'],
  ['strict', '""', 'invalid request'],
] as const)('by the profile %s, the query parameter %s breaks the rule: %s', (profile, text, rule) => {
  const schema = { type: ['string', 'array'], minLength: 2, items: { type: 'string', minLength: 2 } };
  const document = readDocument({
    openapi: '3.1.0',
    paths: {
      '/': { get: { operationId: 'get', parameters: [{ name: 'q', in: 'query', schema }], responses: {} } },
    },
  });
  const lenientOracle = createOracle(document.lenient.requests);
  const [operation] = document.operations;
  const [slot] = operation ? slots(document, operation) : [];
  if (!operation || !slot) throw new Error('expected an operation with a parameter');
  const context = { lenientOracle, operation, target: { ...target(correctServer), profile } };
  expect(fault(context, slot, parse(text))).toEqual({ rule, location: 'query' });
});
