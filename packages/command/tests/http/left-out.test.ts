import { toMockable } from '../../src/mock/document';
import { compileContract } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { buildDocument, json } from '../../../../scripts/testing/service';

const leftOut = (document: JsonObject): readonly string[] =>
  toMockable(document, (root) => ({ built: root, remarks: compileContract(root, undefined).remarks }))
    .leftOut;

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

it('a reference to a schema that is left out says so, with the reason', () => {
  const schemas = {
    Wrong: { type: 'strin' },
    Link: { properties: { a: refer('Wrong') } },
    Chain: { allOf: [refer('Link')] },
    Unused: refer('Wrong'),
  };
  const lines = leftOut(
    buildDocument({
      operation: { responses: { 200: { description: '', content: json(refer('Chain')) } } },
      components: { schemas },
    }),
  );
  expect(lines.join('\n')).not.toContain('leads nowhere');
  for (const line of lines) expect(line).toMatch(/must be equal to one of the allowed values/);
});

it('a reference to nothing still leads nowhere', () => {
  const operation = { responses: { 200: { description: '', content: json(refer('None')) } } };
  expect(leftOut(buildDocument({ operation })).join('\n')).toContain('leads nowhere in this document');
});

it.each<[string, unknown, string]>([
  ['a number', 1, '"1"'],
  ['nothing', undefined, '"none"'],
])('the version of the service may be %s', (_, version, text) => {
  const document = { ...buildDocument({}), info: { title: 'A', version } };
  expect(leftOut(document)).toEqual([
    `#/info/version is read as ${text}: #/info/version: is not a string, which OpenAPI requires`,
  ]);
});

it.each(['https://example.com/get.yaml', 'none.yaml', '#/none'])(
  'an operation that is a reference without a target, %s, is not served',
  (ref) => {
    const document = { ...buildDocument({}), paths: { '/a': { get: { $ref: ref } } } };
    expect(leftOut(document)).toEqual([
      expect.stringMatching(
        /^GET \/a is not served: #\/paths\/~1a\/get\/\$ref: this reference has no target in a file/,
      ),
    ]);
  },
);

const COMPONENTS: Readonly<Record<string, unknown>> = {
  schemas: { type: 'string' },
  responses: { description: '' },
  parameters: { name: 'a', in: 'query', schema: {} },
  examples: { value: 1 },
  requestBodies: { content: json({}) },
  headers: { schema: {} },
  securitySchemes: { type: 'http', scheme: 'bearer' },
  links: { operationRef: '#/paths/~1things/post' },
  callbacks: {},
  pathItems: {},
};

it.each(Object.keys(COMPONENTS))('a name that no component may have leaves out that one of %s', (section) => {
  const components = {
    [section]: { 'List«Foo»': COMPONENTS[section], 'a b': COMPONENTS[section], Good: COMPONENTS[section] },
  };
  expect(leftOut(buildDocument({ components }))).toEqual(
    ['List«Foo»', 'a b'].map((name): unknown =>
      expect.stringMatching(
        new RegExp(`^#/components/${section}/${name} is left out: .*: is not the name of a component`),
      ),
    ),
  );
});
