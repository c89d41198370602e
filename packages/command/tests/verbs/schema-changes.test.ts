import { parse } from 'yaml';
import { compareDocuments } from '../../src/breaking/changes';
import { buildDocument, json } from '../../../../scripts/testing/service';

/**
 * A change of a schema | the schema before -> the schema after | the broken directions: requests (q), responses (s) |
 * the reported pointer and message.
 */
const TABLE = `
a type fewer              | type: [string, null] -> type: string             | q  | /type: type was null or string, is string
a type more               | type: string -> type: [string, null]             | s  | /type: type was string, is null or string
another type              | type: string -> type: integer                    | qs | /type: type was string, is integer
number to integer         | type: number -> type: integer                    | q  | /type: type was number, is integer
integer to number         | type: integer -> type: number                    | s  | /type: type was integer, is number
a type where was none     | {} -> type: string                               | q  | /type: type was any, is string
nothing is admitted       | type: string -> false                            | q  | /type: type was string, is none
a value fewer             | enum: [a, b] -> enum: [a]                        | q  | /enum: "b" is no longer among its values
a value more              | enum: [a] -> enum: [a, b]                        | s  | /enum: "b" is new among its values
a value beside const      | const: a -> enum: [a, b]                         | s  | /enum: "b" is new among its values
a new enum                | {} -> enum: [a]                                  | q  | /enum: only "a" is admitted now
no enum any more          | enum: [a] -> {}                                  | s  | /enum: any value is admitted now
minimum raised            | minimum: 1 -> minimum: 2                         | q  | /minimum: minimum was 1, is 2
minimum lowered           | minimum: 2 -> minimum: 1                         | s  | /minimum: minimum was 2, is 1
minimum excluded          | minimum: 1 -> exclusiveMinimum: 1                | q  | /exclusiveMinimum: minimum was 1, exclusiveMinimum is 1
maximum raised            | maximum: 1 -> maximum: 2                         | s  | /maximum: maximum was 1, is 2
a new maxLength           | {} -> maxLength: 9                               | q  | /maxLength: maxLength 9 is new
no maxLength any more     | maxLength: 9 -> {}                               | s  | /maxLength: maxLength 9 is gone
maxItems lowered          | maxItems: 9 -> maxItems: 5                       | q  | /maxItems: maxItems was 9, is 5
minProperties raised      | minProperties: 1 -> minProperties: 2             | q  | /minProperties: minProperties was 1, is 2
a new format              | {} -> format: date                               | q  | /format: format is new: date
another format            | format: date -> format: time                     | qs | /format: format was date, is time
int32 to int64            | format: int32 -> format: int64                   | s  | /format: format was int32, is int64
int64 to int32            | format: int64 -> format: int32                   | q  | /format: format was int64, is int32
another pattern           | pattern: a -> pattern: b                         | qs | /pattern: pattern was a, is b
no pattern any more       | pattern: a -> {}                                 | s  | /pattern: pattern was a, is gone
a finer step              | multipleOf: 10 -> multipleOf: 5                  | s  | /multipleOf: multipleOf was 10, is 5
a coarser step            | multipleOf: 5 -> multipleOf: 10                  | q  | /multipleOf: multipleOf was 5, is 10
unique items              | {} -> uniqueItems: true                          | q  | /uniqueItems: its items must be unique now
items that may be equal   | uniqueItems: true -> {}                          | s  | /uniqueItems: its items may be equal now
items of a type           | items: {} -> items: {type: string}               | q  | /items/type: type was any, is string
a first item of a type    | prefixItems: [{}] -> prefixItems: [{type: string}] | q | /prefixItems/0/type: type was any, is string
a property of a type      | properties: {a: {}} -> properties: {a: {type: string}} | q | /properties/a/type: type was any, is string
a new property            | {} -> properties: {a: {}}                        |    | /properties/a: the property a is new
a property gone           | properties: {a: {}} -> {}                        | s  | /properties/a: the property a is gone
a property required       | {properties: {a: {}}} -> {properties: {a: {}}, required: [a]} | q | /required: a is required now
a property optional       | {properties: {a: {}}, required: [a]} -> {properties: {a: {}}} | s | /required: a is no longer required
an unlisted one required  | {} -> required: [a]                              | q  | /required: a is required now
gone where others are refused | {properties: {a: {}}, additionalProperties: false} -> {additionalProperties: false} | qs | /properties/a: the property a is gone
others refused            | {} -> additionalProperties: false                | q  | /additionalProperties: properties that are not listed are refused now
others admitted           | additionalProperties: false -> {}                |    | /additionalProperties: properties that are not listed are admitted now
others of a type          | additionalProperties: {} -> additionalProperties: {type: string} | q | /additionalProperties/type: type was any, is string
an alternative fewer      | oneOf: [{type: string}, {type: null}] -> oneOf: [{type: string}] | q | /oneOf/1: this alternative is gone
an alternative more       | oneOf: [{type: string}] -> oneOf: [{type: null}, {type: string}] | s | /oneOf/0: this alternative is new
an alternative to what was | type: string -> anyOf: [{type: string}, {type: null}] | s | /anyOf/1: this alternative is new
alternatives that exclude each other | anyOf: [{type: integer}, {type: number}] -> oneOf: [{type: integer}, {type: number}] | q | /oneOf: was anyOf: what several alternatives admit is refused
that do not any more      | oneOf: [{type: integer}, {type: number}] -> anyOf: [{type: integer}, {type: number}] | s | : was oneOf: what several alternatives admit is admitted now
values of a type          | type: string -> enum: [a]                        | q  | /enum: only "a" is admitted now
float to double           | format: float -> format: double                  | s  | /format: format was float, is double
a not                     | {} -> not: {const: 1}                            | q  | /not: not is new: it admits less
no not any more           | not: {const: 1} -> {}                            | s  | /not: not is gone: it admits more
another not               | not: {const: 1} -> not: {const: 2}               | qs | /not: not differs, in a way that is not judged here
one not fewer             | {not: {const: 1}, allOf: [not: {const: 2}]} -> not: {const: 1} | s | /not: not is gone: it admits more
no patterns of names any more | patternProperties: {a: {type: string}} -> {} | s  | /patternProperties: patternProperties is gone: it admits more
no property names any more | propertyNames: {const: a} -> {}                 | s  | /propertyNames: propertyNames is gone: it admits more
`;

