import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import ts from 'typescript';
import { readDocument } from 'contract-first-server';
import { OpenApiDocument, writeDocument } from 'contract-first-server/tools';
import { valuesFile } from '../../src/generate/values';
import { compileTexts, typesOf } from '../../../../scripts/testing/compile';
import { DOCUMENTS, readFiles } from '../../../../scripts/testing/document-server';

jest.setTimeout(600_000);

const documentOf = (schemas: object, paths: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Values', version: '1.0.0' },
  paths,
  components: { schemas },
});
/** Read from its text, so that large integers are bigints. */
const valuesOf = (root: object) => valuesFile(new OpenApiDocument(readDocument(writeDocument(root))));

type Exports = Readonly<Record<string, readonly unknown[] | ((value: unknown) => boolean)>>;
const run = (text: string): Exports => {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const exports = {};
  runInNewContext(outputText, { exports });
  return exports;
};
const listed = (root: object): Record<string, unknown[]> =>
  Object.fromEntries(
    Object.entries(run(valuesOf(root))).flatMap(([name, list]) =>
      typeof list === 'function' ? [] : [[name, [...list]]],
    ),
  );

const answer = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });

test('the list of one enum may not have the name of the guard of another', () => {
  const names = [
    'isColor',
    'ColorValues',
    'isIsColor',
    'IsColorValues',
    'isColorValues',
    'ColorValuesValues',
  ];
  const schemas = Object.fromEntries(names.map((name, i) => [name, { enum: [`value ${i}`] }]));
  const text = valuesOf(documentOf(schemas));
  const exported = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
  expect(new Set(exported).size).toBe(2 * names.length);
  expect(exported).toHaveLength(2 * names.length);
});

test('each enum has a name that says where it is', () => {
  const color = { type: 'string', enum: ['red', 'blue'] };
  const root = documentOf(
    {
      Status: { enum: ['open', 'closed'] },
      'big-cat.v2': color,
      Painting: {
        allOf: [{ properties: { status: color, tags: { items: { type: 'string', enum: ['a'] } } } }],
        additionalProperties: { enum: [1, 2] },
      },
    },
    {
      '/paintings': {
        parameters: [{ name: 'page-size', in: 'query', schema: { enum: [10, 50] } }],
        get: {
          operationId: 'listPaintings',
          parameters: [{ name: 'order', in: 'query', schema: { enum: ['up', 'down'] } }],
          requestBody: { content: { 'application/json': { schema: { properties: { kind: color } } } } },
          responses: {
            200: {
              ...answer({ enum: ['x'] }),
              headers: { 'X-Cache': { schema: { enum: ['hit', 'miss'] } } },
            },
          },
        },
      },
    },
  );
  expect(Object.keys(listed(root))).toEqual([
    'paintingsPageSizeValues',
    'listPaintingsOrderValues',
    'listPaintingsBodyKindValues',
    'listPaintingsResponse200Values',
    'listPaintingsResponse200XCacheValues',
    'statusValues',
    'bigCatV2Values',
    'paintingStatusValues',
    'paintingTagsItemValues',
    'paintingValueValues',
  ]);
});

test('the values are those that handlers receive, and the guards accept no other', () => {
  const large = 2n ** 60n + 1n;
  const root = documentOf({
    Text: { type: ['string', 'null'], enum: ['it\'s "it"', 'a\\b', '', '\u2028', null, 7] },
    Count: { type: 'integer', enum: [1, 2.5, -3] },
    Id: { type: 'integer', format: 'int64', enum: [1, large] },
    Rounded: { type: 'integer', enum: [large] },
    Lists: { enum: [['a'], 'b'] },
    Never: { type: 'string', enum: [1] },
  });
  const exports = run(valuesOf(root));
  expect(listed(root)).toEqual({
    textValues: ['it\'s "it"', 'a\\b', '', '\u2028', null],
    countValues: [1, -3],
    idValues: [1n, large],
  });
  const accepts = (name: string, value: unknown) => (exports[name] as (value: unknown) => boolean)(value);
  expect([null, '', 'a\\b', 'b', undefined, 7, ['']].map((one) => accepts('isText', one))).toEqual([
    ...[true, true, true],
    ...[false, false, false, false],
  ]);
  expect([1n, large, 1, String(large)].map((one) => accepts('isId', one))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('one name has one list, and names that differ in case or signs only are numbered', () => {
  expect(
    listed(
      documentOf({
        color: { enum: ['a'] },
        Color: { enum: ['b'] },
        'col-or': { enum: ['c'] },
        COLOR: { enum: ['a'] },
        '2fa': { enum: ['d'] },
        '---': { enum: ['e'] },
      }),
    ),
  ).toEqual({
    colorValues: ['a'],
    color2Values: ['b'],
    colOrValues: ['c'],
    _2faValues: ['d'],
    enumValues: ['e'],
  });
});

test('without an enum there is no text', () => {
  expect(valuesOf(documentOf({ Name: { type: 'string' } }))).toBe('');
});

const errorsOf = (files: Record<string, string>): string[] => {
  const { diagnosticsOf } = compileTexts(__dirname, files);
  return Object.keys(files).flatMap((name) =>
    diagnosticsOf(name).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
};

test('the values have the types of the document, and a guard narrows to them', () => {
  const status = { type: 'string', enum: ['open', 'closed'] };
  const id = { type: 'integer', format: 'int64', enum: [1, 2] };
  const root = documentOf({ Painting: { type: 'object', required: ['id'], properties: { status, id } } });
  const use = `
    import type { components } from './openapi';
    import { isPaintingStatus, paintingStatusValues, paintingIdValues } from './values';
    type Painting = components['schemas']['Painting'];
    export const first: readonly Required<Painting>['status'][] = paintingStatusValues;
    export const ids: readonly Painting['id'][] = paintingIdValues;
    export const read = (text: string): Painting['status'] => (isPaintingStatus(text) ? text : undefined);
    // @ts-expect-error a text that is not checked
    export const unchecked = (text: string): Painting['status'] => text;`;
  expect(errorsOf({ 'openapi.d.ts': typesOf(root), 'values.ts': valuesOf(root), 'use.ts': use })).toEqual([]);
});

test('the values of every document compile, and so do those of any names and values', async () => {
  const files: Record<string, string> = {};
  for (const name of DOCUMENTS) files[`${name}.ts`] = valuesOf(await readFiles(name));
  const text = fc.string({ unit: 'binary', maxLength: 12 });
  const named = fc.oneof(
    text,
    fc.constantFrom('default', 'class', 'Object', 'OneOf', 'has value', '__proto__', 'Await'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(named, fc.array(text, { minLength: 1, maxLength: 3 }))), (all) => {
      const schemas = Object.fromEntries(all.map(([name, values]) => [name, { enum: values }]));
      files[`generated-${Object.keys(files).length}.ts`] = valuesOf(documentOf(schemas));
    }),
    { numRuns: 50, seed: 1 },
  );
  expect(errorsOf(files)).toEqual([]);
});
