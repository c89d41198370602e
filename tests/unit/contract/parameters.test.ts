import fc from 'fast-check';
import { type JsonObject, OpenApiDocument } from '../../../src/contract/document';
import { formatHeader } from '../../../src/contract/header';
import { exactNumber } from '../../../src/contract/json';
import { readOperations } from '../../../src/contract/operations';
import {
  compileParameters,
  MalformedParameter,
  type RawParameters,
  type ReadParameters,
} from '../../../src/contract/parameters';

const STRING = { type: 'string' };
const INT64 = { type: 'integer', format: 'int64' };
const LIST = { type: 'array', items: STRING };
const RGB = { type: 'object', properties: { R: INT64, G: INT64, B: INT64 } };

/** One document whose paths each test sets anew: judging a document by the OpenAPI schema takes 100 ms. */
const root: Record<string, unknown> = {
  openapi: '3.1.0',
  info: { title: 'Colors', version: '1' },
  paths: {},
};
const document = new OpenApiDocument(root);

interface Described {
  readonly parameters?: readonly JsonObject[];
  readonly security?: readonly JsonObject[];
  readonly components?: JsonObject;
}

/** Reads the one operation of a document with these parameters; each is a query parameter `color` unless it says more. */
function compile({ parameters = [], security = [], components = {} }: Described) {
  const described = parameters.map((parameter): JsonObject => {
    const { in: place = 'query', name = 'color', content } = parameter;
    const schema = content === undefined ? { schema: STRING } : {};
    return { name, in: place, ...(place === 'path' && { required: true }), ...schema, ...parameter };
  });
  const templates = described
    .filter(({ in: place }) => place === 'path')
    .map(({ name }) => `/{${String(name)}}`);
  root['components'] = components;
  root['paths'] = {
    [`/colors${templates.join('')}`]: {
      get: {
        operationId: 'getColor',
        parameters: described,
        security,
        responses: { 200: { description: '' } },
      },
    },
  };
  document.findings.length = 0;
  const [operation] = readOperations(document);
  if (!operation) throw new Error('the document has no operation');
  const read = compileParameters(document, operation);
  return { read, findings: document.findings.map(({ message }) => message) };
}

function compileValid(described: Described): ReadParameters {
  const { read, findings } = compile(described);
  expect(findings).toEqual([]);
  return read;
}

const raw = ({
  path = {},
  query = '',
  headers = {},
}: Partial<Record<'path' | 'headers', Record<string, string>>> & { query?: string }): RawParameters => ({
  path: new Map(Object.entries(path)),
  query,
  headers,
});

/** What carries `text` to the parameter `color`. */
const CARRIERS: Readonly<Record<string, (text: string) => RawParameters>> = {
  path: (text) => raw({ path: { color: text } }),
  query: (text) => raw({ query: text }),
  header: (text) => raw({ headers: { color: text } }),
  cookie: (text) => raw({ headers: { cookie: text } }),
};
const carry = (place: string, text: string): RawParameters => CARRIERS[place]?.(text) ?? raw({});

/** A value with every integer as a bigint, exact. */
function exactly(holder: object, key: string | number): unknown {
  const value: unknown = Reflect.get(holder, key);
  if (Array.isArray(value)) return value.map((_, i) => exactly(value, i));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.keys(value).map((name) => [name, exactly(value, name)]));
  return typeof value === 'number' ? (exactNumber(holder, key) ?? BigInt(value)) : value;
}

const placeOf = ({ in: place }: JsonObject): string => (typeof place === 'string' ? place : 'query');

function readColor(parameter: JsonObject, text: string): unknown {
  const values = compileValid({ parameters: [parameter] })(carry(placeOf(parameter), text));
  return Object.values(values).map((holder) => exactly(holder, 'color'))[0];
}

const LISTED = ['blue', 'black', 'brown'];
const MIXED = { R: 100n, G: 200n, B: 150n };

type Example = [
  place: string,
  style: string,
  explode: boolean,
  schema: JsonObject,
  text: string,
  want: unknown,
];

