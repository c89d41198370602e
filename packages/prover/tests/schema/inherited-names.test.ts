import { concreteType } from '../../src/document/media';
import type { Schemas } from '../../src/document/direction';
import type { Json, JsonObject } from '../../src/json/tree';
import { parse, print } from '../../src/json/value';
import { constraints } from '../../src/schema/constraints';
import { createOracle } from '../../src/schema/oracle';
import { instanceLocations, probes } from '../../src/schema/probes';
import { samples } from '../../src/schema/samples';

/** What each object inherits, such as `constructor` and `__proto__`: no table may find them. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);

test.each(NAMES)('of the range %s/* a type for private use is sent', (name) => {
  expect(concreteType(`${name}/*`, true)).toBe(`${name.toLowerCase()}/x.any`);
});

/** What the prover does with a schema: what it lists, generates and judges. */
function treatmentOf(schema: JsonObject) {
  const schemas: Schemas = { json: { schema }, direction: 'request' };
  const oracle = createOracle(schemas);
  const values = (['required', 'all', 'any'] as const).flatMap((mode) =>
    samples(schemas, oracle, '/schema', mode, 3),
  );
  return {
    constraints: constraints(schemas, '/schema'),
    values: values.map(print),
    probes: values
      .flatMap((value) => probes(instanceLocations(schemas, oracle, '/schema', value)))
      .map(({ keyword, side, value }) => `${keyword} ${side} ${print(value)}`),
    verdicts: ['"a"', '"abcdef"', '7', '0.5', '[]', '{}'].map((text) => oracle.valid('/schema', parse(text))),
  };
}

const others: JsonObject[] = [{ type: 'string' }, { type: 'string', maxLength: 5 }, { type: 'number' }];

test.each(NAMES)('the format %s is treated like any other that is not known', (format) => {
  for (const other of others)
    expect(treatmentOf({ ...other, format })).toEqual(treatmentOf({ ...other, format: 'foo' }));
});

/** As a schema and lists and a map of some they would say something, if an applicator had the name. */
const operands: Json[] = [1, true, { minLength: 3 }, [{ minLength: 3 }], { a: { minLength: 3 } }];

test.each(NAMES)('the keyword %s is treated like any other that is not known', (name) => {
  for (const operand of operands)
    for (const other of [...others, { minimum: 3 }])
      expect(treatmentOf({ [name]: operand, ...other })).toEqual(treatmentOf({ foo: operand, ...other }));
});
