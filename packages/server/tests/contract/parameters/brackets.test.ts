import { Validator } from '@cfworker/json-schema';
import * as fc from 'fast-check';
import { compileForm } from '../../../src/contract/codecs/form';
import { type JsonObject, OpenApiDocument } from '../../../src/contract/document/document';
import { MalformedParameter } from '../../../src/contract/parameters/parameters';
import { cases } from '../../../../../scripts/testing/cases';
import { compile, raw } from '../../support/parameters';

const STRING = { type: 'string' };
const list = (items: JsonObject) => ({ type: 'array', items });
const object = (properties: JsonObject) => ({ type: 'object', properties });

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type Pair = readonly [name: string, text: string];

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isNested = (value: Json) => typeof value === 'object';

/** How clients write lists: behind which name an item stands. */
const ITEMS = {
  /** Stripe, PHP's http_build_query, qs */
  indexes: (name: string, i: number) => `${name}[${i}]`,
  /** PHP's and Rails' forms, jQuery, axios */
  brackets: (name: string, i: number, item: Json) => (isNested(item) ? `${name}[${i}]` : `${name}[]`),
  /** URLSearchParams */
  repetition: (name: string, i: number, item: Json) => (isNested(item) ? `${name}[${i}]` : name),
  /** qs with `arrayFormat: 'repeat'`, which merges objects */
  merging: (name: string) => name,
  /** Rails' to_query, qs with `arrayFormat: 'brackets'` */
  rails: (name: string) => `${name}[]`,
};

function encode(name: string, value: Json, item: (name: string, i: number, item: Json) => string): Pair[] {
  if (isList(value)) return value.flatMap((one, i) => encode(item(name, i, one), one, item));
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, member]) => encode(`${name}[${key}]`, member, item));
}

/** As OpenAPI says: an object is JSON, and a list has a pair for each item. */
const json = (name: string, value: Json): Pair[] =>
  (isList(value) ? value : [value]).map((one) => [name, isNested(one) ? JSON.stringify(one) : String(one)]);

const textOf = (pairs: readonly Pair[]): string =>
  pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');

const form = (schema: JsonObject, encoding: JsonObject = {}) => {
  const root = {
    openapi: '3.1.0',
    info: { title: '', version: '' },
    paths: {},
    components: { 'x-form': { schema, encoding } },
  };
  const document = new OpenApiDocument(root);
  const read = compileForm(document, '/components/x-form/schema');
  expect(document.findings).toEqual([]);
  return read;
};

/** The readers of a value named `a`, by what carries it. */
const CARRIERS = {
  form: (schema: JsonObject) => form(object({ a: schema })),
  'form of maps': (schema: JsonObject) => form({ type: 'object', additionalProperties: schema }),
  'deepObject in a form': (schema: JsonObject) =>
    form(object({ a: schema }), { a: { style: 'deepObject', explode: true } }),
  'deepObject in a query': (schema: JsonObject) => {
    const { read, findings } = compile({ parameters: [{ name: 'a', style: 'deepObject', schema }] });
    expect(findings).toEqual([]);
    return (query: string) => read(raw({ query })).query;
  },
};

interface Described {
  readonly schema: JsonObject;
  readonly value: Json;
}

const NAMES = ['b', 'c d', '0', 'constructor', 'length', 'é&=%+', '.'];
/** Schemas with a value of each. What is empty has no pairs, and stays absent. */
const { nested } = fc.letrec<{ any: Described; nested: Described }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }).map((value) => ({ schema: STRING, value })),
      fc.integer().map((value) => ({ schema: { type: 'integer' }, value })),
      fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
    ),
    tie('nested'),
  ),
  nested: fc.oneof(
    fc.tuple(tie('any'), fc.integer({ min: 1, max: 12 })).map(([{ schema, value }, n]) => ({
      schema: list(schema),
      value: Array.from({ length: n }, () => value),
    })),
    fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { minKeys: 1, maxKeys: 4 }).map((parts) => ({
      schema: object(Object.fromEntries(Object.entries(parts).map(([name, { schema }]) => [name, schema]))),
      value: Object.fromEntries(Object.entries(parts).map(([name, { value }]) => [name, value])),
    })),
    fc.tuple(tie('nested'), fc.boolean()).map(([{ schema, value }, isEmpty]) => ({
      schema: { anyOf: [schema, { type: 'string', enum: [''] }] },
      value: isEmpty ? '' : value,
    })),
  ),
}));