describe('the style examples of the specification', () => {
  test.each<Example>([
    ['path', 'matrix', false, STRING, ';color', ''],
    ['path', 'matrix', false, STRING, ';color=blue', 'blue'],
    ['path', 'matrix', false, LIST, ';color=blue,black,brown', LISTED],
    ['path', 'matrix', false, RGB, ';color=R,100,G,200,B,150', MIXED],
    ['path', 'matrix', true, STRING, ';color', ''],
    ['path', 'matrix', true, STRING, ';color=blue', 'blue'],
    ['path', 'matrix', true, LIST, ';color=blue;color=black;color=brown', LISTED],
    ['path', 'matrix', true, RGB, ';R=100;G=200;B=150', MIXED],
    ['path', 'label', false, STRING, '.', ''],
    ['path', 'label', false, STRING, '.blue', 'blue'],
    ['path', 'label', false, LIST, '.blue,black,brown', LISTED],
    ['path', 'label', false, RGB, '.R,100,G,200,B,150', MIXED],
    ['path', 'label', true, STRING, '.', ''],
    ['path', 'label', true, STRING, '.blue', 'blue'],
    ['path', 'label', true, LIST, '.blue.black.brown', LISTED],
    ['path', 'label', true, RGB, '.R=100.G=200.B=150', MIXED],
    ...['path', 'header'].flatMap((place): Example[] => [
      [place, 'simple', false, STRING, '', ''],
      [place, 'simple', false, STRING, 'blue', 'blue'],
      [place, 'simple', false, LIST, 'blue,black,brown', LISTED],
      [place, 'simple', false, RGB, 'R,100,G,200,B,150', MIXED],
      [place, 'simple', true, STRING, '', ''],
      [place, 'simple', true, STRING, 'blue', 'blue'],
      [place, 'simple', true, LIST, 'blue,black,brown', LISTED],
      [place, 'simple', true, RGB, 'R=100,G=200,B=150', MIXED],
    ]),
    ...['query', 'cookie'].flatMap((place): Example[] => [
      [place, 'form', false, STRING, 'color=', ''],
      [place, 'form', false, STRING, 'color=blue', 'blue'],
      [place, 'form', false, LIST, 'color=blue,black,brown', LISTED],
      [place, 'form', false, RGB, 'color=R,100,G,200,B,150', MIXED],
      [place, 'form', true, STRING, 'color=', ''],
      [place, 'form', true, STRING, 'color=blue', 'blue'],
    ]),
    ['query', 'form', true, LIST, 'color=blue&color=black&color=brown', LISTED],
    ['query', 'form', true, RGB, 'R=100&G=200&B=150', MIXED],
    ['cookie', 'form', true, LIST, 'color=blue; color=black; color=brown', LISTED],
    ['cookie', 'form', true, RGB, 'R=100; G=200; B=150', MIXED],
    ['query', 'spaceDelimited', false, LIST, 'color=blue%20black%20brown', LISTED],
    ['query', 'spaceDelimited', false, LIST, 'color=blue+black+brown', LISTED],
    ['query', 'spaceDelimited', false, RGB, 'color=R%20100%20G%20200%20B%20150', MIXED],
    ['query', 'pipeDelimited', false, LIST, 'color=blue%7Cblack%7cbrown', LISTED],
    ['query', 'pipeDelimited', false, LIST, 'color=blue|black|brown', LISTED],
    ['query', 'pipeDelimited', false, RGB, 'color=R%7C100%7CG%7C200%7CB%7C150', MIXED],
    ['query', 'deepObject', true, RGB, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150', MIXED],
    ['query', 'deepObject', false, RGB, 'color[R]=100&color[G]=200&color[B]=150', MIXED],
  ])('%s %s, exploded %s, %j: %s', (place, style, explode, schema, text, want) => {
    expect(readColor({ in: place, style, explode, schema }, text)).toEqual(want);
  });
});

describe('a text becomes what its schema says', () => {
  const either = { anyOf: [{ type: 'integer' }, { type: 'boolean' }, STRING] };
  test.each([
    [INT64, '42', 42n],
    [INT64, '-1', -1n],
    [INT64, '1.0', 1n],
    [INT64, '1e2', 100n],
    [INT64, '042', '042'],
    [INT64, '%2B1', '+1'],
    [INT64, '0x10', '0x10'],
    [INT64, '%201', ' 1'],
    [INT64, 'Infinity', 'Infinity'],
    [INT64, '', ''],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, 'TRUE', 'TRUE'],
    [{ type: 'boolean' }, '1', '1'],
    [STRING, '42', '42'],
    [STRING, 'true', 'true'],
    [{}, '42', '42'],
    [{ type: ['integer', 'null'] }, '42', 42n],
    [either, '42', 42n],
    [either, 'true', true],
    [either, 'x', 'x'],
    [{ allOf: [{ type: ['integer', 'string'] }, STRING] }, '42', '42'],
    [{ allOf: [{ minimum: 1 }, { oneOf: [{ $ref: '#/components/schemas/Id' }] }] }, '42', 42n],
    [{ $ref: '#/components/schemas/Cycle' }, '42', 42n],
    [{ enum: [1, 2] }, '2', 2n],
    [{ enum: ['1', '2'] }, '2', '2'],
    [{ const: true }, 'true', true],
  ])('%j: %s', (schema, text, want) => {
    const components = {
      schemas: { Id: INT64, Cycle: { anyOf: [{ $ref: '#/components/schemas/Cycle' }, INT64] } },
    };
    const read = compileValid({ parameters: [{ schema }], components });
    expect(exactly(read(raw({ query: `color=${text}` })).query ?? {}, 'color')).toEqual(want);
  });

  test.each([
    [
      { type: 'array', prefixItems: [STRING, INT64], items: { type: 'boolean' } },
      '1,2,true',
      ['1', 2n, true],
    ],
    [{ items: INT64 }, '1,2', [1n, 2n]],
    [{ oneOf: [{ properties: { R: INT64 } }, { properties: { G: STRING } }] }, 'R,1,G,2', { R: 1n, G: '2' }],
    [{ type: 'object', additionalProperties: INT64 }, 'x,1', { x: 1n }],
    [
      { allOf: [{ properties: { R: {} } }, { properties: {}, additionalProperties: INT64 }] },
      'R,1',
      { R: 1n },
    ],
    [LIST, 'a%2Cb,c', ['a,b', 'c']],
    [LIST, '', ['']],
  ])('%j: %s', (schema, text, want) => {
    expect(readColor({ explode: false, schema }, `color=${text}`)).toEqual(want);
  });

  test('JSON is read as JSON, exactly', () => {
    const parameter = { content: { 'application/json': { schema: RGB } } };
    expect(readColor(parameter, `color=${encodeURIComponent('{"R":9007199254740993}')}`)).toEqual({
      R: 9007199254740993n,
    });
  });
});

