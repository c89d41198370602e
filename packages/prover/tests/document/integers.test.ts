import { seedOf } from '../../src/cases/search';
import { fromJson, print } from '../../src/json/value';
import { createOracle } from '../../src/schema/oracle';
import { documentOf, read } from '../support/document';

test('an example beyond 2^53 is sent as it is written, and bounds beyond it are judged', () => {
  const large = 2n ** 53n + 1n;
  const schema = { type: 'integer', format: 'int64', maximum: large, examples: [large], example: large };
  const parameters = [{ name: 'id', in: 'path', required: true, example: large, schema }];
  const get = { parameters, responses: { 204: { description: '' } } };
  expect(seedOf(documentOf({ get }, {}, '/{id}'))).toEqual(expect.any(Number));
  const { document, operation } = read({ get }, {}, '/{id}');
  const [parameter] = operation.parameters;
  const sent = [...(parameter?.examples ?? []), ...(parameter?.schemaExamples ?? [])].map(fromJson);
  expect(sent.map(print)).toEqual([String(large), String(large), String(large)]);
  const oracle = createOracle(document.requests);
  const accepts = (value: bigint) => oracle.valid(parameter?.schema ?? '', fromJson(value));
  expect([large - 2n, large + 9n].map(accepts)).toEqual([true, false]);
});