/** Whether brackets or JSON leave open which of several values was meant. */
const isPlain = ({ schema: { type, items } }: Described) =>
  type === 'object' ||
  (type === 'array' && (items as JsonObject)['type'] !== 'array' && !('anyOf' in (items as object)));

describe.each(Object.entries(CARRIERS))('%s', (carrier, readerOf) => {
  const isForm = carrier.startsWith('form');
  const spellings: Record<string, (value: Json) => Pair[]> = {
    ...Object.fromEntries(
      Object.entries(ITEMS).map(([name, item]) => [name, (value: Json) => encode('a', value, item)]),
    ),
    'indexes in any order': (value) => encode('a', value, ITEMS.indexes).toReversed(),
    JSON: (value) => json('a', value),
  };
  const isRead = (spelling: string, described: Described) => {
    if (spelling === 'JSON') return isForm && isPlain(described);
    // One text may be the empty string, and no list of one.
    if (spelling === 'repetition') return isForm && !JSON.stringify(described.schema).includes('anyOf');
    return !['merging', 'rails'].includes(spelling);
  };

  test.each(Object.entries(spellings))('%s is read as it was meant, or refused', (spelling, write) => {
    fc.assert(
      fc.property(nested, (described) => {
        const { schema, value } = described;
        const text = textOf(write(value));
        let got: unknown;
        try {
          got = readerOf(schema)(text)?.['a'];
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedParameter);
          expect(isRead(spelling, described)).toBe(false);
          return;
        }
        // What does not conform is refused by the validator.
        if (isRead(spelling, described) || new Validator(schema, '2020-12').validate(got).valid)
          expect(got).toEqual(value);
      }),
      { numRuns: cases(12, 40), seed: 6570 },
    );
  });
});

/** A schema that leads back to itself, within a list and within an object. */
const TREE = '/components/x-form/schema/properties/a';
const MALFORMED = {
  '[': 'brackets without a name',
  ']': 'brackets without a name',
  '[a]': 'brackets without a name',
  'a]': 'brackets without a name',
  'a[': 'not in pairs',
  'a]b': 'brackets without a name',
  'a[s': 'not in pairs',
  'a[s]]': 'not in pairs',
  'a[[s]]': 'not in pairs',
  'a[s]x': 'not in pairs',
  'a[s][': 'not in pairs',
  'a[l]x[0]': 'not in pairs',
  'a[]': 'expected a name in its brackets',
  'a[][s]': 'expected a name in its brackets',
  'a[0]s': 'not in pairs',
  'a[s][x]': 'not an object or a list',
  'a[s][]': 'not an object or a list',
  'a[any][x]': 'not an object or a list',
  'a[l][s]': 'none with the index 0',
  'a[l][1]': 'none with the index 0',
  'a[l][00]': 'none with the index 0',
  'a[l][-1]': 'none with the index 0',
  'a[l][4294967296]': 'none with the index 0',
  'a[l][1e0]': 'none with the index 0',
  'a[l][][]': '[] before other brackets',
  'a[l][][s]': '[] before other brackets',
  'a[__proto__]': 'the name "__proto__"',
  'a[__proto__][s]': 'the name "__proto__"',
  'a[o][__proto__][s]': 'the name "__proto__"',
  '__proto__[s]': 'the name "__proto__"',
  'a[s]=1&a[s]': 'more than once',
  'a={}&a[s]': 'with and without brackets',
  'a[s]=1&a[s][x]': 'with and without brackets',
  'a[l]=1&a[l][0]': 'with and without brackets',
  'a[l][]=1&a[l]': 'with and without brackets',
  'a[l][0]=1&a[l][]': 'with and without an index',
  'a[l][]=1&a[l][0]': 'with and without an index',
  'a[l][0]=1&a[l][2]': 'none with the index 1',
  'a[l][0]=1&a[l][0]': 'more than once',
  'b[]': 'is written differently in the document: b',
  'b[x]': 'is written differently in the document: b',
  'b[0][x]': 'is written differently in the document: b',
  [`a${'[o]'.repeat(64)}[s]`]: 'nested more than 64 deep',
};

