import { type Schema, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { changeLine, compareDocuments } from '../../src/breaking/changes';
import { buildDocument, json } from '../../../../scripts/testing/service';

/*
 * One widening somewhere in a random schema: what was admitted still is. No request breaks by it, and no response by the
 * reverse. An independent validator confirms, for every value of a fixed list, that it is a widening.
 */
type Plain = Record<string, unknown>;
const NAMES = ['a', 'b'];
const TYPES = ['null', 'boolean', 'integer', 'string', 'array', 'object'];
const SCALARS = [null, true, 0, 1, 2, 5, '', 'a', 'abc'];
const VALUES: readonly unknown[] = [
  ...SCALARS,
  ...[[], ...SCALARS.map((item) => [item]), [1, 'a'], ['a', 1, null], [[1]]],
  {},
  ...NAMES.flatMap((name) => [...SCALARS, { a: 1 }, ['a']].map((value) => ({ [name]: value }))),
  ...SCALARS.flatMap((a) => [null, 1, 'abc'].map((b) => ({ a, b }))),
];

const bound = fc.constantFrom(0, 1, 2);
const { typed, schema } = fc.letrec<{ typed: Plain; schema: Plain }>((tie) => {
  const map = fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 2, noNullPrototype: true });
  const some = <T>(keywords: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(keywords, { requiredKeys: [] });
  const ofType: Readonly<Record<string, fc.Arbitrary<Plain>>> = {
    null: fc.constant({}),
    boolean: some({ enum: fc.constantFrom([true], [false]) }),
    integer: some({ minimum: bound, maximum: bound, enum: fc.constantFrom([1], [1, 2]) }),
    string: some({
      minLength: bound,
      maxLength: bound,
      pattern: fc.constant('^a'),
      enum: fc.constantFrom(['a'], ['a', 'abc']),
    }),
    array: some({ items: tie('schema'), minItems: bound, maxItems: bound, uniqueItems: fc.boolean() }),
    object: some({
      properties: map,
      required: fc.subarray(NAMES),
      additionalProperties: fc.oneof(fc.constant(false), tie('schema')),
    }),
  };
  const exclusive = fc.uniqueArray(tie('typed'), {
    minLength: 1,
    maxLength: 3,
    selector: ({ type }) => type,
  });
  const whole = some({
    not: tie('schema'),
    if: tie('schema'),
    then: tie('schema'),
    else: tie('schema'),
    contains: tie('schema'),
    propertyNames: fc.constantFrom({ maxLength: 1 }, { enum: ['a'] }),
    patternProperties: fc.record({ '^a': tie('schema') }),
    dependentRequired: fc.constant({ a: ['b'] }),
    dependentSchemas: map,
  });
  return {
    typed: fc
      .constantFrom(...TYPES)
      .chain((type) => (ofType[type] ?? fc.constant({})).map((more) => ({ type, ...more }))),
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('typed'),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      exclusive.map((oneOf) => ({ oneOf })),
      fc
        .tuple(tie('typed'), fc.array(tie('schema'), { minLength: 1, maxLength: 2 }))
        .map(([one, anyOf]) => ({ ...one, anyOf })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
      fc.tuple(tie('typed'), whole).map(([one, keywords]) => ({ ...one, ...keywords })),
    ),
  };
});

/** The schemas within a schema, itself first, and whether each is an alternative of a `oneOf`. */
function within(value: Plain, inOneOf = false): (readonly [Plain, boolean])[] {
  const children = Object.entries(value).flatMap(([keyword, operand]) => {
    if (!/^(properties|additionalProperties|items|anyOf|oneOf|allOf)$/.test(keyword)) return [];
    const schemas =
      keyword === 'items' || keyword === 'additionalProperties'
        ? [operand]
        : Object.values(operand as object);
    return schemas
      .filter((one): one is Plain => typeof one === 'object')
      .flatMap((one) => within(one, keyword === 'oneOf'));
  });
  return [[value, inOneOf], ...children];
}

const without = (schema: Plain, keyword: string): Plain =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
const put = (target: Plain, schema: Plain): void => {
  for (const name of Object.keys(target)) Reflect.deleteProperty(target, name);
  Object.assign(target, schema);
};

/** Widenings of a schema by name; undefined if the schema has nothing of the kind. Those of an alternative of `oneOf` stay in its types. */
const WIDENINGS: Readonly<
  Record<string, (schema: Plain, inOneOf: boolean, other: Plain) => Plain | undefined>
