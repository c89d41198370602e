import Ajv2020 from 'ajv/dist/2020';
import published from '@seriousme/openapi-schema-validator/schemas/v3.2/schema.json';
import { OBJECTS, OpenApiDocument } from 'contract-first-server/tools';
import { buildDocument } from '../../../../../scripts/testing/service';
import { accountOf, completeDocument, edited, objects } from './complete';
import { everyOf } from '../../../../../scripts/testing/cases';

/** Each field that OpenAPI 3.2 adds, with the objects of the complete document that may have it. */
const ADDED = [...OBJECTS.values()].flatMap(({ name: kind, keywords }) =>
  [...keywords].flatMap(([field, { since }]) => (since === '3.2' ? [[kind, field] as const] : [])),
);
const ALL = objects(completeDocument());
const placeOf = (kind: string) => ALL.find((one) => one.kind === kind && !one.documented)?.pointer ?? '';

// Any value is that of `dataValue`.
it.each(ADDED.filter(([, field]) => field !== 'dataValue'))(
  'a wrong value of %s %s is refused with its place',
  (kind, field) => {
    const place = placeOf(kind);
    const { findings } = accountOf(edited(place, (value) => (value[field] = 3)));
    expect(findings).toContainEqual(expect.stringContaining(`${place}/${field}: `));
  },
);

it.each(ADDED)('%s %s is no field of OpenAPI 3.1', (kind, field) => {
  const place = placeOf(kind);
  const document = edited(place, (value) => (value[field] = 'a'));
  const { findings } = accountOf({ ...document, openapi: '3.1.1' });
  const message = 'OpenAPI 3.2 adds it: set openapi to 3.2.0';
  expect(findings.filter((one) => one.startsWith(`${place}/${field}: `))).toContainEqual(
    expect.stringContaining(message),
  );
});

const ajv = new Ajv2020({
  strict: false,
  formats: { 'uri-reference': true, email: true, 'media-range': true },
});
const conforms = ajv.compile(published);
const WORDS = [
  ...new Set(['x-own', ...[...OBJECTS.values()].flatMap(({ keywords }) => [...keywords.keys()])]),
];
const VALUES = [3, 'a', {}, [], true];

it.each(everyOf([...OBJECTS.keys()], 5))('what the published schema refuses of %s is refused', (kind) => {
  const place = placeOf(kind);
  const owner = ALL.find(({ pointer }) => pointer === place)?.value ?? {};
  const changed = WORDS.map((word, i) => edited(place, (value) => (value[word] = VALUES[i % VALUES.length])));
  const reduced = Object.keys(owner).map((word) =>
    edited(place, (value) => Reflect.deleteProperty(value, word)),
  );
  // What only documentation needs is a remark.
  const isServed = ({ findings, remarks }: OpenApiDocument) =>
    findings.length === 0 && !remarks.some(({ message }) => message.includes('only documentation needs it'));
  const served = [...changed, ...reduced].filter((one) => isServed(new OpenApiDocument(one)));
  expect(served.filter((one) => !conforms(one))).toEqual([]);
  expect(served).not.toEqual([]);
});

const text = { schema: { type: 'string' } };
const json = { 'application/json': text };
const components = (section: string, value: object) => ({ components: { [section]: { A: value } } });
const operation = (more: object) => ({ operation: more });
const parameters = (...all: object[]) => all.map((one, i) => ({ name: `p${i}`, ...one }));
const whole = { in: 'querystring', content: json };
const POST = '/paths/~1things/post';
const A = (section: string) => `/components/${section}/A`;

