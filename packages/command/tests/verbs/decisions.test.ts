import { parse } from 'yaml';
import { compareDocuments } from '../../src/breaking/changes';
import { decisionOn } from '../../src/breaking/decisions';
import { type Direction, joinPointer, type Kind, lastStep, OBJECTS } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';

/** Two values of each keyword that is a promise, and what stands beside it. Annotations are `a` and `b`. */
const SAMPLES = parse(`
OpenAPI:
  openapi: [3.2.0, 3.2.1]
  $self: [/a, /b]
  jsonSchemaDialect: ['https://example.com/a', 'https://example.com/b']
  servers: [[{url: /a}], [{url: 'https://example.com/'}]]
  paths: [{/a: {get: {responses: {204: {}}}}}, {/b: {get: {responses: {204: {}}}}}]
  webhooks: [{a: {post: {responses: {204: {}}}}}, {b: {post: {responses: {204: {}}}}}]
  components: [{schemas: {A: {}}}, {schemas: {A: {type: string}}}]
  security: [[{bearer: []}], [{key: []}]]
Server: {url: [/a, /b], variables: [{v: {default: a}}, {v: {default: b}}]}
ServerVariable: {enum: [[/v], [/v, /w]], default: [/v, /w]}
Components:
  schemas: [{A: {}}, {A: {type: string}}]
  responses: [{A: {}}, {A: {headers: {B: {}}}}]
  parameters: [{A: {name: a}}, {A: {name: b}}]
  requestBodies: [{A: {}}, {A: {required: true}}]
  headers: [{A: {}}, {A: {required: true}}]
  securitySchemes: [{A: {type: apiKey}}, {A: {type: http}}]
  callbacks: [{A: {}}, {A: {b: {get: {}}}}]
  pathItems: [{A: {}}, {A: {get: {}}}]
  mediaTypes: [{A: {}}, {A: {schema: {}}}]
Paths: {any: [{get: {responses: {204: {}}}}, {post: {responses: {204: {}}}}]}
PathItem:
  $ref: ['#/components/pathItems/One', '#/components/pathItems/Two']
  get: &operation [{responses: {204: {}}}, {responses: {205: {}}}]
  put: *operation
  post: *operation
  delete: *operation
  options: *operation
  head: *operation
  patch: *operation
  trace: *operation
  query: *operation
  additionalOperations: [{COPY: {responses: {204: {}}}}, {MOVE: {responses: {204: {}}}}]
  servers: [[{url: /a}], [{url: /b}]]
  parameters: [[{name: a, in: query}], [{name: b, in: query}]]
Operation:
  operationId: [one, two]
  parameters: [[{name: a, in: query}], [{name: b, in: query}]]
  requestBody: [{content: {text/plain: {}}}, {content: {text/html: {}}}]
  responses: [{204: {}}, {205: {}}]
  callbacks: [{a: {b: {get: {responses: {204: {}}}}}}, {a: {c: {get: {responses: {204: {}}}}}}]
  security: [[{bearer: []}], [{key: []}]]
  servers: [[{url: 'https://a.example/'}], [{url: 'https://b.example/'}]]
  x-body-limit: [1, 2]
Parameter:
  name: [a, b]
  in: [query, header]
  required: [true, false]
  allowEmptyValue: [true, 1]
  style: [spaceDelimited, pipeDelimited]
  explode: [false, true]
  allowReserved: [true, false]
  schema: [{type: string}, {type: integer}]
  content: [{application/json: {schema: {}}}, {application/a+json: {schema: {}}}]
RequestBody: {content: [{text/plain: {}}, {text/html: {}}], required: [true, false]}
MediaType:
  schema: [{type: string}, {type: integer}]
  encoding: [{a: {style: form}}, {a: {explode: false}}]
  prefixEncoding: [[{style: form}], [{explode: false}]]
  itemEncoding: [{style: form}, {explode: false}]
  itemSchema: [{type: string}, {type: integer}]
  x-item-schema: [{type: string}, {type: integer}]
Encoding:
  contentType: [text/plain, text/html]
  headers: [{A: {}}, {B: {}}]
  style: [form, pipeDelimited]
  explode: [true, false]
  allowReserved: [true, false]
  encoding: [{a: {style: form}}, {a: {explode: false}}]
  prefixEncoding: [[{style: form}], [{explode: false}]]
  itemEncoding: [{style: form}, {explode: false}]
Responses: {any: [{headers: {A: {}}}, {}]}
Response: {headers: [{A: {}}, {B: {}}], content: [{text/plain: {}}, {text/html: {}}]}
Callback: {any: [{get: {responses: {204: {}}}}, {post: {responses: {204: {}}}}]}
Header:
  required: [true, false]
  style: [form, spaceDelimited]
  explode: [true, false]
  schema: [{type: string}, {type: integer}]
  content: [{application/json: {schema: {}}}, {application/a+json: {schema: {}}}]
Reference: {$ref: ['#/components/parameters/One', '#/components/parameters/Two']}
Schema:
  $id: [a, b]
  $schema: [a, b]
  $ref: ['#/components/schemas/One', '#/components/schemas/Two']
  $dynamicRef: [a, b]
  $dynamicAnchor: [a, b]
  $vocabulary: [{a: true}, {b: true}]
  $recursiveAnchor: [true, false]
  $recursiveRef: [a, b]
  prefixItems: &schemas [[{type: string}], [{type: integer}]]
  items: &schema [{type: string}, {type: integer}]
  contains: *schema
  additionalProperties: *schema
  properties: &named [{a: {type: string}}, {a: {type: integer}}]
  patternProperties: *named
  dependentSchemas: *named
  propertyNames: *schema
  if: [{type: string}, {type: integer}, {then: {minimum: 1}}]
  then: [{type: string}, {type: integer}, {if: {minimum: 1}}]
  else: [{type: string}, {type: integer}, {if: {minimum: 1}}]
  allOf: *schemas
  anyOf: *schemas
  oneOf: *schemas
  not: *schema
  unevaluatedItems: *schema
  unevaluatedProperties: *schema
  type: [string, [string, integer]]
  const: [1, 2]
  enum: [[1], [1, 2]]
  multipleOf: [2, 4]
  maximum: &number [1, 2]
  exclusiveMaximum: *number
  minimum: *number
  exclusiveMinimum: *number
  maxLength: *number
  minLength: *number
  pattern: [a, b]
  maxItems: *number
  minItems: *number
  uniqueItems: [true, true]
  maxContains: [1, 2, {contains: {}}]
  minContains: [2, 3, {contains: {}}]
  maxProperties: *number
  minProperties: *number
  required: [[a], [a, b]]
  dependentRequired: [{a: [b]}, {a: [c]}]
  default: [1, 2]
  readOnly: [true, true]
  writeOnly: [true, true]
  format: [int32, int64]
  contentEncoding: [base64, base16]
  contentMediaType: [text/plain, text/html]
  contentSchema: *schema
  dependencies: [{a: [b]}, {a: [c]}]
  discriminator: [{propertyName: a}, {propertyName: b}, {oneOf: [{$ref: '#/components/schemas/One'}]}]
Discriminator:
  propertyName: [a, b, {mapping: {x: One}}]
  mapping: [{x: One}, {y: One}, {propertyName: a}]
  defaultMapping: [One, Two, {propertyName: a}]
SecurityScheme:
  type: [http, apiKey]
  name: [A, B, {type: apiKey, in: header}]
  in: [query, header, {type: apiKey, name: A}]
  scheme: [bearer, basic, {type: http}]
  bearerFormat: [JWT, SAML]
  flows: [{implicit: {}}, {password: {}}]
  openIdConnectUrl: [/a, /b]
OAuthFlows: {implicit: &flow [{scopes: {a: a}}, {scopes: {b: b}}], password: *flow, clientCredentials: *flow, authorizationCode: *flow, deviceAuthorization: *flow}
OAuthFlow: {authorizationUrl: [/a, /b], tokenUrl: [/a, /b], refreshUrl: [/a, /b], scopes: [{a: a}, {b: b}]}
SecurityRequirement: {any: [[], [a]]}
`) as Partial<Record<Kind, Record<string, [unknown, unknown, object?]>>>;