describe.each([9007199254740993n, 9223372036854775807n, -9223372036854775808n])('the int64 %s', (id) => {
  test.each([
    ['path', {}, String(id)],
    ['query', {}, `color=${id}`],
    ['header', {}, String(id)],
    ['cookie', {}, `color=${id}`],
    ['path', { style: 'matrix' }, `;color=${id}`],
  ])('is exact in a %s', (place, style, text) => {
    expect(readColor({ in: place, schema: INT64, ...style }, text)).toBe(id);
  });

  test.each([
    ['path', String(id)],
    ['query', `color=${id}`],
    ['header', String(id)],
    ['cookie', `color=${id}`],
  ])('is exact in the items of an array in a %s', (place, text) => {
    const parameter = { in: place, explode: false, schema: { type: 'array', items: INT64 } };
    expect(readColor(parameter, `${text},${id},1`)).toEqual([id, id, 1n]);
  });
});

describe('what the document does not describe is refused', () => {
  test.each([
    [{}, 'foo=1', 'query/foo is not in the document'],
    [{}, 'Color=1', 'query/Color is not in the document'],
    [{}, '__proto__=1', 'query/__proto__ is not in the document'],
    [{}, 'constructor=1', 'query/constructor is not in the document'],
    [
      {},
      `${'x'.repeat(99)}${encodeURIComponent('💚')}=1`,
      `query/${'x'.repeat(99)}\ufffd is not in the document`,
    ],
    [{}, 'color=a&color=b', 'query/color is given more than once'],
    [{}, 'color=a&c%6Flor=b', 'query/color is given more than once'],
    [{}, 'color=%', 'query/color is not percent-encoded UTF-8'],
    [{}, 'color=%ff', 'query/color is not percent-encoded UTF-8'],
    [{}, 'color=%ed%a0%80', 'query/color is not percent-encoded UTF-8'],
    [{}, 'color=\u00e9', 'query/color is not percent-encoded UTF-8'],
    [{}, '%zz=1', 'query is not percent-encoded UTF-8'],
    [{ schema: INT64 }, 'color=1e999', 'query/color: the number 1e999 is too large'],
    [{ schema: LIST, explode: false }, 'color=a,b&color=c', 'query/color is given more than once'],
    [{ schema: RGB, explode: false }, 'color=R,1,R,2', 'query/color/R is given more than once'],
    [
      { schema: RGB, explode: false },
      'color=__proto__,1',
      'query/color has the name "__proto__", which is not accepted',
    ],
    [
      { schema: RGB, explode: false },
      'color=R',
      'query/color is not a list of names and values: the last name has no value',
    ],
    [{ schema: RGB }, 'R=1&R=2', 'query/color/R is given more than once'],
    [{ schema: RGB }, 'color=1', 'query/color is not in the document'],
    [{ schema: RGB, style: 'deepObject' }, 'color=1', 'query/color is not in the document'],
    [{ schema: RGB, style: 'deepObject' }, 'color[R]=1&color[R]=2', 'query/color/R is given more than once'],
    [{ schema: RGB, style: 'deepObject' }, 'color[R][x]=1', 'query/color[R][x] is not in the document'],
    [{ schema: RGB, style: 'deepObject' }, 'color[R=1', 'query/color[R is not in the document'],
    [
      { schema: RGB, style: 'deepObject' },
      'color[__proto__]=1',
      'query/color has the name "__proto__", which is not accepted',
    ],
    [{ content: { 'application/json': {} } }, 'color={', 'query/color: expected'],
    [{ in: 'cookie' }, 'color=a; color=b', 'cookie/color is given more than once'],
    [{ in: 'cookie' }, 'color=%ff', 'cookie/color is not percent-encoded UTF-8'],
    [{ in: 'path' }, '%ff', 'path/color is not percent-encoded UTF-8'],
    [{ in: 'path', style: 'label' }, 'blue', 'path/color is not of the style label: expected "." before it'],
    [
      { in: 'path', style: 'matrix' },
      ';x=blue',
      'path/color is not of the style matrix: expected ";color=" before it',
    ],
    [
      { in: 'path', style: 'matrix', explode: true, schema: LIST },
      ';color=a;x=b',
      'path/color is not of the style matrix',
    ],
  ])('%j: %s', (parameter: JsonObject, text, message) => {
    const read = compileValid({ parameters: [parameter] });
    expect(() => read(carry(placeOf(parameter), text))).toThrow(MalformedParameter);
    expect(() => read(carry(placeOf(parameter), text))).toThrow(message);
  });

  test('a query of an operation that has no parameters is refused, an empty one is not', () => {
    const read = compileValid({});
    expect(read(raw({}))).toEqual({});
    expect(() => read(raw({ query: 'a=1' }))).toThrow('query/a is not in the document');
  });

  test('the name of a credential in the query is no parameter, but known', () => {
    const read = compileValid({
      parameters: [{ schema: { type: 'object', additionalProperties: STRING } }],
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
    });
    expect(read(raw({ query: 'api_key=secret&a=1' }))).toEqual({ query: { color: { a: '1' } } });
  });
});

