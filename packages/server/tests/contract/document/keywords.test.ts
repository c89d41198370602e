import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Oas3_1Types } from '@redocly/openapi-core';
import { isObject, type JsonObject, members } from '../../../src/contract/document/document';
import { type Kind, OBJECTS, type Version } from '../../../src/contract/document/keywords';

const MODULES = join(__dirname, '../../../../../node_modules');
const redocly: Readonly<Record<string, { readonly properties?: object }>> = Oas3_1Types;
const readJson = (...path: string[]) =>
  JSON.parse(readFileSync(join(MODULES, ...path), 'utf8')) as JsonObject;

/** The schemas that the OpenAPI Initiative publishes, as files of packages. */
const PUBLISHED: readonly (readonly [Version, JsonObject])[] = [
  ['3.1', readJson('express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json')],
  ['3.2', readJson('@seriousme/openapi-schema-validator/schemas/v3.2/schema.json')],
];
const VOCABULARIES = 'ajv/dist/refs/json-schema-2020-12/meta';

/** The name in the specification of each definition of that schema. */
const NAMES: Readonly<Record<string, Kind>> = {
  info: 'Info',
  contact: 'Contact',
  license: 'License',
  server: 'Server',
  'server-variable': 'ServerVariable',
  components: 'Components',
  'path-item': 'PathItem',
  operation: 'Operation',
  'external-documentation': 'ExternalDocumentation',
  parameter: 'Parameter',
  'request-body': 'RequestBody',
  'media-type': 'MediaType',
  encoding: 'Encoding',
  response: 'Response',
  example: 'Example',
  link: 'Link',
  header: 'Header',
  tag: 'Tag',
  reference: 'Reference',
  'security-scheme': 'SecurityScheme',
  'oauth-flows': 'OAuthFlows',
};

/** Definitions without fixed fields, and parts of others. */
const NO_FIELDS =
  /-or-reference$|^(paths|parameters|responses|callbacks|content|schema|security-requirement|examples|map-of-strings|specification-extensions|styles-for-form|explode-for-form|token)$/;

/** A difference between a published schema and the text: in 3.1 section 4.8.20 the server of a link is named `body`. */
const corrected = (name: Kind, field: string) => (name === 'Link' && field === 'body' ? 'server' : field);

/** All fields that a schema names for the value itself. */
function fieldsOf(schema: unknown, root: JsonObject): string[] {
  if (!isObject(schema)) return [];
  const inPlace = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => [schema[keyword] ?? []].flat());
  const branches = [
    schema['if'],
    schema['then'],
    schema['else'],
    ...members(schema['dependentSchemas']).map(([, s]) => s),
  ];
  const { $ref: ref } = schema;
  const steps =
    typeof ref === 'string' && /^#\/\$defs\/(?!specification-extensions)/.test(ref)
      ? ref.split('/').slice(1)
      : [];
  const target =
    steps.length > 0 &&
    steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), root);
  const others = [...inPlace, ...branches, target].flatMap((part) => fieldsOf(part, root));
  return [...members(schema['properties']).map(([name]) => name), ...others];
}

const published = (name: Kind, fields: readonly string[]): string[] =>
  [...new Set(fields.map((field) => corrected(name, field)))].sort();
/** The fields of the table that a version has. */
const inTable = (name: Kind, version: Version) =>
  [...(OBJECTS.get(name)?.keywords ?? [])]
    .flatMap(([word, { since }]) => (word.startsWith('x-') || since > version ? [] : [word]))
    .sort();

describe.each(PUBLISHED)('OpenAPI %s', (version, schema) => {
  const definitions = schema['$defs'] as JsonObject;

  it('has each object that the published schema defines', () => {
    const unknown = Object.keys(definitions).filter((name) => !(name in NAMES) && !NO_FIELDS.test(name));
    expect(unknown).toEqual([]);
  });

  it.each(Object.entries(NAMES))(
    'has the fields of %s in the published schema, and no others',
    (definition, name) => {
      expect(inTable(name, version)).toEqual(published(name, fieldsOf(definitions[definition], schema)));
    },
  );

  it('has the fields of the document itself', () => {
    expect(inTable('OpenAPI', version)).toEqual(published('OpenAPI', fieldsOf(schema, schema)));
  });

  it('has the fields of each OAuth flow', () => {
    const flows = members((definitions['oauth-flows'] as JsonObject)['$defs']).map(([, flow]) => flow);
    const fields = flows.flatMap((flow) => fieldsOf(flow, schema));
    expect(inTable('OAuthFlow', version)).toEqual(published('OAuthFlow', fields));
  });

  it('has the objects that a reference may replace', () => {
    const referring = Object.keys(definitions).flatMap((name) => /^(.*)-or-reference$/.exec(name)?.[1] ?? []);
    const kinds = referring.map((name) => (name === 'callbacks' ? 'Callback' : NAMES[name]));
    const inTheTable = [...OBJECTS.values()].filter(({ referable }) => referable && referable <= version);
    expect(inTheTable.map(({ name }) => name).sort()).toEqual(kinds.sort());
  });
});

it('has the keywords of each vocabulary of JSON Schema 2020-12, and those that OpenAPI adds', () => {
  const vocabularies = readdirSync(join(MODULES, VOCABULARIES)).map((name) => readJson(VOCABULARIES, name));
  const reserved = readJson('ajv/dist/refs/json-schema-2020-12/schema.json');
  const keywords = [...vocabularies, reserved].flatMap((schema) =>
    members(schema['properties']).map(([name]) => name),
  );
  // https://spec.openapis.org/oas/3.1/meta/base, and that of 3.2
  const added = ['discriminator', 'example', 'externalDocs', 'xml'];
  expect(inTable('Schema', '3.2')).toEqual([...new Set([...keywords, ...added])].sort());
  expect(vocabularies).toHaveLength(7);
});

it.each([
  ['Discriminator' as const, 'Discriminator'],
  ['XML' as const, 'Xml'],
])('has the fields of %s in OpenAPI 3.1, which the published schema leaves open', (name, known) => {
  const { properties = {} } = redocly[known] ?? {};
  expect(inTable(name, '3.1')).toEqual(Object.keys(properties).sort());
});
