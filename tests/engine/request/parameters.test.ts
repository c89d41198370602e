import { readDocument } from '../document/read';
import { parse } from '../json/value';
import { serializeParameter } from './serialize';
import { slots } from './slots';

describe('parameters', () => {
  const array = '[3,4,5]';
  const object = '{"r":100,"g":200}';
  /** The rows of the table in https://spec.openapis.org/oas/v3.1.0#style-examples, for a parameter named p. */
  test.each<[string, string, boolean, string, string]>([
    ['path', 'simple', false, array, '3,4,5'],
    ['path', 'simple', false, object, 'r,100,g,200'],
    ['path', 'simple', true, object, 'r=100,g=200'],
    ['path', 'label', false, '5', '.5'],
    ['path', 'label', true, array, '.3.4.5'],
    ['path', 'label', true, object, '.r=100.g=200'],
    ['path', 'matrix', false, '5', ';p=5'],
    ['path', 'matrix', false, array, ';p=3,4,5'],
    ['path', 'matrix', true, array, ';p=3;p=4;p=5'],
    ['path', 'matrix', true, object, ';r=100;g=200'],
    ['query', 'form', true, array, 'p=3&p=4&p=5'],
    ['query', 'form', false, array, 'p=3,4,5'],
    ['query', 'form', false, object, 'p=r,100,g,200'],
    ['query', 'spaceDelimited', false, array, 'p=3%204%205'],
    ['query', 'pipeDelimited', false, array, 'p=3%7C4%7C5'],
    ['query', 'deepObject', true, object, 'p%5Br%5D=100&p%5Bg%5D=200'],
    ['header', 'simple', false, array, '3,4,5'],
    ['cookie', 'form', true, '5', 'p=5'],
  ])('in %s, style %s, explode %s: %s is %s', (place, style, explode, value, want) => {
    const parameter = { name: 'p', in: place, style, explode, schema: {}, required: true };
    const json = { openapi: '3.1.0', paths: { '/{p}': { get: { parameters: [parameter], responses: {} } } } };
    const [read] = readDocument(json).operations[0]?.parameters ?? [];
    expect(read && serializeParameter(read, parse(value))).toBe(want);
  });

  test('are decoded by the types of their schema', () => {
    const parameters = [{ name: 'p', in: 'query', schema: { type: 'array', items: { type: 'integer' } } }];
    const document = readDocument({
      openapi: '3.1.0',
      paths: { '/': { get: { parameters, responses: {} } } },
    });
    const [slot] = document.operations.flatMap((operation) => slots(document, operation));
    expect(slot?.decode(parse('["7"]'))).toEqual(parse('[7]'));
    expect(slot?.decode(parse('["x"]'))).toEqual(['x']);
    expect(slot?.decode(parse('[]'))).toBeUndefined();
  });
});