> = {
  'null is admitted too': ({ type, ...rest }, inOneOf) =>
    type === undefined || inOneOf ? undefined : { ...rest, type: ['null', type] },
  'null is an alternative': (schema, inOneOf) =>
    inOneOf ? undefined : { anyOf: [schema, { type: 'null' }] },
  'null is one of several': (schema, inOneOf) =>
    inOneOf || schema['type'] === undefined || schema['type'] === 'null'
      ? undefined
      : { oneOf: [{ type: 'null' }, schema] },
  'another alternative': (schema, inOneOf, other) => (inOneOf ? undefined : { anyOf: [other, schema] }),
  'a further alternative': ({ anyOf, ...rest }, _, other) =>
    Array.isArray(anyOf) ? { ...rest, anyOf: [other, ...(anyOf as Plain[])] } : undefined,
  'a choice that is gone': ({ anyOf, ...rest }, inOneOf) =>
    anyOf && (!inOneOf || rest['type']) ? rest : undefined,
  'any value': (_, inOneOf) => (inOneOf ? undefined : {}),
  'no condition': (schema) =>
    'if' in schema ? without(without(without(schema, 'if'), 'then'), 'else') : undefined,
  // Beside `additionalProperties`, which judges their names then, it is no widening.
  'no patternProperties': (schema) =>
    'patternProperties' in schema && !('additionalProperties' in schema)
      ? without(schema, 'patternProperties')
      : undefined,
  'properties of a pattern': (schema, _, other) =>
    schema['additionalProperties'] === false && !('patternProperties' in schema)
      ? { ...schema, patternProperties: { '^c': other } }
      : undefined,
  'one of all that is gone': ({ allOf, ...rest }, inOneOf) =>
    Array.isArray(allOf) && !inOneOf ? { ...rest, allOf: allOf.slice(1) } : undefined,
  ...Object.fromEntries(
    [
      'minimum',
      'maximum',
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'pattern',
      'enum',
      'uniqueItems',
      'required',
      'type',
      'items',
      'additionalProperties',
      'not',
      'then',
      'else',
      'contains',
      'propertyNames',
      'dependentRequired',
      'dependentSchemas',
    ].map((keyword) => [
      `no ${keyword}`,
      (schema: Plain, inOneOf: boolean) =>
        keyword in schema && !(inOneOf && keyword === 'type') ? without(schema, keyword) : undefined,
    ]),
  ),
  'a value more': ({ enum: values, ...rest }) =>
    Array.isArray(values) ? { ...rest, enum: [...(values as unknown[]), 2, 'abc'] } : undefined,
};

const widening = fc.tuple(schema, typed, fc.nat(), fc.nat()).chain(([was, other, place, kind]) => {
  const is = structuredClone(was);
  const places = within(is);
  const applicable = places.flatMap(([target, inOneOf]) =>
    Object.entries(WIDENINGS).flatMap(([name, widen]) => {
      const wide = widen(structuredClone(target), inOneOf, other);
      return wide ? [{ name, target, wide }] : [];
    }),
  );
  // Each kind as often as another: a schema has few places for some.
  const names = [...new Set(applicable.map(({ name }) => name))];
  const ofKind = applicable.filter(({ name }) => name === names[kind % names.length]);
  const chosen = ofKind[place % ofKind.length];
  if (chosen) put(chosen.target, chosen.wide);
  return fc.constant({ name: chosen?.name ?? 'none', was, is });
});

const admits = (root: unknown): boolean[] => {
  const validator = new Validator(root as Schema, '2020-12');
  return VALUES.map((value) => validator.validate(value).valid);
};

/** Beside patterns it is not judged whose `additionalProperties` is gone, if several schemas of a value have some. */
const isUnclear = (schema: Plain): boolean =>
  within(schema).some(([{ allOf }]) =>
    ['patternProperties', 'additionalProperties'].every((name) => JSON.stringify(allOf ?? []).includes(name)),
  );

/** By convention clients know the properties that are listed. */
const CONVENTION = /the property . is (new|gone)/;

it('no request breaks by a widening, and no response by the reverse', () => {
  const request = (body: unknown) => buildDocument({ operation: { requestBody: { content: json(body) } } });
  const response = (body: unknown) =>
    buildDocument({ operation: { responses: { 200: { description: '', content: json(body) } } } });
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(widening, ({ name, was, is }) => {
      fc.pre(!isUnclear(was) && !isUnclear(is));
      const [old, now] = [admits(was), admits(is)];
      fc.pre(VALUES.every((_, i) => old[i] !== true || now[i] === true));
      const changes = [
        ...compareDocuments(request(was), request(is)),
        ...compareDocuments(response(is), response(was)),
      ];
      seen.set(name, (seen.get(name) ?? 0) + 1);
      const breaking = changes
        .filter((change) => change.breaking && !CONVENTION.test(change.message))
        .map(changeLine);
      expect({ name, was, is, breaking }).toEqual({ name, was, is, breaking: [] });
    }),
    { numRuns: 3_000, seed: 11 },
  );
  expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(Object.keys(WIDENINGS)));
});
