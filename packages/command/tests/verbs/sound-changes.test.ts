import { type Schema, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { compareDocuments } from '../../src/breaking/changes';
import { buildDocument, json } from '../../../../scripts/testing/service';
import { cases } from '../../../../scripts/testing/cases';

/*
 * One random change of one keyword of a random schema. What the judge calls safe must be safe: a request that was admitted
 * still is, a response that is admitted was before. An independent validator decides, for every value of a fixed list.
 */
const NAMES = ['a', 'b'];
const scalars = [null, true, false, -1, 0, 1, 2, 3, 1.5, 4, '', 'a', 'ab', 'abc', 'ba'];
const inner = [null, 1, 3, 'a', 'abc'];
const VALUES: readonly unknown[] = [
  ...scalars,
  ...[[], ...inner.map((item) => [item]), [1, 1], [1, 'a'], ['a', 1, null], [[1]], [{ a: 1 }]],
  {},
  ...NAMES.flatMap((name) => [...inner, { a: 1 }, [1]].map((value) => ({ [name]: value }))),
  ...inner.flatMap((a) => inner.map((b) => ({ a, b }))),
];

const bound = fc.constantFrom(0, 1, 2, 3);
const { schema } = fc.letrec<{ schema: Record<string, unknown>; any: unknown }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 2 });
  const map = fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 2, noNullPrototype: true });
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.constantFrom<unknown>(
      'string',
      'integer',
      'number',
      'object',
      'array',
      ['string', 'null'],
      ['array', 'integer'],
    ),
    enum: fc.constantFrom([1], ['a', 1], ['a', 'abc', null], [{ a: 1 }]),
    const: fc.constantFrom<unknown>(1, 'a', null),
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: bound,
    maxLength: bound,
    pattern: fc.constantFrom('', '^', '.*', 'a', '^a$', 'b'),
    minItems: bound,
    maxItems: bound,
    uniqueItems: fc.boolean(),
    minProperties: bound,
    maxProperties: bound,
    required: fc.subarray(NAMES),
    dependentRequired: fc.constantFrom({}, { a: ['b'] }),
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('^a', '.'), tie('schema'), {
      maxKeys: 1,
      noNullPrototype: true,
    }),
    additionalProperties: tie('any'),
    unevaluatedProperties: tie('any'),
    propertyNames: fc.constantFrom({}, { maxLength: 0 }, { const: 'a' }),
    items: tie('any'),
    prefixItems: list,
    contains: tie('any'),
    minContains: bound,
    maxContains: bound,
    unevaluatedItems: tie('any'),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: tie('any'),
    if: tie('any'),
    then: tie('any'),
    else: tie('any'),
    dependentSchemas: map,
    title: fc.constantFrom('a', 'b'),
  };
  const keyword = fc
    .constantFrom(...Object.keys(keywords))
    .chain((name) => fc.tuple(fc.constant(name), keywords[name] ?? fc.constant(0)));
  return {
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('schema')),
    schema: fc
      .oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constant([]),
        fc.array(keyword, { maxLength: 4 }),
      )
      .map((entries) => Object.fromEntries(entries)),
  };
});

/** The schemas within a schema, itself first. */
function within(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : [value as Record<string, unknown>];
  return [...own, ...Object.values(value).flatMap(within)];
}

type AnySchema = fc.Arbitrary<Record<string, unknown>>;
/** A schema, and the same one after a change of one keyword somewhere in it, to that of another schema. */
const changeOf = (schemas: AnySchema, sources: AnySchema) =>
  fc.tuple(schemas, sources, fc.nat(), fc.boolean()).map(([was, source, place, removes]) => {
    const is = structuredClone(was);
    const places = within(is);
    const target = places[place % places.length] ?? is;
    const names = Object.keys(removes ? target : source);
    const [name] = names.length > 0 ? [names[place % names.length]] : [];
    if (name !== undefined && removes) Reflect.deleteProperty(target, name);
    else if (name !== undefined) target[name] = source[name];
    return { was, is };
  });

const admits = (root: unknown): boolean[] => {
  const validator = new Validator(root as Schema, '2020-12');
  return VALUES.map((value) => validator.validate(value).valid);
};

const few = fc.constantFrom<unknown>(true, { type: 'integer' }, { type: 'string' });
/** Schemas that admit the properties that they list, and judge nothing of what is beside them. */
const closed = fc.record(
  {
    properties: fc.dictionary(fc.constantFrom(...NAMES), few, { maxKeys: 2, noNullPrototype: true }),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), few, { maxKeys: 1, noNullPrototype: true }),
    additionalProperties: fc.constant(false),
    unevaluatedProperties: fc.constant(false),
  },
  { requiredKeys: [] },
);
const CHANGES = {
  'a schema': changeOf(schema, schema),
  'closed members of allOf': changeOf(
    fc.record({
      allOf: fc.array(closed, { minLength: 2, maxLength: 3 }),
      properties: fc.constant({ a: true }),
    }),
    closed,
  ),
};

/** By convention the alternatives of a oneOf exclude each other, as far as they admit objects and lists. */
const isAmbiguous = (schema: unknown): boolean =>
  within(schema).some(({ oneOf }) => {
    const others = [oneOf ?? []].flat().filter((branch) => {
      const types = [(branch as Record<string, unknown>)['type']].flat();
      return types.some((type) => !['string', 'integer', 'number', 'null'].includes(String(type)));
    });
    return others.length > 1;
  });

/** By convention clients ignore properties that they do not know, and send none that is not listed. */
const CONVENTION = /the property . is (new|gone)$|properties that are not listed are admitted now$/;

it.each(
  (['request', 'response'] as const).flatMap((direction) =>
    (['a schema', 'closed members of allOf'] as const).map((of) => [direction, of] as const),
  ),
)('what is called safe in a %s is safe, of %s', (direction, of) => {
  const build = (body: unknown) =>
    buildDocument({
      operation:
        direction === 'request'
          ? { requestBody: { content: json(body) } }
          : { responses: { 200: { description: '', content: json(body) } } },
    });
  fc.assert(
    fc.property(CHANGES[of], ({ was, is }) => {
      fc.pre(![was, is].some(isAmbiguous));
      const changes = compareDocuments(build(was), build(is));
      fc.pre(!changes.some(({ message }) => CONVENTION.test(message)));
      if (changes.some(({ breaking }) => breaking)) return;
      const [old, now] = [admits(was), admits(is)];
      const [before, after] = direction === 'request' ? [old, now] : [now, old];
      const lost = VALUES.filter((_, i) => before[i] === true && after[i] === false);
      expect({ was, is, lost: lost.slice(0, 3), changes }).toEqual({ was, is, lost: [], changes });
      const differ = VALUES.filter((_, i) => changes.length === 0 && before[i] !== after[i]);
      expect({ was, is, differ: differ.slice(0, 3) }).toEqual({ was, is, differ: [] });
    }),
    { numRuns: cases(120, 2_000), seed: 7 },
  );
});