describe('what is there', () => {
  test('every place that the operation has parameters for is present, and no other', () => {
    const parameters = [{}, { in: 'header' }, { in: 'cookie' }];
    expect(compileValid({ parameters })(raw({}))).toEqual({ query: {}, header: {}, cookie: {} });
    expect(compileValid({ parameters: [{ in: 'header' }] })(raw({}))).toEqual({ header: {} });
  });

  test.each([
    { schema: LIST },
    { schema: LIST, explode: false },
    { schema: RGB },
    { schema: { type: 'object' } },
    { schema: RGB, style: 'deepObject' },
    { content: { 'application/json': {} } },
  ])('what is absent stays absent: %j', (parameter) => {
    expect(compileValid({ parameters: [parameter] })(raw({}))).toStrictEqual({ query: {} });
  });

  test('a listed property of a deepObject may have brackets in its name', () => {
    const schema = { type: 'object', properties: { 'a[b]': INT64 } };
    expect(readColor({ style: 'deepObject', schema }, 'color[a[b]]=1')).toEqual({ 'a[b]': 1n });
  });

  test('a plus is a space in a query and itself elsewhere', () => {
    const parameters = [{}, { in: 'path' }, { in: 'header' }, { in: 'cookie' }];
    const text = raw({
      path: { color: 'a+b' },
      query: 'color=a+b%2B',
      headers: { color: 'a+b', cookie: 'color=a+b' },
    });
    expect(compileValid({ parameters })(text)).toEqual({
      path: { color: 'a+b' },
      query: { color: 'a b+' },
      header: { color: 'a+b' },
      cookie: { color: 'a+b' },
    });
  });

  test('headers are found without regard to case, and are not percent-decoded', () => {
    const read = compileValid({ parameters: [{ in: 'header', name: 'X-Color', schema: LIST }] });
    expect(read(raw({ headers: { 'x-color': '%20a, b ,c' } }))).toEqual({
      header: { 'X-Color': ['%20a', 'b', 'c'] },
    });
  });

  test('cookies of others are left alone, whatever they are', () => {
    const read = compileValid({ parameters: [{ in: 'cookie' }] });
    expect(read(raw({ headers: { cookie: '%zz=%zz; a=1; a=1;color=blue; b; __proto__=1' } }))).toEqual({
      cookie: { color: 'blue' },
    });
  });

  test('names like those of the prototype are names', () => {
    const parameters = ['constructor', 'toString'].map((name) => ({ name, schema: LIST }));
    expect(compileValid({ parameters })(raw({ query: 'constructor=a' })).query).toEqual({
      constructor: ['a'],
    });
  });

  test('a free-form object takes what no other parameter names', () => {
    const parameters = [
      { name: 'any', schema: { type: 'object', additionalProperties: INT64 } },
      { name: 'deep', style: 'deepObject', schema: RGB },
      { name: 'deep[G]' },
      { name: 'limit' },
    ];
    const read = compileValid({
      parameters: parameters.map((p) => (p.name === 'deep' ? { ...p, schema: { type: 'object' } } : p)),
    });
    expect(read(raw({ query: 'a=1&limit=2&deep[R]=3&deep[G]=4' })).query).toEqual({
      any: { a: 1 },
      deep: { R: '3' },
      'deep[G]': '4',
      limit: '2',
    });
  });
});