/** Quotes `null` among the types, which YAML reads as a value. */
const schemaOf = (text: string): unknown => parse(text.replace(/\bnull\b/g, '"null"'));

const ROWS = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [title = '', schemas = '', breaks = '', message = ''] = line
      .split(' | ')
      .map((cell) => cell.trim());
    const [was = '', is = ''] = schemas.split(' -> ');
    return { title, was: schemaOf(was), is: schemaOf(is), breaks, message };
  });

const AT = '/paths/~1things/post';
const SIDES = {
  requests: {
    letter: 'q',
    place: 'requestBody',
    put: (schema: unknown) => ({ requestBody: { content: json(schema) } }),
  },
  responses: {
    letter: 's',
    place: 'responses/200',
    put: (schema: unknown) => ({ responses: { 200: { description: '', content: json(schema) } } }),
  },
};

describe.each(['requests', 'responses'] as const)('in %s', (side) => {
  const { letter, place, put } = SIDES[side];
  const at = `${AT}/${place}/content/application~1json/schema`;
  const compare = (was: unknown, is: unknown, components = {}) =>
    compareDocuments(
      buildDocument({ operation: put(was), components }),
      buildDocument({ operation: put(is), components }),
    );

  it.each(ROWS)('$title: breaks "$breaks"', ({ was, is, breaks, message }) => {
    const [step = '', ...sentence] = message.split(': ');
    expect(compare(was, is)).toEqual([
      {
        pointer: at + step,
        message: `in ${side}: ${sentence.join(': ')}`,
        breaking: breaks.includes(letter),
      },
    ]);
  });

  it.each([
    ['one more', [{ anyOf: [{ const: 1 }] }, { anyOf: [{ const: 1 }], oneOf: [{ const: 1 }] }], ''],
    [
      'one more, which refuses',
      [{ anyOf: [{ const: 1 }] }, { anyOf: [{ const: 1 }], oneOf: [{ const: 2 }] }],
      'q',
    ],
    ['one less', [{ anyOf: [{ const: 1 }], oneOf: [{ const: 2 }] }, { anyOf: [{ const: 1 }] }], 's'],
    ['others', [{ anyOf: [{ const: 1 }], oneOf: [{ const: 1 }] }, { anyOf: [{ const: 2 }] }], 'qs'],
  ])('a choice that has to be met beside another one: %s', (_, [was, is], breaks) => {
    expect(compare(was, is).some(({ breaking }) => breaking)).toBe(breaks.includes(letter));
  });

  it.each([
    ['an else fewer', '{if: {const: 1}, then: false, else: false}', '{if: {const: 1}, then: false}', 's'],
    ['no condition any more', '{if: {const: 1}, then: false}', '{}', 's'],
    ['a condition', '{}', '{if: {const: 1}, then: false}', 'q'],
    ['another condition', '{if: {const: 1}, then: false}', '{if: {const: 2}, then: false}', 'qs'],
    [
      'conditions that exchange what follows',
      'allOf: [{if: {const: 1}, then: false}, {if: {const: 2}, then: {const: 3}}]',
      'allOf: [{if: {const: 1}, then: {const: 3}}, {if: {const: 2}, then: false}]',
      'qs',
    ],
    [
      'no pattern where no others are admitted',
      '{patternProperties: {a: {type: string}}, additionalProperties: false}',
      '{additionalProperties: false}',
      'q',
    ],
    [
      'no pattern where others have a type',
      '{patternProperties: {a: {type: string}}, additionalProperties: {type: integer}}',
      '{additionalProperties: {type: integer}}',
      'qs',
    ],
    [
      'others of a type instead of a pattern alone',
      '{patternProperties: {a: {type: string}}, additionalProperties: false}',
      '{additionalProperties: {type: integer}}',
      'qs',
    ],
    [
      'a pattern alone instead of any property',
      '{}',
      '{patternProperties: {a: {type: string}}, additionalProperties: false}',
      'q',
    ],
    [
      'no unevaluatedProperties any more',
      '{anyOf: [{const: 1}], unevaluatedProperties: {type: string}}',
      'anyOf: [{const: 1}]',
      's',
    ],
    ['any value instead of a choice', 'anyOf: [{type: string}]', 'true', 's'],
    ['a choice instead of any value', 'true', 'oneOf: [{type: string}]', 'q'],
    ['no choice among objects any more', 'anyOf: [{type: object, properties: {a: {}}}]', '{}', 's'],
    [
      'one choice that ensures two',
      'anyOf: [{const: 1}, {const: 2}]',
      'allOf: [{anyOf: [{const: 1}, {const: 2}, {const: 3}]}, {anyOf: [{const: 1}, {const: 2}, {const: 3}, {const: 4}]}]',
      's',
    ],
  ])('%s', (_, was, is, breaks) => {
    const isBroken = compare(schemaOf(was), schemaOf(is)).some(({ breaking }) => breaking);
    expect(isBroken).toBe(breaks.includes(letter));
  });

  it('compares the keywords beside branches with a schema without branches', () => {
    const found = compare(
      { type: 'object' },
      { required: ['a'], anyOf: [{ type: 'object' }, { type: 'null' }] },
    );
    expect(found).toContainEqual({
      pointer: `${at}/required`,
      message: `in ${side}: a is required now`,
      breaking: letter === 'q',
    });
  });

  it('a removed property breaks requests if additional properties have another type', () => {
    const others = { additionalProperties: { type: 'string' } };
    const found = compare({ properties: { a: { type: 'integer' } }, ...others }, others);
    expect(found.some(({ message }) => message.endsWith('type was integer, is string'))).toBe(letter === 'q');
  });

  it('a new required property breaks requests', () => {
    const found = compare({}, { properties: { a: {} }, required: ['a'] });
    expect(found.map(({ breaking }) => breaking)).toEqual(side === 'requests' ? [true] : [false, false]);
  });

  it.each([
    [
      'allOf written out',
      'allOf: [{required: [a]}, {properties: {a: {}}}]',
      '{required: [a], properties: {a: {}}}',
    ],
    ['const for enum', 'enum: [a]', 'const: a'],
    ['the type of the values', '{type: string, enum: [a, b]}', 'enum: [a, b]'],
    ['a minimum length of 0', 'type: string', '{type: string, minLength: 0}'],
    [
      'anyOf for oneOf, of different types',
      'oneOf: [{type: string}, {type: null}]',
      'anyOf: [{type: string}, {type: null}]',
    ],
    ['the order of alternatives', 'oneOf: [{const: 1}, {const: 2}]', 'oneOf: [{const: 2}, {const: 1}]'],
    ['a reference instead of its target', 'type: string', '$ref: "#/components/schemas/Text"'],
    ['descriptions and examples', '{description: a}', '{description: b, examples: [1]}'],
  ])('%s: no change', (_, was, is) => {
    const components = { schemas: { Text: { type: 'string' } } };
    expect(compare(schemaOf(was), schemaOf(is), components)).toEqual([]);
    expect(compare(schemaOf(is), schemaOf(was), components)).toEqual([]);
  });

  it.each([
    ['a schema', '$ref: "#/components/schemas/Text"'],
    ['a list', 'allOf: [$ref: "#/components/schemas/Text"]'],
    ['a map', 'properties: {a: {$ref: "#/components/schemas/Text"}}'],
  ])('what is compared as a whole is compared with the targets of its references, in %s', (_, schema) => {
    const operation = put({ not: schemaOf(schema) });
    const build = (type: string) => buildDocument({ operation, components: { schemas: { Text: { type } } } });
    expect(compareDocuments(build('string'), build('string'))).toEqual([]);
    expect(compareDocuments(build('string'), build('integer'))).toEqual([
      { pointer: `${at}/not`, message: expect.stringContaining('not differs') as string, breaking: true },
    ]);
  });

  it('a property that becomes readOnly breaks requests only', () => {
    const found = compare({ properties: { a: {} } }, { properties: { a: { readOnly: true } } });
    const gone = {
      pointer: `${at}/properties/a`,
      message: 'in requests: the property a is readOnly now',
      breaking: true,
    };
    expect(found).toEqual(side === 'requests' ? [gone] : []);
  });
});

