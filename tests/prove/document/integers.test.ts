import { createOracle } from '../../../scripts/prove/schema/oracle';
import { fromJson, print } from '../../../scripts/prove/json/value';
import { readDocument } from '../../../scripts/prove/document/reader';
import { seedOf } from '../../../scripts/prove/cases/generated';

const LARGE = 2n ** 53n + 1n;

test('an example beyond 2^53 is sent as it is written, and bounds beyond it are judged', () => {
  const schema = { type: 'integer', format: 'int64', maximum: LARGE, examples: [LARGE] };
  const document = {
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    paths: {
      '/books/{id}': {
        get: {
          parameters: [{ name: 'id', in: 'path', required: true, example: LARGE, schema }],
          responses: { 204: { description: '' } },
        },
      },
    },
  };
  expect(seedOf(document)).toEqual(expect.any(Number));
  const { operations, requests } = readDocument(document);
  const [parameter] = operations[0]?.parameters ?? [];
  const sent = [...(parameter?.examples ?? []), ...(parameter?.schemaExamples ?? [])]
    .map(fromJson)
    .map(print);
  expect(sent).toEqual([String(LARGE), String(LARGE)]);
  const oracle = createOracle(requests);
  const accepts = (value: bigint) => oracle.valid(parameter?.schema ?? '', fromJson(value));
  expect([LARGE - 2n, LARGE + 9n].map(accepts)).toEqual([true, false]);
});