describe('what the specification does not define is a finding', () => {
  const nested = { type: 'object', properties: { R: LIST } };
  const undefinedInside = 'no style defines how an array or object is written inside another value';
  const parted = 'defined for arrays and objects that are not exploded';
  test.each([
    [[{ style: 'deepObject', schema: nested }], undefinedInside],
    [[{ schema: nested }], undefinedInside],
    [[{ schema: { type: 'array', items: RGB } }], undefinedInside],
    [[{ style: 'deepObject', schema: LIST }], 'deepObject is defined for objects'],
    [[{ style: 'spaceDelimited' }], `spaceDelimited is ${parted}`],
    [[{ style: 'pipeDelimited', explode: true, schema: LIST }], `pipeDelimited is ${parted}`],
    [
      [{ schema: { oneOf: [STRING, LIST] } }],
      'its text does not tell which of the types string, array it is',
    ],
    [[{ schema: { type: ['array', 'object'] } }], 'its text does not tell'],
    [
      [{ schema: { type: 'object', patternProperties: { x: INT64 } } }],
      'patternProperties are served in JSON only',
    ],
    [[{ schema: RGB }, { name: 'R' }], 'it shares the name R with another'],
    [
      [{ schema: { type: 'object' } }, { name: 'b', schema: { type: 'object' } }],
      'it takes any name, and so does another',
    ],
    [[{ in: 'cookie', schema: { type: 'object' } }], 'its properties could not be told from other cookies'],
    [[{ name: '__proto__' }], '__proto__ cannot be served'],
  ])('%j', (parameters, message) => {
    expect(compile({ parameters }).findings.join('\n')).toContain(message);
  });
});

