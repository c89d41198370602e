import type { JsonObject } from '../../src/json/tree';
import { parse } from '../../src/json/value';
import { constraints } from '../../src/schema/constraints';
import { createOracle } from '../../src/schema/oracle';
import { resolveIdentifiers } from '../../src/document/identifiers';

const integer = { type: 'integer' };

test.each<[string, JsonObject]>([
  ['$defs of the schema', { $ref: '#/schema/$defs/number', $defs: { number: integer } }],
  ['an anchor', { $ref: '#number', $defs: { number: { $anchor: 'number', ...integer } } }],
  [
    'a pointer below the $id of the schema',
    { $id: 'https://example.org/a', $ref: '#/$defs/number', $defs: { number: integer } },
  ],
  [
    'the $id of another schema',
    {
      $id: 'https://example.org/a/',
      $ref: 'number.json',
      $defs: { number: { $id: 'number.json', ...integer } },
    },
  ],
  [
    'an anchor below an $id',
    {
      $id: 'https://example.org/a/',
      $ref: 'number.json#it',
      $defs: { number: { $id: 'number.json', $defs: { it: { $anchor: 'it', ...integer } } } },
    },
  ],
  [
    'a dynamic anchor that stands once',
    { $dynamicRef: '#number', $defs: { number: { $dynamicAnchor: 'number', ...integer } } },
  ],
  ['a name with a percent sign', { $ref: '#/schema/$defs/50%25', $defs: { '50%': integer } }],
])('a reference to %s is followed', (_, schema) => {
  const json = resolveIdentifiers({ schema });
  const schemas = { json, direction: 'request' } as const;
  const oracle = createOracle(schemas);
  expect(['1', '1.5'].map((text) => oracle.valid('/schema', parse(text)))).toEqual([true, false]);
  expect(constraints(schemas, '/schema').map(({ keyword }) => keyword)).toContain('type');
});

test('a property that is named like an identifier stays', () => {
  const properties = { $id: integer, $anchor: { type: 'string' } };
  expect(resolveIdentifiers({ schema: { properties, const: { $id: 'x' } } })).toEqual({
    schema: { properties, const: { $id: 'x' } },
  });
});

test('a dynamic reference with several targets is refused', () => {
  const json = resolveIdentifiers({
    schema: { $dynamicRef: '#it', $defs: { a: { $dynamicAnchor: 'it' }, b: { $dynamicAnchor: 'it' } } },
  });
  const oracle = createOracle({ json, direction: 'request' });
  expect(() => oracle.valid('/schema', null)).toThrow('got $dynamicRef at /schema');
});
