/** Gives the path parameters of new operations examples, which the contract tests use, as `make new` does for the first ones. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import {
  examplesOf,
  jsonPath,
  OpenApiDocument,
  type Parameter,
  readOperations,
  samples,
  viewSchemas,
} from 'contract-first-server/tools';
import { type JsonObject, type Operation } from 'contract-first-server';
import { OVERLAY, root } from '../paths';

/** Adds an action to the overlay for each parameter without an example. Returns a sentence for each. */
export function addExamples(published: JsonObject, added: readonly Operation[]): string[] {
  const file = path.join(root, OVERLAY);
  if (added.length === 0 || !existsSync(file)) return [];
  const document = new OpenApiDocument(published);
  const others = readOperations(document).filter(
    ({ operationId }) => !added.some((one) => one.operationId === operationId),
  );
  const examples = new Map<string, unknown>();
  const byPrefix = new Map<string, unknown[]>();
  for (const operation of added) {
    for (const parameter of operation.parameters) {
      const { pointer, schemaPointer } = parameter;
      if (parameter.in !== 'path' || schemaPointer === undefined) continue;
      if (ownExamples(document, parameter).length > 0 || examples.has(pointer)) continue;
      const prefix = prefixOf(operation, parameter);
      const same = others.flatMap((other) =>
        other.parameters.filter((one) => one.in === 'path' && prefixOf(other, one) === prefix),
      );
      const [example] = [
        ...(byPrefix.get(prefix) ?? []),
        ...same.flatMap((one) => ownExamples(document, one)),
        ...samples(document, schemaPointer, 'request'),
      ];
      if (example === undefined) continue;
      examples.set(pointer, example);
      byPrefix.set(prefix, [example]);
    }
  }
  if (examples.size === 0) return [];
  const actions = [...examples].map(([pointer, example]) => ({
    target: jsonPath(document, pointer),
    description: 'an example, which the tests use',
    update: { example },
  }));
  return addActions(file, actions)
    ? actions.map(({ target }) => `${OVERLAY}: an example for ${target}, which the tests use`)
    : actions.map((action) => `add to the actions of ${OVERLAY}: ${JSON.stringify(action)}`);
}

function ownExamples(document: OpenApiDocument, { pointer, schemaPointer }: Parameter): unknown[] {
  const view = viewSchemas(document, [schemaPointer ?? []].flat(), 'request');
  return [...examplesOf(document, pointer), ...view.examples, ...(view.values?.values() ?? [])];
}

/** The path up to a parameter: there it names the same thing in every operation. */
function prefixOf({ paths: [template = ''] }: Operation, { name }: Parameter): string {
  return template.slice(0, template.indexOf(`{${name}}`)).replace(/\{[^}]*\}/g, '{}');
}

/** Writes actions before the others. Every other line stays as it is. Returns false if the file has another form. */
function addActions(file: string, actions: readonly object[]): boolean {
  const text = readFileSync(file, 'utf8');
  const { contents } = parseDocument(text);
  const pair = isMap(contents) ? contents.items.find(({ key }) => String(key) === 'actions') : undefined;
  const [first] = isSeq(pair?.value) && pair.value.flow !== true ? pair.value.items : [];
  if (!isScalar(pair?.key) || !isMap(first)) return false;
  // Behind the name, so that a comment stays with its action.
  const line = text.indexOf('\n', pair.key.range[1]) + 1;
  const indent = text.slice(text.lastIndexOf('\n', first.range[0]) + 1, first.range[0]).replace(/-\s*$/, '');
  if (indent.trim() !== '' || line === 0) return false;
  const lines = stringify(actions, { lineWidth: 0 }).trimEnd().split('\n');
  writeFileSync(
    file,
    `${text.slice(0, line)}${lines.map((one) => `${indent}${one}\n`).join('')}${text.slice(line)}`,
  );
  return true;
}
