import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openapiOverlay } from 'openapi-format';
import ts from 'typescript';
import { parse, stringify } from 'yaml';
import { layOut } from '../../src/new/layout';
import { namesFrom } from '../../src/new/names';
import { readSource } from '../../src/document/source/source';
import type { JsonObject } from 'contract-first-server';
import { compileTexts, typesOfAll } from '../../../../scripts/testing/compile';
import { useFolder } from '../../../../scripts/testing/folder';
import { KEYWORDS } from '../support/keywords';

// A name of the document may be a word of the language, or one that the generated code uses: the service still compiles.

jest.setTimeout(600_000);

const folder = useFolder();
const text = { type: 'string' };
const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
const objectOf = (properties: object, more: object = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  ...more,
});
const inside = (name: string) => ({ name, in: 'path', required: true, schema: text });
const missing = { 404: json({ $ref: '#/components/schemas/Failure' }) };

/** Operations with a word as the name of a path, a schema, a property, a parameter, an envelope and an operation. */
function pathsOf(word: string, i: number) {
  const ref = { $ref: `#/components/schemas/${word}` };
  const requestBody = { required: true, content: { 'application/json': { schema: ref } } };
  const enveloped = objectOf({ [word]: { type: 'array', items: ref }, total: { type: 'integer' } });
  const apart = json(objectOf({ [word]: text, a: text }));
  const open = json(objectOf({ id: text, [word]: text }, { additionalProperties: true }));
  return {
    [`/${word}`]: {
      get: {
        operationId: `list${i}`,
        parameters: [{ name: word, in: 'query', schema: text }],
        responses: { 200: json(enveloped) },
      },
      post: { operationId: `make${i}`, requestBody, responses: { 201: json(ref) } },
    },
    [`/${word}/{id}`]: {
      parameters: [inside('id')],
      get: { operationId: word, responses: { 200: json(ref), ...missing } },
      put: { operationId: `put${i}`, requestBody, responses: { 200: json(ref), ...missing } },
    },
    [`/at${i}`]: {
      post: {
        operationId: `send${i}`,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: objectOf({ [word]: ref }) } },
        },
        responses: { 201: apart },
      },
    },
    [`/at${i}/{${word}}`]: {
      get: { operationId: `get${i}`, parameters: [inside(word)], responses: { 200: apart, ...missing } },
    },
    [`/open${i}/{id}`]: {
      get: { operationId: `open${i}`, parameters: [inside('id')], responses: { 200: open, ...missing } },
    },
  };
}

const documentOf = (words: readonly string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: Object.fromEntries(words.flatMap((word, i) => Object.entries(pathsOf(word, i)))),
  components: {
    schemas: {
      Failure: objectOf({ message: text }),
      ...Object.fromEntries(words.map((word) => [word, objectOf({ id: text, [word]: text })])),
    },
  },
});

type OverlaySet = Parameters<typeof openapiOverlay>[1]['overlaySet'];

/** The files of src/ of a service with these words, and its published document. */
async function layOutWith(words: readonly string[]) {
  const source = readSource(
    folder.write({ 'api.yaml': stringify(documentOf(words), { aliasDuplicateObjects: false }) }),
  );
  const names = namesFrom('shop', 'Shop');
  if (!names) throw new Error('expected names');
  const { files } = await layOut(source, names, '3.0.0');
  const overlaySet = parse(files['openapi/overlay.yaml'] ?? '') as OverlaySet;
  const { data } = (await openapiOverlay(structuredClone(source.document), { overlaySet })) as {
    data: JsonObject;
  };
  const code = Object.entries(files).filter(([file]) => /^src\/.*\.ts$/.test(file));
  return { code, published: data };
}

/** The files that have names of the document in their code. The list of handlers is filled later. */
const WRITTEN = /src\/(storage\/|seed|shop\/|handlers\/(?!index))/;

function identifiersIn(code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.ts', code, ts.ScriptTarget.Latest));
  return found;
}

test('compiles whatever words of the language, or of its own code, the document has as names', async () => {
  const { code } = await layOutWith(['carts']);
  const used = code.filter(([file]) => WRITTEN.test(file)).flatMap(([, text]) => identifiersIn(text));
  const inherited = Object.getOwnPropertyNames(Object.prototype);
  const words = [...new Set(['arguments', 'eval', ...KEYWORDS, ...inherited, ...used])].filter(
    (word) => word !== '__proto__',
  );
  expect(words.length).toBeGreaterThan(150);
  const size = 25;
  const batches = Array.from({ length: Math.ceil(words.length / size) }, (_, i) =>
    words.slice(i * size, (i + 1) * size),
  );
  const services = [];
  for (const batch of batches) services.push(await layOutWith(batch));
  const types = typesOfAll(services.map(({ published }) => published));
  const files = Object.fromEntries(
    services.flatMap(({ code }, i) => [
      [`${i}/generated/openapi.d.ts`, types[i]?.text ?? ''],
      ...code.map(([file, text]): [string, string] => [`${i}/${file}`, text]),
    ]),
  );
  folder.write(files);
  symlinkSync(join(__dirname, '../../../../node_modules'), folder.path('node_modules'));
  const { diagnosticsOf } = compileTexts(folder.path(''), files);
  const errors = Object.keys(files)
    .filter((file) => WRITTEN.test(file))
    .flatMap((file) =>
      diagnosticsOf(file).map(
        ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      ),
    );
  expect(errors).toEqual([]);
});
