import { changeLine, compareDocuments } from '../../src/breaking/changes';
import { isObject, OBJECTS } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { buildDocument } from '../../../../scripts/testing/service';

/*
 * Clients see no names of components: each section of `components` is renamed, with all that refers to it. What goes over the
 * wire, the values of a discriminator's mapping among it, stays as it is.
 */
const SECTIONS = [...(OBJECTS.get('Components')?.keywords ?? [])].flatMap(([section, { holds }]) =>
  holds ? [section] : [],
);

const ref = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` });
const kind = (own: object) => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { type: 'string' }, ...own },
});
const discriminator = (prefix: string) => ({
  propertyName: 'kind',
  mapping: { cat: ref('schemas', `${prefix}Cat`).$ref, dog: ref('schemas', `${prefix}Dog`).$ref },
});
const choice = (keyword: string) => ({
  [keyword]: [ref('schemas', 'Cat'), ref('schemas', 'Dog')],
  discriminator: discriminator(''),
});
const DOCUMENT = buildDocument({
  openapi: '3.2.0',
  paths: {
    '/things': {
      post: {
        operationId: 'postThing',
        security: [{ oauth: ['a'] }, { openId: [] }, { bearer: [] }, { key: [] }],
        parameters: [ref('parameters', 'Id')],
        requestBody: ref('requestBodies', 'Body'),
        responses: { 200: ref('responses', 'Answer') },
        callbacks: { done: ref('callbacks', 'Done') },
      },
    },
    '/others': ref('pathItems', 'Others'),
  },
  components: {
    schemas: {
      One: choice('oneOf'),
      Any: choice('anyOf'),
      Cat: kind({ a: { type: 'string' } }),
      Dog: kind({ b: { type: 'integer' } }),
      Parent: { ...kind({}), discriminator: discriminator('Own') },
      OwnCat: { allOf: [ref('schemas', 'Parent'), kind({ a: { type: 'string' } })] },
      OwnDog: { allOf: [ref('schemas', 'Parent'), kind({ b: { type: 'integer' } })] },
      Tree: { type: 'object', properties: { next: ref('schemas', 'Tree') } },
    },
    parameters: { Id: { name: 'id', in: 'query', schema: ref('schemas', 'Tree') } },
    headers: { Total: { schema: { type: 'integer' } } },
    requestBodies: { Body: { content: { 'application/json': ref('mediaTypes', 'Json') } } },
    mediaTypes: {
      Json: {
        schema: {
          properties: Object.fromEntries(
            ['One', 'Any', 'Parent', 'Tree'].map((name) => [name, ref('schemas', name)]),
          ),
        },
      },
    },
    responses: {
      Answer: {
        description: '',
        headers: { 'X-Total': ref('headers', 'Total') },
        content: { 'application/json': ref('mediaTypes', 'Json') },
      },
    },
    callbacks: {
      Done: {
        '{$request.body#/url}': { post: { requestBody: ref('requestBodies', 'Body'), responses: {} } },
      },
    },
    pathItems: {
      Others: { get: { operationId: 'getOthers', responses: { 200: ref('responses', 'Answer') } } },
    },
    securitySchemes: {
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://a.example', scopes: { a: '' } } },
      },
      openId: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example' },
      bearer: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'header', name: 'k' },
    },
    links: {},
    examples: {},
  },
});

/** Gives each name of a section another one. */
type Rename = (section: string, name: string) => string;
const isNew: Rename = (_, name) => `${name}Renamed`;
/** Each component has the name of the next one: every name is there as before, and stands for something else. */
const isNext: Rename = (section, name) => {
  const names = Object.keys((DOCUMENT['components'] as JsonObject)[section] as JsonObject);
  return names[(names.indexOf(name) + 1) % names.length] ?? name;
};

/** The document with other names for the members of these sections. */
function renamed(sections: readonly string[], rename = isNew): JsonObject {
  const walk = (value: unknown, at: string): unknown => {
    if (typeof value === 'string') {
      const section = sections.find((one) => value.startsWith(`#/components/${one}/`));
      const start = `#/components/${section}/`;
      return section === undefined ? value : start + rename(section, value.slice(start.length));
    }
    if (Array.isArray(value)) return value.map((item: unknown) => walk(item, `${at}/*`));
    if (!isObject(value)) return value;
    const isRequirement = at.endsWith('/security/*');
    const section = sections.find((one) =>
      isRequirement ? one === 'securitySchemes' : at === `/components/${one}`,
    );
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        section === undefined ? name : rename(section, name),
        walk(item, `${at}/${name}`),
      ]),
    );
  };
  return walk(DOCUMENT, '') as JsonObject;
}

describe.each([
  ['new', isNew],
  ['exchanged', isNext],
])('%s names', (_, rename) => {
  it.each([...SECTIONS.map((section) => [section]), SECTIONS])('of %s break nobody', (...sections) => {
    const is = renamed(sections, rename);
    for (const [was, later] of [
      [DOCUMENT, is],
      [is, DOCUMENT],
    ] as const)
      expect(
        compareDocuments(was, later)
          .filter(({ breaking }) => breaking)
          .map(changeLine),
      ).toEqual([]);
  });
});

it('a value that the mapping lacks now breaks, whatever the names are', () => {
  const later = structuredClone(renamed(['schemas'])) as {
    components: { schemas: Record<string, { discriminator: { mapping: object } }> };
  };
  for (const name of ['OneRenamed', 'AnyRenamed', 'ParentRenamed']) {
    const found = later.components.schemas[name];
    if (found) Reflect.deleteProperty(found.discriminator.mapping, 'cat');
  }
  const changes = compareDocuments(DOCUMENT, later as JsonObject).filter(({ breaking }) => breaking);
  for (const name of ['One', 'Any', 'Parent'])
    expect(changes.map(changeLine)).toContain(
      `breaking  #/components/schemas/${name}Renamed/discriminator/mapping: in requests: the name cat is gone`,
    );
});

it('each operation of a webhook that is gone breaks its receiver, and a new one nobody', () => {
  const operation = { responses: { 204: { description: '' } } };
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
  const all = Object.fromEntries(methods.map((method) => [method, operation]));
  const build = (item: object | undefined, direct: boolean) =>
    buildDocument({
      webhooks: item && { changed: direct ? item : ref('pathItems', 'Changed') },
      components: { pathItems: { Changed: item ?? {} } },
    });
  for (const direct of [true, false])
    for (const rest of [undefined, {}, ...methods.map((gone) => ({ ...all, [gone]: undefined }))]) {
      const [was, is] = [all, rest && (JSON.parse(JSON.stringify(rest)) as object)].map((item) =>
        build(item, direct),
      ) as [JsonObject, JsonObject];
      const missing = methods.filter(
        (method) => !is['webhooks'] || !(rest as Readonly<Record<string, unknown>> | undefined)?.[method],
      );
      const of = (changes: ReturnType<typeof compareDocuments>, end: string) =>
        changes.filter(({ message, breaking }) => message.endsWith(end) && breaking === (end === ' is gone'))
          .length;
      expect(of(compareDocuments(was, is), ' is gone')).toBe(missing.length);
      expect(of(compareDocuments(is, was), ' is new')).toBe(missing.length);
    }
});
