import supertest from 'supertest';
import { InvalidContract } from 'contract-first-server';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

const serviceOf = (schema: object) =>
  buildService({
    document: buildDocument({ operation: { requestBody: { content: json(schema) } } }),
    handlers: { postThing: () => Promise.resolve({ status: 204 }) },
  });

async function post(schema: object, body: object) {
  const { app } = serviceOf(schema);
  const response = await supertest(app).post('/things').send(body);
  return { status: response.status, message: (response.body as { message?: string }).message };
}

it('each pattern of a schema applies independently', async () => {
  const properties = { a: { pattern: '(a|a)+$' }, b: { pattern: '(b|b)+$' }, c: { pattern: '^c' } };
  expect(await post({ properties }, { a: 'a', b: 'b', c: 'c' })).toEqual({ status: 204 });
  expect(await post({ properties }, { a: 'b', b: 'a', c: 'd' })).toEqual({
    status: 400,
    message: [
      'body/a must match pattern "(a|a)+$"',
      'body/b must match pattern "(b|b)+$"',
      'body/c must match pattern "^c"',
    ].join('; '),
  });
});

it.each([
  ['pattern', { pattern: '(a)\\1' }, '/pattern: has the backreference \\1, which cannot be matched'],
  [
    'patternProperties',
    { patternProperties: { '(?<x>a/)\\k<x>': {} } },
    '/patternProperties/(?<x>a~1)\\k<x>: has',
  ],
  ['propertyNames', { propertyNames: { pattern: 'x(a.{999}b)*c' } }, '/propertyNames/pattern: is too large'],
  [
    'invalid with the u flag',
    { pattern: '\\_' },
    '/pattern: is not valid: Invalid regular expression: /\\_/u: Invalid escape',
  ],
])('an unsupported pattern is refused with its place: %s', (_, schema, finding) => {
  const place = '#/paths/~1things/post/requestBody/content/application~1json/schema/properties/a';
  const serve = () => serviceOf({ properties: { a: schema } });
  expect(serve).toThrow(InvalidContract);
  expect(serve).toThrow(`${place}${finding}`);
});