it('reports a change in a component once for each direction, and cycles end', () => {
  const build = (more: object) => {
    const reference = { $ref: '#/components/schemas/Node' };
    const operation = { ...SIDES.requests.put(reference), ...SIDES.responses.put(reference) };
    return buildDocument({
      operation,
      components: { schemas: { Node: { properties: { next: reference }, ...more } } },
    });
  };
  const at = { pointer: '/components/schemas/Node/maxProperties' };
  expect(compareDocuments(build({}), build({ maxProperties: 1 }))).toEqual([
    { ...at, message: 'in requests: maxProperties 1 is new', breaking: true },
    { ...at, message: 'in responses: maxProperties 1 is new', breaking: false },
  ]);
});

it.each(['anyOf', 'oneOf'])(
  'cycles through the branches of %s end, and a change in one is reported',
  (union) => {
    const reference = { $ref: '#/components/schemas/Node' };
    const build = (more: object) =>
      buildDocument({
        operation: SIDES.requests.put(reference),
        components: {
          schemas: { Node: { [union]: [{ properties: { next: reference }, ...more }, { type: 'null' }] } },
        },
      });
    expect(compareDocuments(build({}), build({}))).toEqual([]);
    expect(compareDocuments(build({}), build({ maxProperties: 1 }))).toEqual([
      {
        pointer: `/components/schemas/Node/${union}/0/maxProperties`,
        message: 'in requests: maxProperties 1 is new',
        breaking: true,
      },
    ]);
  },
);
