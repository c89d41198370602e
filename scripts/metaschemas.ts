/**
 * `tsx scripts/metaschemas.ts`: writes the validators of the schemas of OpenAPI and of JSON Schema. Run it after an upgrade of
 * ajv or of a schema. To compile them takes 0.1 s, a quarter of the start of a service.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { _, type AnySchemaObject, type Format, type Options } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import standaloneCode from 'ajv/dist/standalone';
import { fullFormats } from 'ajv-formats/dist/formats';
import { factorySchema } from 'express-openapi-validator/dist/framework/openapi/factory.schema';

export const FOLDER = 'packages/server/src/contract/document/compiled';

/** Stands for a format that the caller of the validator gives. */
const given: Format = () => true;

/** The validator of a schema as a module. It creates one from tests of formats, by their names. */
function moduleOf(
  schema: AnySchemaObject,
  formats: Readonly<Record<string, Format>>,
  options: Options = {},
): string {
  const code = { source: true, formats: _`formats` };
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateSchema: false,
    formats,
    ...options,
    code,
  });
  const [imports = '', body = ''] = standaloneCode(ajv, ajv.compile(schema)).split(
    /(?<=module\.exports\.default = \w+;)/,
  );
  const name = /module\.exports = (\w+);/.exec(imports)?.[1] ?? '';
  const lines = body
    .replaceAll(/\/\*# sourceURL=.*? \*\/;?/g, '')
    .replaceAll(/(?<=[;}])(?=(?:function validate|const (?:schema|formats|pattern|func))\d+\b)/g, '\n');
  return `// Written by scripts/metaschemas.ts.
// @ts-nocheck
import type { ValidateFunction } from 'ajv';
export const create = (formats: Readonly<Record<string, (text: string) => boolean>>): ValidateFunction => {
${lines}
return ${name};
};
`;
}

/** The text of each file. */
export function validators(): Readonly<Record<string, string>> {
  const file = require.resolve('@seriousme/openapi-schema-validator/schemas/v3.2/schema.json');
  const openapi32 = JSON.parse(readFileSync(file, 'utf8')) as AnySchemaObject;
  const jsonSchema = {
    type: 'object',
    properties: { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } },
  };
  return {
    'openapi-3.1.ts': moduleOf(factorySchema('3.1.0'), {
      uri: given,
      'uri-reference': fullFormats['uri-reference'],
      email: fullFormats.email,
      'media-range': true, // its schema says that it is not to be validated
    }),
    'openapi-3.2.ts': moduleOf(
      openapi32,
      { 'uri-reference': given, email: /^[^@\s]+@[^@\s]+$/, 'media-range': true },
      { verbose: true }, // which schema is violated
    ),
    'json-schema.ts': moduleOf(jsonSchema, { uri: given, 'uri-reference': given, regex: given }),
  };
}

if (require.main === module)
  for (const [name, text] of Object.entries(validators()))
    writeFileSync(path.join(__dirname, '..', FOLDER, name), text);
