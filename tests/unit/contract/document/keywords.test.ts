import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Oas3_1Types } from '@redocly/openapi-core';
import { isObject, type JsonObject, members } from '../../../../src/contract/document/document';
import { type Kind, OBJECTS } from '../../../../src/contract/document/keywords';

const MODULES = join(__dirname, '../../../../node_modules');
const redocly: Readonly<Record<string, { readonly properties?: object }>> = Oas3_1Types;
const readJson = (...path: string[]) =>
  JSON.parse(readFileSync(join(MODULES, ...path), 'utf8')) as JsonObject;

/** The schema of OpenAPI 3.1 that the OpenAPI Initiative publishes, as a file of express-openapi-validator. */
const OPENAPI = readJson('express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json');
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
  /-or-reference$|^(paths|responses|callbacks|content|schema|security-requirement|examples|map-of-strings|specification-extensions|styles-for-form)$/;

/** Differences between the published schema and the text of OpenAPI 3.1.1. */
const CORRECTIONS: Readonly<Record<string, { readonly without?: string[]; readonly and?: string[] }>> = {
  Link: { without: ['body'], and: ['server'] }, // section 4.8.20: the schema names the server `body`
};

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

const published = (name: Kind, fields: readonly string[]): string[] => {
  const { without = [], and = [] } = CORRECTIONS[name] ?? {};
  return [...new Set([...fields, ...and])].filter((field) => !without.includes(field)).sort();
};
const inTable = (name: Kind) =>
  [...(OBJECTS.get(name)?.keywords.keys() ?? [])].filter((word) => !word.startsWith('x-')).sort();
const definitions = OPENAPI['$defs'] as JsonObject;

it('has each object that the published schema defines', () => {
  const unknown = Object.keys(definitions).filter((name) => !(name in NAMES) && !NO_FIELDS.test(name));
  expect(unknown).toEqual([]);
});

it.each(Object.entries(NAMES))(
  'has the fields of %s in the published schema, and no others',
  (definition, name) => {
    expect(inTable(name)).toEqual(published(name, fieldsOf(definitions[definition], OPENAPI)));
  },
);

it('has the fields of the document itself', () => {
  expect(inTable('OpenAPI')).toEqual(published('OpenAPI', fieldsOf(OPENAPI, OPENAPI)));
});

it('has the fields of each OAuth flow', () => {
  const flows = members((definitions['oauth-flows'] as JsonObject)['$defs']).map(([, flow]) => flow);
  expect(inTable('OAuthFlow')).toEqual(
    published(
      'OAuthFlow',
      flows.flatMap((flow) => fieldsOf(flow, OPENAPI)),
    ),
  );
});

it('has the keywords of each vocabulary of JSON Schema 2020-12, and those that OpenAPI adds', () => {
  const vocabularies = readdirSync(join(MODULES, VOCABULARIES)).map((name) => readJson(VOCABULARIES, name));
  const reserved = readJson('ajv/dist/refs/json-schema-2020-12/schema.json');
  const keywords = [...vocabularies, reserved].flatMap((schema) =>
    members(schema['properties']).map(([name]) => name),
  );
  // https://spec.openapis.org/oas/3.1/meta/base
  const added = ['discriminator', 'example', 'externalDocs', 'xml'];
  expect(inTable('Schema')).toEqual([...new Set([...keywords, ...added])].sort());
  expect(vocabularies).toHaveLength(7);
});

it.each([
  ['Discriminator' as const, 'Discriminator'],
  ['XML' as const, 'Xml'],
])('has the fields of %s, which the published schema leaves open', (name, known) => {
  const { properties = {} } = redocly[known] ?? {};
  expect(inTable(name)).toEqual(Object.keys(properties).sort());
});