/** The name of a member of an object that is a map. */
const MEMBERS: Partial<Record<Kind, string>> = {
  Paths: '/new',
  Responses: '409',
  Callback: 'new',
  SecurityRequirement: 'bearer',
};

const POST = '/paths/~1things/post';
/** Where an object of each kind stands in the document. */
const PLACES: Record<Kind, string> = {
  OpenAPI: '',
  Info: '/info',
  Contact: '/info/contact',
  License: '/info/license',
  Server: '/servers/0',
  ServerVariable: '/servers/0/variables/v',
  Components: '/components',
  Paths: '/paths',
  PathItem: '/paths/~1things',
  Operation: POST,
  ExternalDocumentation: '/externalDocs',
  Parameter: `${POST}/parameters/0`,
  RequestBody: `${POST}/requestBody`,
  MediaType: 'BODY',
  Encoding: `${POST}/requestBody/content/application~1x-www-form-urlencoded/encoding/a`,
  Responses: `${POST}/responses`,
  Response: `${POST}/responses/200`,
  Callback: `${POST}/callbacks/c`,
  Example: 'BODY/examples/e',
  Link: `${POST}/responses/200/links/l`,
  Header: `${POST}/responses/200/headers/H`,
  Tag: '/tags/0',
  Reference: `${POST}/parameters/1`,
  Schema: 'BODY/schema',
  Discriminator: 'BODY/schema/discriminator',
  XML: 'BODY/schema/xml',
  SecurityScheme: '/components/securitySchemes/bearer',
  OAuthFlows: '/components/securitySchemes/login/flows',
  OAuthFlow: '/components/securitySchemes/login/flows/implicit',
  SecurityRequirement: '/security/0',
};
const BODIES: Record<Direction, string> = {
  request: `${POST}/requestBody/content/application~1json`,
  response: `${POST}/responses/200/content/application~1json`,
};

