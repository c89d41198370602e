import { Validator } from '@cfworker/json-schema';
import { convertTo31 } from '../../src/document/source/convert';
import { joinPointer } from 'contract-first-server/tools';

type Schema = Readonly<Record<string, unknown>>;

const SCHEMAS = '/components/schemas';
const B = { $ref: '#/components/schemas/B' };
const N = { $ref: '#/components/schemas/N' };
const convert = (openapi: string, schema: Schema, more: Schema = {}) => {
  const document = structuredClone({
    openapi,
    info: { title: 'A', version: '1' },
    paths: {},
    components: {
      schemas: { A: schema, B: { type: 'string' }, N: { type: 'integer', nullable: true }, ...more },
    },
  });
  const notes = convertTo31(document, (pointer) => `at ${pointer}`);
  return { document, converted: document.components.schemas.A, notes };
};
const admits = ({ document }: ReturnType<typeof convert>, value: unknown): boolean =>
  new Validator({ $ref: '#/components/schemas/A', components: document.components }, '2020-12').validate(
    value,
  ).valid;

/** One operand for each keyword that decides about null, and its pairs. */
const PARTS: readonly Schema[] = [
  { type: 'string' },
  { oneOf: [B, { type: 'integer' }] },
  { anyOf: [B, { type: 'integer' }] },
  { oneOf: [B, N] },
  { anyOf: [N, N] },
  { allOf: [B] },
  { allOf: [B, { minLength: 2 }] },
  { enum: ['aa', 'b'] },
  { enum: ['aa', null] },
  { const: 'aa' },
  { minLength: 2 },
  { properties: { a: B } },
  { description: 'about' },
];
const PAIRS = PARTS.flatMap((one, i) =>
  PARTS.slice(i + 1).flatMap((other) =>
    Object.keys(one).some((keyword) => keyword in other) ? [] : [{ ...one, ...other }],
  ),
);
const FORMS = [...PARTS, ...PAIRS];
const VALUES = ['aa', 'b', '', 1, 1.5, true, {}, { a: 'b' }, { a: 1 }, []];

describe.each(['3.0.3', '3.1.0', '3.2.0'])('nullable in a document of OpenAPI %s', (version) => {
  it('admits null, or says that it does not', () => {
    const wrong = FORMS.filter((schema) => {
      const result = convert(version, { ...schema, nullable: true });
      const isSaid = result.notes.some((note) => note.startsWith(`at ${SCHEMAS}/A: `));
      return admits(result, null) === isSaid || 'nullable' in result.converted;
    });
    expect(wrong).toEqual([]);
  });

  it('is without effect only where values are listed, or where another schema decides beside a type', () => {
    const without = FORMS.filter((schema) => !admits(convert(version, { ...schema, nullable: true }), null));
    expect(
      without.filter(
        (schema) =>
          !('enum' in schema && !(schema['enum'] as unknown[]).includes(null)) &&
          !('const' in schema) &&
          !(['type', 'oneOf', 'anyOf', 'allOf'].filter((keyword) => keyword in schema).length > 1),
      ),
    ).toEqual([]);
    expect(without.length).toBeLessThan(FORMS.length / 2);
  });

  it('changes nothing about other values', () => {
    const wrong = FORMS.flatMap((schema) => {
      const [was, is] = [convert(version, schema), convert(version, { ...schema, nullable: true })];
      return VALUES.filter((value) => admits(was, value) !== admits(is, value)).map((value) => ({
        schema,
        value,
      }));
    });
    expect(wrong).toEqual([]);
  });

  it('that is false changes nothing at all', () => {
    const wrong = FORMS.filter((schema) => {
      const [was, is] = [convert(version, schema), convert(version, { ...schema, nullable: false })];
      return JSON.stringify(was.document) !== JSON.stringify(is.document);
    });
    expect(wrong).toEqual([]);
  });
});

it.each(FORMS)('nullable is the same in 3.0 and 3.1: %j', (schema) => {
  const nullable = { ...schema, nullable: true };
  expect(convert('3.1.0', nullable).document).toEqual(convert('3.0.3', nullable).document);
});

