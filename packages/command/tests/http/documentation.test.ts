import {
  compileContract,
  isObject,
  joinPointer,
  keywordAt,
  walk,
  type Walked,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { toMockable } from '../../src/mock/document';
import { buildDocument, json } from '../../../../scripts/testing/service';

const url = 'https://example.com/a';
const scopes = { read: 'a' };
const text = {
  type: 'string',
  title: 'a',
  description: 'a',
  $comment: 'a',
  deprecated: true,
  examples: ['a'],
  example: 'a',
};
const contact = { name: 'a', url, email: 'a@example.com' };
const example = { summary: 'a', description: 'a', value: 'a', externalValue: url };

/** A document with everything that only documentation needs. */
const DOCUMENT: JsonObject = {
  ...buildDocument({
    operation: {
      tags: ['a'],
      summary: 'a',
      description: 'a',
      externalDocs: { description: 'a', url },
      deprecated: true,
      security: [{ A: [] }, { B: ['read'] }, { C: [] }],
      parameters: [
        {
          name: 'q',
          in: 'query',
          description: 'a',
          deprecated: true,
          schema: text,
          examples: { a: example },
        },
        { name: 'r', in: 'query', schema: text, example: 'a' },
      ],
      requestBody: {
        description: 'a',
        content: {
          'application/json': {
            schema: { ...text, externalDocs: { url }, xml: { name: 'a', namespace: url, prefix: 'a' } },
            example: 'a',
          },
        },
      },
      responses: {
        200: {
          description: 'a',
          headers: { A: { description: 'a', deprecated: true, schema: text, example: 'a' } },
          content: json(text),
          links: {
            a: {
              operationId: 'postThing',
              description: 'a',
              parameters: { q: 'a' },
              server: { url, description: 'a' },
            },
          },
        },
      },
      callbacks: { a: { '{$request.query.q}': { post: { responses: { 200: { description: 'a' } } } } } },
    },
  }),
  info: {
    title: 'a',
    version: '1',
    summary: 'a',
    description: 'a',
    termsOfService: url,
    contact,
    license: { name: 'a', url },
  },
  servers: [{ url: '/', description: 'a' }],
  tags: [{ name: 'a', description: 'a', externalDocs: { url } }],
  externalDocs: { description: 'a', url },
  components: {
    securitySchemes: {
      A: { type: 'openIdConnect', openIdConnectUrl: url, description: 'a' },
      B: {
        type: 'oauth2',
        flows: {
          implicit: { authorizationUrl: url, refreshUrl: url, scopes },
          password: { tokenUrl: url, refreshUrl: url, scopes },
          clientCredentials: { tokenUrl: url, scopes },
          authorizationCode: { authorizationUrl: url, tokenUrl: url, scopes },
        },
      },
      C: { type: 'http', scheme: 'bearer', bearerFormat: 'a' },
    },
  },
};

/** What can be wrong with a value; `undefined` for one that is absent. */
const FAULTS: readonly (readonly [string, unknown])[] = [
  ['is absent', undefined],
  ['is no URL', 'https://example.com/{a} b'],
  ['is a number', 1],
  ['is an object with an unknown field', { unknown: true }],
];

/** The pointers of the fields of an object that the table calls documented. */
function documentedFields({ kind, pointer, value }: Walked): string[] {
  const fields = Object.keys(value).filter((name) => keywordAt(kind, name)?.support === 'documented');
  return fields.map((name) => joinPointer(pointer, name));
}

const places: string[] = [];
walk({ pointer: '', value: DOCUMENT, expected: 'OpenAPI', documented: false }, (walked) => {
  places.push(...documentedFields(walked));
});

function withFault(pointer: string, fault: unknown): JsonObject {
  const document = structuredClone(DOCUMENT);
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const name = steps.pop() ?? '';
  let holder: unknown = document;
  for (const step of steps) holder = (holder as Record<string, unknown>)[step];
  if (!isObject(holder)) throw new Error(`expected an object at ${pointer}`);
  if (fault === undefined) Reflect.deleteProperty(holder, name);
  else Object.assign(holder, { [name]: fault });
  return document;
}

/** The number of operations that the mock serves. */
const served = (document: JsonObject): number | undefined =>
  toMockable(document, (mockable) => {
    const { served, remarks } = compileContract(mockable, {}, 'at first use');
    return { built: served.size, remarks };
  }).built;

it('derives the places from the table of keywords', () => {
  expect(places.length).toBeGreaterThan(70);
});

it.each(FAULTS)('what only documentation needs takes no operation with it when it %s', (_, fault) => {
  const taken = places.filter((place) => {
    try {
      return served(withFault(place, fault)) !== 1;
    } catch {
      return true;
    }
  });
  expect(taken).toEqual([]);
});
