import { Validator } from '@cfworker/json-schema';
import { NAMES } from '../../../../../scripts/testing/names';
import { judged } from '../../support/judged';
import { everyOf } from '../../../../../scripts/testing/cases';

const int = { type: 'integer' };
const escaped = (name: string) => `^${name.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&')}$`;
const many = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);

/** Each keyword that looks at names, with a name and an ordinary one. */
const schemasOf = (name: string): object[] => [
  ...[[name], [name, 'm'], ['m', name], [...many(9), name]].map((required) => ({ required })),
  ...[{ m: [name] }, { [name]: ['m'] }, { m: [name, 'n'] }, { m: ['n', name] }].map((dependentRequired) => ({
    dependentRequired,
  })),
  ...[{ [name]: false }, { [name]: { required: ['m'] } }, { m: { required: [name] } }].map(
    (dependentSchemas) => ({ dependentSchemas }),
  ),
  { properties: { [name]: int } },
  { properties: { [name]: false } },
  { properties: { [name]: { required: [name], properties: { [name]: int } } } },
  { properties: { [name]: int }, additionalProperties: false },
  {
    properties: Object.fromEntries([...many(9), name].map((each) => [each, int])),
    additionalProperties: false,
  },
  { properties: { m: {} }, additionalProperties: int },
  { patternProperties: { [escaped(name)]: int } },
  { patternProperties: { [escaped(name)]: {} }, additionalProperties: false },
  { properties: { [name]: int }, unevaluatedProperties: false },
  { patternProperties: { [escaped(name)]: {} }, unevaluatedProperties: int },
  { anyOf: [{ properties: { [name]: int } }, { required: ['m'] }], unevaluatedProperties: false },
  { unevaluatedProperties: int },
  ...[{ const: name }, { enum: [name] }, { not: { const: name } }, { minLength: 1 }, { maxLength: 1 }].map(
    (propertyNames) => ({ propertyNames }),
  ),
  { propertyNames: { pattern: escaped(name) } },
  { const: { [name]: 1 } },
  { enum: [{ [name]: { [name]: 1 } }, name] },
];
const never = { const: 'never' };
const PLACES: ((schema: object, name: string) => object)[] = [
  (schema) => schema,
  (not) => ({ not }),
  (schema) => ({ anyOf: [schema, never] }),
  (schema) => ({ if: schema, then: true, else: false }),
  (schema, name) => ({ anyOf: [never, { properties: { [name]: schema } }] }),
  (contains) => ({ contains }),
];

const valuesOf = (name: string): unknown[] => {
  const objects = [
    ...[{}, { [name]: 1 }, { [name]: 'x' }, { [name]: null }, { m: 1 }, { [name]: 1, m: 1 }, { o: 1 }],
    ...[{ [name]: {} }, { [name]: { [name]: 1 } }, { [name]: { m: 1 } }, { m: 1, n: 1 }],
  ];
  return [...objects, ...objects.map((object) => [object]), name];
};

/** For the first violation and for all. Each schema is that of a property of one body. */
test.each(everyOf(NAMES, 6))('an independent validator judges the same of the name %j', (name) => {
  const schemas = schemasOf(name).flatMap((schema) => {
    // Most keywords are compiled alike everywhere; those that demand a name are not.
    const places = 'required' in schema || 'dependentRequired' in schema ? PLACES : PLACES.slice(0, 2);
    return places.map((place) => place(schema, name));
  });
  const properties = Object.fromEntries(schemas.map((schema, i) => [`s${i}`, schema]));
  const { first, all } = judged({ Body: { properties } });
  const wrong = schemas.flatMap((schema, i) => {
    const oracle = new Validator(schema, '2020-12', true);
    return valuesOf(name).flatMap((value) => {
      const text = JSON.stringify({ [`s${i}`]: value });
      const expected = oracle.validate(value).valid;
      const got = [first, all].map((judge) => judge(text).length === 0);
      return got.every((valid) => valid === expected) ? [] : [{ schema, value, expected, got }];
    });
  });
  expect(wrong.slice(0, 3)).toEqual([]);
});
