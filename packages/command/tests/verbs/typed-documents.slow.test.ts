import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { toServable } from '../../src/new/servable';
import { readSource } from '../../src/document/source/source';
import {
  isJson,
  isObject,
  joinPointer,
  members,
  OpenApiDocument,
  readOperations,
} from 'contract-first-server/tools';
import { type TypedPlace, typedValues, valuesText, wronglyAssigned } from '../support/assignable';
import { compileTexts, typesOfAll } from '../../../../scripts/testing/compile';

const ROOT = join(__dirname, '../../../..');
const EXAMPLES = join(ROOT, 'node_modules/@readme/oas-examples');
const filesIn = (folder: string) => readdirSync(folder).map((name) => join(folder, name));
const [LATER, EARLIER] = ['3.1', '3.0'].map((version) => filesIn(join(EXAMPLES, version, 'json')));
/** Documents that others wrote, of an npm package, each in one version, and our own. `make documents` has larger ones. */
const PUBLIC = [
  ...new Map([...(EARLIER ?? []), ...(LATER ?? [])].map((file) => [basename(file), file])).values(),
].filter(
  (file) => file.endsWith('.json') && !file.endsWith('schema-validation-top-level.json'), // of another dialect
);
const OWN = filesIn(join(ROOT, 'scripts/testing/documents')).filter((file) => file.endsWith('.yaml'));

/** The bodies of JSON of the operations of a document, each schema once in each direction. */
function jsonBodies(document: OpenApiDocument): TypedPlace[] {
  const places = new Map<string, TypedPlace>();
  const add = (at: string, type: string, isRequest: boolean) => {
    const holder = document.at(at) === undefined ? undefined : document.follow(at);
    for (const [media, fields] of members(holder?.value['content']))
      if (holder && isJson(media) && isObject(fields) && isObject(fields['schema']))
        places.set(`${isRequest} ${JSON.stringify(fields['schema'])}`, {
          pointer: joinPointer(holder.pointer, 'content', media, 'schema'),
          type: `${type}["content"][${JSON.stringify(media)}]`,
          isRequest,
        });
  };
  for (const { operationId, pointer } of readOperations(document)) {
    const at = document.follow(pointer).pointer;
    const type = `operations[${JSON.stringify(operationId)}]`;
    add(joinPointer(at, 'requestBody'), `NonNullable<${type}["requestBody"]>`, true);
    for (const [status] of members(document.at(joinPointer(at, 'responses')))) {
      const key = /^\d+$/.test(status) ? status : JSON.stringify(status);
      add(joinPointer(at, 'responses', status), `${type}["responses"][${key}]`, false);
    }
  }
  return [...places.values()];
}

/** A file with the request and the answer of the handler of each operation. */
const handlersText = (document: OpenApiDocument, types: string): string =>
  [
    `import type { HandlerRequest, HandlerResponse } from 'contract-first-server';`,
    `import type { operations, security } from ${JSON.stringify(types)};`,
    ...readOperations(document).flatMap(({ operationId }, i) => [
      `export type Request${i} = HandlerRequest<${JSON.stringify(operationId)}, operations, security, never>;`,
      `export type Answer${i} = HandlerResponse<${JSON.stringify(operationId)}, operations>;`,
    ]),
  ].join('\n');

const isAny = (node: ts.Node): boolean =>
  node.kind === ts.SyntaxKind.AnyKeyword ||
  (ts.forEachChild(node, (child) => isAny(child) || undefined) ?? false);

it('forty public documents and more: their types compile alone, have no any, and admit what the document admits', () => {
  const roots = [
    ...PUBLIC.map((file) => toServable(readSource(file).document).root),
    ...OWN.map((file) => readSource(file).document),
  ];
  const types = typesOfAll(roots);
  const all = roots.map((root, i) => {
    const document = new OpenApiDocument(root);
    const [name, text] = [basename([...PUBLIC, ...OWN][i] ?? ''), types[i]?.text ?? ''];
    const values = typedValues(root, jsonBodies(document), 6);
    const files: readonly [string, string, string] = [`types${i}.ts`, `values${i}.ts`, `handlers${i}.ts`];
    const texts = [text, valuesText(values, `./types${i}`), handlersText(document, `./types${i}`)];
    return { name, files, texts, values, untyped: types[i]?.untyped ?? [] };
  });
  const { program, diagnosticsOf } = compileTexts(
    __dirname,
    Object.fromEntries(all.flatMap(({ files, texts }) => files.map((file, i) => [file, texts[i] ?? '']))),
  );
  const checker = program.getTypeChecker();
  const found = all.flatMap(({ name, files, values, untyped }) => {
    const [typed, valued, handled] = files.map((file) => program.getSourceFile(join(__dirname, file)));
    if (!typed || !valued || !handled) throw new Error(`${name} has no types`);
    const unusable = handled.statements.filter(
      (one) =>
        ts.isTypeAliasDeclaration(one) &&
        (checker.getTypeAtLocation(one).flags & (ts.TypeFlags.Any | ts.TypeFlags.Never)) !== 0,
    );
    return [
      ...files.flatMap((file) =>
        diagnosticsOf(file).map((one) => ts.flattenDiagnosticMessageText(one.messageText, ' ')),
      ),
      ...(isAny(typed) ? ['has any'] : []),
      ...untyped.map(({ pointer }) => `has no type for ${pointer}`),
      ...unusable.map((one) => `has no handler for ${one.getText(handled)}`),
      ...wronglyAssigned(program, valued, values),
    ].map((what) => `${name}: ${what}`);
  });
  expect(found).toEqual([]);
  expect(PUBLIC.length).toBeGreaterThan(40);
  expect(all.flatMap(({ values }) => values).length).toBeGreaterThan(2000);
});
