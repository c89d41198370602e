import { buildDocument } from '../../../../../scripts/testing/service';
import { type JsonObject, OpenApiDocument } from '../../../src/contract/document/document';
import { MalformedParameter } from '../../../src/contract/parameters/parameters';
import {
  STRING,
  INT64,
  LIST,
  RGB,
  compile,
  compileValid,
  raw,
  carry,
  placeOf,
  readColor,
} from '../../support/parameters';

describe('a text that the document does not describe is refused', () => {
  test.each([
    [{}, 'foo=1', 'query/foo is not in the document'],
    [{}, 'Color=1', 'query/Color is not in the document'],
    [{}, '__proto__=1', 'query/__proto__ is not in the document'],
    [{}, 'constructor=1', 'query/constructor is not in the document'],
    [{}, `${'x'.repeat(99)}${encodeURIComponent('💚')}=1`, `query/${'x'.repeat(99)} is not in the document`],
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
    [
      { schema: RGB, style: 'deepObject' },
      'color=1',
      'query/color is an object or a list, so its name needs brackets',
    ],
    [{ schema: RGB, style: 'deepObject' }, 'color[R]=1&color[R]=2', 'query/color/R is given more than once'],
    [{ schema: RGB, style: 'deepObject' }, 'color[R][x]=1', 'query/color/R is not an object or a list'],
    [{ schema: RGB, style: 'deepObject' }, 'color[R=1', 'query/color[R has brackets that are not in pairs'],
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

  test('an operation without parameters refuses every query but an empty one', () => {
    const read = compileValid({});
    expect(read(raw({}))).toEqual({});
    expect(() => read(raw({ query: 'a=1' }))).toThrow('query/a is not in the document');
  });

  test('the name of an API key in the query is no parameter, but accepted', () => {
    const read = compileValid({
      parameters: [{ schema: { type: 'object', additionalProperties: STRING } }],
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
    });
    expect(read(raw({ query: 'api_key=secret&a=1' }))).toEqual({ query: { color: { a: '1' } } });
  });
});

describe('the parameters of a request', () => {
  test('every location that has parameters is present, and no other', () => {
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
  ])('an absent parameter stays absent: %j', (parameter) => {
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

  test('names of headers are case-insensitive, and their values are not percent-decoded', () => {
    const read = compileValid({ parameters: [{ in: 'header', name: 'X-Color', schema: LIST }] });
    expect(read(raw({ headers: { 'x-color': '%20a, b ,c' } }))).toEqual({
      header: { 'X-Color': ['%20a', 'b', 'c'] },
    });
  });

  test('cookies that are not parameters are ignored', () => {
    const read = compileValid({ parameters: [{ in: 'cookie' }] });
    expect(read(raw({ headers: { cookie: '%zz=%zz; a=1; a=1;color=blue; b; __proto__=1' } }))).toEqual({
      cookie: { color: 'blue' },
    });
  });

  test('names of Object.prototype are ordinary names', () => {
    const parameters = ['constructor', 'toString'].map((name) => ({ name, schema: LIST }));
    expect(compileValid({ parameters })(raw({ query: 'constructor=a' })).query).toEqual({
      constructor: ['a'],
    });
  });

  test('a free-form object receives the pairs that no other parameter names', () => {
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

describe('a parameter that the specification does not define is a finding', () => {
  const nested = { type: 'object', properties: { R: LIST } };
  const undefinedInside = 'no style defines how an array or object is written inside another value';
  const parted = 'defined for arrays and objects that are not exploded';
  test.each([
    [[{ schema: nested }], undefinedInside],
    [[{ schema: { type: 'array', items: RGB } }], undefinedInside],
    [[{ style: 'spaceDelimited' }], `spaceDelimited is ${parted}`],
    [[{ style: 'pipeDelimited', explode: true, schema: LIST }], `pipeDelimited is ${parted}`],
    [[{ schema: { type: ['array', 'object'] } }], 'its text does not determine'],
    [[{ schema: { oneOf: [STRING, RGB] } }], 'its text does not determine'],
    ...[
      { style: 'spaceDelimited' },
      { style: 'pipeDelimited' },
      { in: 'path', style: 'label', explode: true },
    ].map((written): [JsonObject[], string] => [
      [{ explode: false, ...written, schema: { oneOf: [STRING, LIST] } }],
      `a text of the style ${written.style} does not determine whether it is a list`,
    ]),
    [
      [{ schema: { type: 'object', patternProperties: { x: INT64 } } }],
      'patternProperties are served in JSON only',
    ],
    [[{ schema: RGB }, { name: 'R' }], 'it shares the name R with another'],
    [
      [{ schema: { type: 'object' } }, { name: 'b', schema: { type: 'object' } }],
      'it accepts any name, and so does another',
    ],
    [
      [{ in: 'cookie', schema: { type: 'object' } }],
      'its properties cannot be distinguished from other cookies',
    ],
    [[{ name: '__proto__' }], '__proto__ cannot be served'],
  ])('%j', (parameters, message) => {
    expect(compile({ parameters }).findings.join('\n')).toContain(message);
  });
});

test('a style that its location does not have is a finding', () => {
  const parameters = [{ name: 'color', in: 'path', required: true, style: 'form', schema: STRING }];
  const get = { operationId: 'getColor', parameters, responses: { 200: { description: '' } } };
  const { findings } = new OpenApiDocument(buildDocument({ paths: { '/{color}': { get } } }));
  expect(findings).toMatchObject([
    {
      pointer: '/paths/~1{color}/get/parameters/0/style',
      message: 'must be equal to one of the allowed values',
    },
  ]);
});