it.each([
  [{ ...B, nullable: true }, { anyOf: [B, { type: 'null' }] }],
  [
    { ...B, nullable: true, description: 'a', readOnly: true, minLength: 2, 'x-own': 1 },
    { description: 'a', readOnly: true, 'x-own': 1, anyOf: [{ ...B, minLength: 2 }, { type: 'null' }] },
  ],
  [{ ...B, nullable: false }, B],
  [{ ...N, nullable: true }, N],
])('beside a $ref in 3.1: %j', (schema, expected) => {
  const { converted, notes } = convert('3.1.0', schema);
  expect(converted).toEqual(expected);
  expect(notes).toEqual(['OpenAPI 3.1.0 is read with changes: nullable becomes the type null (2)']);
});

it('beside a $ref and an enum in 3.1, null is rejected unless it is listed', () => {
  const { converted, notes } = convert('3.1.0', { ...B, nullable: true, enum: ['a'] });
  expect(converted).toEqual({ enum: ['a'], anyOf: [B, { type: 'null' }] });
  expect(notes[1]).toBe(
    `at ${SCHEMAS}/A: #${SCHEMAS}/A: nullable has no effect: its enum has no null, so null is rejected`,
  );
});

it('beside a $ref in 3.0 is ignored, and the note says what that means', () => {
  const { converted, notes } = convert('3.0.3', { ...B, nullable: true });
  expect(converted).toEqual(B);
  expect(notes).toEqual([
    'OpenAPI 3.0.3 is converted to 3.1.0: nullable beside a $ref, which 3.0 ignores, is removed: null is rejected (1), ' +
      'nullable becomes the type null (1)',
  ]);
});

describe('patterns', () => {
  it.each(['3.0.3', '3.1.0', '3.2.0'])('of Annex B have the syntax of the u flag, in %s', (version) => {
    const schema = {
      pattern: '^\\_[\\w\\-]{2}\\-$',
      patternProperties: { '^\\_a': B, '^_a': { minLength: 1 }, b: {} },
      properties: { pattern: { const: { pattern: '\\-' } } },
    };
    const { converted, notes } = convert(version, schema);
    expect(converted).toEqual({
      pattern: '^_[\\w\\-]{2}-$',
      patternProperties: { '^_a': { allOf: [B, { minLength: 1 }] }, b: {} },
      properties: { pattern: { const: { pattern: '\\-' } } },
    });
    expect(notes[0]).toContain('patterns have the syntax of the u flag (2)');
  });

  it('that have neither syntax stay as they are: they stop the start', () => {
    expect(convert('3.0.3', { pattern: '\\p{L}\\-' }).converted).toEqual({ pattern: '\\p{L}\\-' });
  });
});

describe('readOnly and writeOnly in 3.0', () => {
  const marked = { type: 'string', readOnly: true };

  /** Each keyword that holds schemas in 3.0, with a marked one; true where that is a property. */
  it.each<[string, Schema, boolean]>([
    ['the schema itself', marked, false],
    ['properties', { properties: { a: marked } }, true],
    ['additionalProperties', { additionalProperties: marked }, true],
    ['items', { items: marked }, false],
    ['allOf', { allOf: [marked] }, false],
    ['anyOf', { anyOf: [marked] }, false],
    ['oneOf', { oneOf: [marked] }, false],
    ['not', { not: marked }, false],
    ['a property named properties', { properties: { properties: { items: marked } } }, false],
  ])('count for properties only: %s', (_, schema, kept) => {
    expect(JSON.stringify(convert('3.0.3', schema).converted).includes('readOnly')).toBe(kept);
    expect(convert('3.1.0', schema).converted).toEqual(schema);
  });

  it('of a component move to the properties that refer to it', () => {
    const refer = (name: string) => ({ $ref: `#${joinPointer(SCHEMAS, name)}` });
    const { document } = convert(
      '3.0.3',
      {
        type: 'object',
        properties: { direct: refer('M'), chained: refer('C'), composed: { allOf: [refer('M')] } },
      },
      { M: { type: 'string', writeOnly: true }, C: refer('M') },
    );
    expect(document.components.schemas).toMatchObject({
      A: {
        properties: {
          direct: { ...refer('M'), writeOnly: true },
          chained: { ...refer('C'), writeOnly: true },
          composed: { allOf: [refer('M')], writeOnly: true },
        },
      },
      M: { type: 'string' },
      C: refer('M'),
    });
    expect(document.components.schemas).not.toHaveProperty('M.writeOnly');
  });
});