it.each<[what: string, document: object, finding: string]>([
  ['a $self with a fragment', { $self: 'https://a.example/#a' }, '/$self: must match pattern'],
  [
    'query and querystring',
    operation({ parameters: parameters(whole, { in: 'query', ...text }) }),
    `${POST}/parameters: has parameters in query beside one in querystring`,
  ],
  [
    'two querystrings',
    operation({ parameters: parameters(whole, whole) }),
    `${POST}/parameters: has several parameters in querystring`,
  ],
  [
    'a querystring of any type',
    operation({ parameters: parameters({ in: 'querystring', content: { '*/*': {} } }) }),
    `${POST}/parameters/0: p0 cannot be served: expected a form, JSON or text, got */*`,
  ],
  [
    'a querystring of items',
    operation({
      parameters: parameters({ in: 'querystring', content: { 'application/jsonl': { itemSchema: {} } } }),
    }),
    `${POST}/parameters/0/content/application~1jsonl: only a body can have items or be a stream`,
  ],
  [
    'allowReserved in a header',
    components('parameters', { name: 'a', in: 'header', allowReserved: true, ...text }),
    `${A('parameters')}/allowReserved: has no meaning here`,
  ],
  [
    'schema and content',
    components('parameters', { name: 'a', in: 'query', content: json, ...text }),
    `${A('parameters')}: has schema and content: only one of the two is possible`,
  ],
  [
    'a token URL of an implicit flow',
    components('securitySchemes', {
      type: 'oauth2',
      flows: { implicit: { authorizationUrl: '/a', tokenUrl: '/b', scopes: {} } },
    }),
    `${A('securitySchemes')}/flows/implicit/tokenUrl: has no meaning here`,
  ],
  [
    'value beside dataValue',
    components('examples', { value: 1, dataValue: 1 }),
    `${A('examples')}/dataValue: is not possible beside value`,
  ],
  [
    'example beside examples',
    components('mediaTypes', { example: 1, examples: {} }),
    `${A('mediaTypes')}/examples: is not possible beside example`,
  ],
  [
    'encoding beside itemEncoding',
    components('mediaTypes', { encoding: {}, itemEncoding: {} }),
    `${A('mediaTypes')}/itemEncoding: is not possible beside encoding`,
  ],
  [
    'itemSchema beside x-item-schema',
    operation({ requestBody: { content: { 'application/jsonl': { itemSchema: {}, 'x-item-schema': {} } } } }),
    `${POST}/requestBody/content/application~1jsonl/x-item-schema: cannot be beside itemSchema`,
  ],
  [
    'a media type by a lost reference',
    operation({ requestBody: { content: { 'text/plain': { $ref: '#/components/mediaTypes/none' } } } }),
    `${POST}/requestBody/content/text~1plain/$ref: "#/components/mediaTypes/none" leads nowhere in this document`,
  ],
  [
    'the name of a header',
    components('responses', { headers: { 'a=b': text } }),
    `${A('responses')}/headers/a=b: is not the name of a header`,
  ],
  [
    'a parent that is no tag',
    { tags: [{ name: 'a', parent: 'b' }] },
    '/tags/0/parent: "b" is not the name of a tag',
  ],
  [
    'a circle of tags',
    {
      tags: [
        { name: 'a', parent: 'b' },
        { name: 'b', parent: 'a' },
      ],
    },
    '/tags/0/parent: leads to a cycle of tags',
  ],
  [
    'nodeType beside attribute',
    components('schemas', { xml: { nodeType: 'text', attribute: true } }),
    `${A('schemas')}/xml/nodeType: expected element`,
  ],
  [
    'a scheme by a lost URI',
    operation({ security: [{ '#/components/securitySchemes/A': [] }] }),
    `${POST}/security/0/#~1components~1securitySchemes~1A: is not among`,
  ],
])('%s is refused with its place', (_, fields, finding) => {
  const { findings } = accountOf(buildDocument({ openapi: '3.2.0', ...fields }));
  expect(findings).toEqual([expect.stringContaining(finding)]);
});

it.each<[what: string, document: object]>([
  ['a response without a description', operation({ responses: { 204: { summary: 'done' } } })],
  ['a dialect of OpenAPI', { jsonSchemaDialect: 'https://spec.openapis.org/oas/3.2/dialect/2025-09-17' }],
  ['a relative $self', { $self: '/api/openapi' }],
  [
    'allowReserved in a path',
    components('parameters', { name: 'a', in: 'path', required: true, allowReserved: true, ...text }),
  ],
  [
    'a tag below another',
    {
      tags: [
        { name: 'a', kind: 'nav', summary: 'A' },
        { name: 'b', parent: 'a' },
      ],
    },
  ],
  [
    'schemes that are deprecated',
    components('securitySchemes', { type: 'oauth2', deprecated: true, oauth2MetadataUrl: '/a', flows: {} }),
  ],
  ['a name of a server', { servers: [{ url: '/', name: 'here' }] }],
  ['nodes of XML', components('schemas', { xml: { nodeType: 'cdata' } })],
])('%s is served', (_, fields) => {
  expect(accountOf(buildDocument({ openapi: '3.2.0', ...fields }))).toEqual({ findings: [], remarks: [] });
});
