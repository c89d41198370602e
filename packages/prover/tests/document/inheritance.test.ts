import { readDocument } from '../../src/document/reader';
import { parse } from '../../src/json/value';
import { createOracle } from '../../src/schema/oracle';
import { inJson } from '../support/document';

test.each([
  ['itself', {}],
  ['a reference to a path item', { '/pets': { $ref: '#/components/pathItems/Pets' } }],
  ['the same with a field beside it', { '/pets': { $ref: '#/components/pathItems/Pets', summary: 'Pets' } }],
])('a discriminator in a path item names its branches, through %s', (_, paths) => {
  const schema = {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
    discriminator: { propertyName: 'kind' },
  };
  const item = { get: { responses: { default: { description: 'a pet', content: inJson(schema) } } } };
  const { operations, responses } = readDocument({
    openapi: '3.1.0',
    paths: { '/pets': item, ...paths },
    components: { pathItems: { Pets: item }, schemas: { Cat: { type: 'object' }, Dog: { type: 'object' } } },
  });
  const pointer = operations[0]?.responses[0]?.content[0]?.schema ?? '';
  const valid = (text: string): boolean => createOracle(responses).valid(pointer, parse(text));
  expect(['{"kind":"Cat"}', '{"kind":"Cow"}', '{}'].map(valid)).toEqual([true, false, false]);
});