/** A document with these members in the object of a kind. */
function build(kind: Kind, direction: Direction, members: JsonObject): JsonObject {
  const root = JSON.parse(
    JSON.stringify({
      openapi: '3.2.0',
      info: { title: 'a', version: '1', contact: {}, license: {} },
      servers: kind.startsWith('Server') ? [{ url: '{v}', variables: { v: { default: '/v' } } }] : [],
      security: [{ bearer: ['x'] }],
      tags: [{}],
      externalDocs: {},
      paths: {
        '/things': { post: { responses: { 200: { headers: {}, links: {} } }, callbacks: { c: {} } } },
      },
      components: {
        schemas: { One: { type: 'string' }, Two: { type: 'integer' } },
        parameters: { One: { name: 'one', in: 'query' }, Two: { name: 'two', in: 'query' } },
        pathItems: {
          One: { get: { responses: { 204: {} } } },
          Two: { put: { responses: { 204: {} } } },
        },
        securitySchemes: {
          bearer: kind === 'SecurityScheme' ? {} : { type: 'http', scheme: 'bearer' },
          key: { type: 'apiKey', in: 'header', name: 'K' },
          login: { type: 'oauth2', flows: {} },
        },
      },
    }),
  ) as JsonObject;
  const place = PLACES[kind].replace('BODY', BODIES[direction]);
  if (kind === 'Components') {
    return { openapi: '3.2.0', components: members };
  }
  const steps = place === '' ? [] : place.split('/').slice(1);
  let here = root as Record<string, unknown>;
  for (const step of steps) {
    const key = lastStep(`/${step}`);
    here[key] ??= ['parameters'].includes(key) ? [{}, {}] : {};
    here = here[key] as Record<string, unknown>;
  }
  if (kind === 'Discriminator') {
    const schema = steps
      .slice(0, -1)
      .reduce<unknown>((at, step) => Reflect.get(at as object, lastStep(`/${step}`)), root);
    Object.assign(schema as object, { oneOf: [{ $ref: '#/components/schemas/One' }] });
  }
  if (kind === 'Parameter') Object.assign(here, { name: 'p', in: 'query', schema: {} });
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) Reflect.deleteProperty(here, name);
    else here[name] = value;
  }
  return root;
}

const KEYWORDS = [...OBJECTS.values()].flatMap(({ name: kind, keywords, others }) =>
  [...(others ? ['any'] : keywords.keys())].map((keyword) => [`${kind} ${keyword}`, kind, keyword] as const),
);

describe.each(['request', 'response'] as const)('in a %s', (direction) => {
  it.each(KEYWORDS)('%s changes as its decision says', (_, kind, keyword) => {
    const decision = decisionOn(kind, keyword, direction);
    expect(decision).toMatch(/^[BLV-]{3}$/);
    const samples = SAMPLES[kind]?.[keyword];
    if (decision !== '---') expect(samples).toBeDefined();
    const [a, b, beside] = samples ?? ['a', 'b'];
    const name = MEMBERS[kind] ?? keyword;
    const document = (value?: unknown) => build(kind, direction, { ...beside, [name]: value });
    const outcomes = [
      [document(), document(a)],
      [document(a), document()],
      [document(a), document(b)],
    ].map(([was = {}, is = {}], i) => {
      const changes = compareDocuments(was, is);
      const outcome = changes.length === 0 ? '-' : changes.some(({ breaking }) => breaking) ? 'B' : 'L';
      // An unchanged value has no third outcome.
      if (i === 2 && a === b) return decision?.[i];
      return decision?.[i] === 'V' && outcome !== '-' ? 'V' : outcome;
    });
    expect(outcomes.join('')).toBe(decision);
  });
});

it('a default of a parameter breaks', () => {
  const document = (schema: object) => build('Parameter', 'request', { schema });
  const lines = compareDocuments(document({ default: 1 }), document({ default: 2 }));
  expect(lines).toEqual([
    {
      pointer: joinPointer(PLACES.Parameter, 'schema', 'default'),
      message: 'in requests: default was 1, is 2',
      breaking: true,
    },
  ]);
});
