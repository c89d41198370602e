import { parse } from '../src/json/value';
import { slots } from '../src/request/slots';
import { createOracle } from '../src/schema/oracle';
import { compareStored } from '../src/stored/compare';
import { inJson, read } from './support/document';

const MOST = '9223372036854775807';
const ROUNDED = '9223372036854775808';

test.each([
  ['an int64', { type: 'integer', format: 'int64' }, MOST, MOST, true],
  ['an int64', { type: 'integer', format: 'int64' }, MOST, ROUNDED, false],
  ['an int64', { type: 'integer', format: 'int64' }, '1', '1.0', true],
  ['an integer', { type: 'integer' }, MOST, ROUNDED, true],
  ['an integer', { type: 'integer' }, '1', '2', false],
  ['a number', { type: 'number' }, '0.1', '0.10000000000000001', true],
  ['a number', { type: 'number' }, '0.1', '0.2', false],
  ['a float', { type: 'number', format: 'float' }, '0.1', '0.10000000149011612', true],
])('%s (%j) that is sent as %s may be read as %s: %p', (_, schema, sent, got, isSame) => {
  const thing = { type: 'object', properties: { a: schema } };
  const { document, operation } = read({
    post: {
      requestBody: { required: true, content: inJson(thing) },
      responses: { 200: { description: '', content: inJson(thing) } },
    },
  });
  const [slot] = slots(document, operation);
  const answered = operation.responses[0]?.content[0]?.schema;
  if (!slot || answered === undefined) throw new Error('expected a body in both directions');
  const { differences } = compareStored(
    {
      document,
      oracle: createOracle(document.requests),
      responseOracle: createOracle(document.responses),
    },
    { slot, schema: answered },
    parse(`{"a":${sent}}`),
    parse(`{"a":${got}}`),
    '/things/1',
  );
  expect(differences.length === 0).toBe(isSame);
});
