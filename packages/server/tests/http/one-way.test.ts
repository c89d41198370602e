import { send } from './receive';
import { ok, respond } from './respond';
import { everyOf } from '../../../../scripts/testing/cases';

/** Schemas that mark a part of a value, one for each keyword that applies to parts. */
const markings = (mark: object): [string, object, unknown][] => [
  ['properties', { properties: { a: mark } }, { a: 'secret' }],
  ['patternProperties', { patternProperties: { '^a': mark } }, { a: 'secret' }],
  ['additionalProperties', { additionalProperties: mark }, { a: 'secret' }],
  ['unevaluatedProperties', { unevaluatedProperties: mark }, { a: 'secret' }],
  ['properties of properties', { properties: { a: { properties: { b: mark } } } }, { a: { b: 'secret' } }],
  ['dependentSchemas', { dependentSchemas: { a: { properties: { a: mark } } } }, { a: 'secret' }],
  ['items', { items: mark }, ['secret']],
  ['prefixItems', { prefixItems: [mark] }, ['secret']],
  ['contains', { contains: mark }, ['secret']],
  ['unevaluatedItems', { unevaluatedItems: mark }, ['secret']],
  ['properties of items', { items: { properties: { a: mark } } }, [{ a: 'secret' }]],
  ['properties in contains', { contains: { properties: { a: mark } } }, [{ a: 'secret' }]],
];

/** Schemas through which a marking schema applies conditionally. */
const around: Readonly<Record<string, (marking: object) => object>> = {
  alone: (marking) => marking,
  'anyOf, before one that takes all': (marking) => ({ anyOf: [marking, true] }),
  'anyOf, behind one that takes all': (marking) => ({ anyOf: [true, marking] }),
  'anyOf, beside one that describes the same': (marking) => ({
    anyOf: [{ properties: { a: { type: ['string', 'object'] } }, items: true }, marking],
  }),
  'allOf, beside one that describes the same': (marking) => ({
    allOf: [{ properties: { a: true }, prefixItems: [true] }, { items: true }, marking],
  }),
  'if, without a then': (marking) => ({ if: marking }),
  then: (marking) => ({ if: true, then: marking }),
  'anyOf of oneOf': (marking) => ({ anyOf: [{ oneOf: [marking, false] }, true] }),
  'oneOf, beside one that marks another type': (marking) => ({
    anyOf: [
      { oneOf: [marking, { type: 'object', properties: { a: { readOnly: true, type: 'null' } } }] },
      true,
    ],
  }),
  'a reference in anyOf': () => ({
    anyOf: [{ $ref: '#/components/schemas/Marking' }, true],
  }),
};

/** A mark has the same effect at any depth. */
const places: [string, (schema: object) => object, (value: unknown) => unknown][] = [
  ['', (schema) => schema, (value) => value],
  [
    ' of an item of a property',
    (schema) => ({ properties: { in: { items: schema } } }),
    (value) => ({ in: [value] }),
  ],
];

describe.each(['readOnly', 'writeOnly'] as const)('%s', (keyword) => {
  const mark = { type: 'string', [keyword]: true };
  const cases = markings(mark).flatMap(([what, marking, value]) =>
    Object.entries(around).flatMap(([how, wrap]) =>
      places.map(([where, schemaOf, valueOf]): [string, object, object, unknown] => [
        `${what} in ${how}${where}`,
        schemaOf(wrap(marking)),
        marking,
        valueOf(value),
      ]),
    ),
  );

  it.each(everyOf(cases, 7))('%s', async (_, schema, Marking, value) => {
    const schemas = { Marking };
    if (keyword === 'writeOnly') {
      const { text } = await respond(ok(schema), { status: 200, body: value }, { schemas });
      expect(text).not.toContain('secret');
      return;
    }
    expect(await send(schema, value, schemas)).toMatchObject({ status: 400, given: undefined });
  });
});