test('a style that is not for the place is a finding of the document itself', () => {
  const parameters = [{ name: 'color', in: 'path', required: true, style: 'form', schema: STRING }];
  const get = { operationId: 'getColor', parameters, responses: { 200: { description: '' } } };
  const { findings } = new OpenApiDocument({ ...root, paths: { '/{color}': { get } } });
  expect(findings).toContainEqual({
    pointer: '/paths/~1{color}/get/parameters/0/style',
    message: 'must be equal to one of the allowed values',
  });
});

/** RFC 6570 section 3.2.1, written anew: every character that is not unreserved is percent-encoded, and the dot too. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[.!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

type Value = string | readonly string[] | Readonly<Record<string, string>>;
const OPERATORS = {
  simple: { first: '', between: ',', named: false },
  label: { first: '.', between: '.', named: false },
  matrix: { first: ';', between: ';', named: true },
  form: { first: '', between: '&', named: true },
};

function expand(value: Value, style: keyof typeof OPERATORS, explode: boolean): string {
  const { first, between, named } = OPERATORS[style];
  const own = (text: string) => (named ? `color=${text}` : text);
  if (typeof value === 'string') return first + own(encode(value));
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, text]) => {
    if (isList) return explode ? own(encode(text)) : encode(text);
    return `${encode(key)}${explode ? '=' : ','}${encode(text)}`;
  });
  return first + (explode ? parts.join(between) : own(parts.join(',')));
}

describe('whatever is written is read back', () => {
  const text = fc.string({ unit: 'grapheme' });
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => key !== '__proto__');
  const value: fc.Arbitrary<Value> = fc.oneof(
    text,
    fc.array(text, { minLength: 1 }),
    fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true }),
  );
  const schemaOf = (of: Value): JsonObject => {
    if (typeof of === 'string') return STRING;
    return Array.isArray(of) ? LIST : { type: 'object', additionalProperties: STRING };
  };

  test.each([
    ['path', 'simple'],
    ['path', 'label'],
    ['path', 'matrix'],
    ['query', 'form'],
  ] as const)('in a %s in the style %s', (place, style) => {
    fc.assert(
      fc.property(value, fc.boolean(), (written, explode) => {
        const parameter = { in: place, style, explode, schema: schemaOf(written) };
        expect(readColor(parameter, expand(written, style, explode))).toEqual(written);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test('in a header, by formatHeader', () => {
    const part = fc.stringMatching(/^[!-+\--<>-~\u00a1-\u00ff]+$/);
    const plain = fc.oneof(
      part,
      fc.array(part, { minLength: 1 }),
      fc.dictionary(part, part, { minKeys: 1, noNullPrototype: true }),
    );
    fc.assert(
      fc.property(plain, fc.boolean(), (written, explode) => {
        fc.pre(typeof written === 'string' || !Object.hasOwn(written, '__proto__'));
        const parameter = { in: 'header', explode, schema: schemaOf(written) };
        expect(readColor(parameter, formatHeader(written, explode))).toEqual(written);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test('int64 in every place', () => {
    const places = [
      ['path', ''],
      ['query', 'color='],
      ['header', ''],
      ['cookie', 'color='],
    ] as const;
    fc.assert(
      fc.property(
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        fc.constantFrom(...places),
        (id, [place, before]) => {
          expect(readColor({ in: place, schema: INT64 }, `${before}${id}`)).toBe(id);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });
});