describe.each(['form', 'deepObject'])('a name of a %s that is not well-formed is refused', (style) => {
  const schema = object({
    a: object({ s: STRING, l: list(STRING), any: {}, o: { $ref: `#${TREE}` } }),
    b: STRING,
  });
  const read = form(schema, style === 'form' ? {} : { a: { style, explode: true } });
  test.each(Object.entries(MALFORMED))('%s: %s', (names, message) => {
    // Under deepObject, no text is an object or a list.
    if (style === 'deepObject' && /^a={}|a\[l\]=|&a\[l\]$/.test(names)) message = '';
    expect(() => read(`${names}=1`)).toThrow(MalformedParameter);
    expect(() => read(`${names}=1`)).toThrow(message);
  });

  test('a name may have 64 brackets', () => {
    expect(JSON.stringify(read(`a${'[o]'.repeat(63)}[s]=1`)).match(/\{/g)).toHaveLength(65);
  });

  test('U+0000 is a character as any other', () => {
    expect(read('a[s]=%00&a[l][0]=%00')).toEqual({ a: { s: '\0', l: ['\0'] } });
  });

  test('what the document does not list is left out, and not read', () => {
    expect(read('a[s]=1&a[new][x][0]=1&c[x]=1')).toEqual({ a: { s: '1', new: {} }, 'c[x]': '1' });
  });
});

describe('work is linear', () => {
  const count = cases(40_000, 100_000);
  const a = object({ l: list(STRING), o: { $ref: `#${TREE}` } });
  const read = form(object({ a }));
  test.each([
    ['indexes', (i: number) => `a[l][${i}]`],
    ['indexes in the opposite order', (i: number) => `a[l][${count - i}]`],
    ['sparse indexes', (i: number) => `a[o][l][${i * 1000}]`],
    ['names', (i: number) => `a[s${i}][x]`],
    ['other names', (i: number) => `c${i}[x]`],
    ['brackets', () => `a${'['.repeat(20)}`],
    ['deep names', (i: number) => `a${'[o]'.repeat(i % 15)}[n${i}]`],
  ])('many %s', (_, nameOf) => {
    const text = Array.from({ length: count }, (__, i) => `${nameOf(i)}=1`).join('&');
    const started = process.cpuUsage();
    try {
      read(text);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedParameter);
    }
    expect(process.cpuUsage(started).user).toBeLessThan(50 * count); // 1 to 5 µs each; what is quadratic takes milliseconds
  });
});

test('a parameter or property whose own name has brackets is read by that name', () => {
  expect(form(object({ 'ids[]': list(STRING), ids: list(STRING) }))('ids[]=1&ids[]=2&ids[0]=3')).toEqual({
    'ids[]': ['1', '2'],
    ids: ['3'],
  });
  const { read } = compile({
    parameters: [
      { name: 'ids[]', schema: list(STRING) },
      { name: 'filter[]', style: 'deepObject', schema: object({ a: list(STRING) }) },
    ],
  });
  expect(read(raw({ query: 'ids[]=1&ids[]=2&filter[][a][0]=3' })).query).toEqual({
    'ids[]': ['1', '2'],
    'filter[]': { a: ['3'] },
  });
});

test.each([object({ x: STRING }), list(STRING)])(
  'under deepObject, a value without brackets is refused: %j',
  (schema) => {
    const message = (place: string) => `${place}/a is an object or a list, so its name needs brackets`;
    const { read } = compile({ parameters: [{ name: 'a', style: 'deepObject', schema }] });
    const readForm = form(object({ a: schema }), { a: { style: 'deepObject', explode: true } });
    for (const text of ['a=', 'a=1', 'a', 'a=1&a=2', 'a={}']) {
      expect(() => read(raw({ query: text }))).toThrow(message('query'));
      expect(() => readForm(text)).toThrow(message('body'));
    }
  },
);

test.each(['ids[]=1', 'ids[0]=1', 'one[x]=1'])('a query of another style has no brackets: %s', (query) => {
  const { read } = compile({ parameters: [{ name: 'ids', schema: list(STRING) }, { name: 'one' }] });
  expect(() => read(raw({ query }))).toThrow(`query/${query.slice(0, -2)} is not in the document`);
});

test.each<[JsonObject, string]>([
  [{ type: ['object', 'array'] }, 'objects and lists, which brackets cannot distinguish'],
  [object({ b: { anyOf: [object({}), list(STRING)] } }), 'objects and lists'],
  [list({ type: 'object', patternProperties: { x: STRING } }), 'patternProperties are served in JSON only'],
])('under deepObject, %j stops the start', (schema, message) => {
  const { findings } = compile({ parameters: [{ name: 'a', style: 'deepObject', schema }] });
  expect(findings.join()).toContain(message);
});

test('in a form, JSON carries a part whose brackets say too little', () => {
  const read = form(object({ a: object({ b: { anyOf: [object({ c: STRING }), list(STRING)] } }) }));
  expect(read('a={"b":["x"]}')).toEqual({ a: { b: ['x'] } });
  expect(() => read('a[b][0]=x')).toThrow('body/a/b may be an object or a list');
});
