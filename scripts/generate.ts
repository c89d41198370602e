/**
 * openapi/ -> generated/: the published contract and its types. With `--check` nothing is written, and the process
 * fails if anything would change, also where the types would not show it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundle, createConfig } from '@redocly/openapi-core';
import { openapiOverlay } from 'openapi-format';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';
import { compileContract, type Contract } from '../src/contract/contract';
import { InvalidContract, isObject, type JsonObject } from '../src/contract/document';
import { isInt64 } from '../src/contract/schemas';

const root = path.join(__dirname, '..');
const DOCUMENT = 'openapi/plant-store.yaml';
const OVERLAY = 'openapi/overlay.yaml';
const PUBLISHED = 'generated/openapi.json';
const TYPES = 'generated/openapi.d.ts';

class GenerateError extends Error {}

/** The document, with what it refers to in other files, and the overlay applied to it. */
async function publish(): Promise<JsonObject> {
  const { bundle: bundled, problems } = await bundle({
    ref: path.join(root, DOCUMENT),
    config: await createConfig({}),
  });
  if (problems.length > 0) {
    throw new GenerateError(
      problems
        .map(({ message, location: [at] }) => `${at?.source.absoluteRef ?? DOCUMENT}: ${message}`)
        .join('\n'),
    );
  }
  const overlaySet = parse(readFileSync(path.join(root, OVERLAY), 'utf8')) as Parameters<
    typeof openapiOverlay
  >[1]['overlaySet'];
  const result: { data: JsonObject; resultData: JsonObject } = await openapiOverlay(bundled.parsed, {
    overlaySet,
  });
  const unused = [result.resultData['unusedActions']].flat();
  overlaySet.actions.forEach((action, i) => {
    if (unused.includes(action))
      throw new GenerateError(
        `${OVERLAY}#/actions/${i}: ${action.target} matches nothing; delete the action`,
      );
  });
  return result.data;
}

/** The types of openapi-typescript, int64 as bigint, and what each operation demands of its caller. */
async function typesOf(document: JsonObject, { served }: Contract): Promise<string> {
  const keyword = (kind: ts.KeywordTypeSyntaxKind) => ts.factory.createKeywordTypeNode(kind);
  const nodes = await openapiTS(JSON.stringify(document), {
    transform(schema) {
      if (!isObject(schema)) return undefined;
      if (schema.format === 'binary') return ts.factory.createTypeReferenceNode('Uint8Array');
      if (!isInt64(schema)) return undefined;
      const bigint = keyword(ts.SyntaxKind.BigIntKeyword);
      const nullable = [schema.type].flat().includes('null');
      return nullable
        ? ts.factory.createUnionTypeNode([bigint, ts.factory.createLiteralTypeNode(ts.factory.createNull())])
        : bigint;
    },
  });
  const requirements = [...served.keys()].map(({ operationId, security }) => {
    const alternatives = security.map((schemes) => JSON.stringify(schemes.map(({ scheme }) => scheme)));
    return `    ${JSON.stringify(operationId)}: ${alternatives.join(' | ') || 'never'};\n`;
  });
  return `/**
 * Made by \`make generate\` from openapi/. Do not edit: change the document instead.
 */

${astToString(nodes)}
/** What each operation demands: the security schemes of each alternative. */
export interface security {
${requirements.join('')}}
`;
}

/** The first place in which two JSON values differ, with both values. */
function difference(was: unknown, is: unknown, pointer = ''): string | undefined {
  const keys = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value) : undefined;
  const [before, after] = [keys(was), keys(is)];
  if (!before || !after) {
    const [had, has] = [was, is].map((value) => (value === undefined ? 'nothing' : JSON.stringify(value)));
    return was === is ? undefined : `${pointer} (${had} there, ${has} in openapi/)`;
  }
  for (const key of new Set([...before, ...after])) {
    const found = difference(
      Reflect.get(was as object, key),
      Reflect.get(is as object, key),
      `${pointer}/${key}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
const read = (file: string) => {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return '';
  }
};

async function main(check: boolean): Promise<void> {
  const document = await publish();
  const contract = compileContract(document, undefined);
  const files = {
    [PUBLISHED]: `${JSON.stringify(document, null, 2)}\n`,
    [TYPES]: await typesOf(document, contract),
  };
  const stale = Object.entries(files).filter(([file, text]) => read(file) !== text);
  if (!check) {
    for (const [file, text] of stale) writeFileSync(path.join(root, file), text);
    console.log(
      stale.length > 0 ? `written: ${stale.map(([file]) => file).join(', ')}` : 'generated/ is up to date',
    );
    return;
  }
  const [first] = stale;
  if (!first) return;
  const published = read(PUBLISHED);
  const place = published === '' ? undefined : difference(JSON.parse(published), document);
  throw new GenerateError(
    `${first[0]} is stale${place === undefined ? '' : ` at ${place}`}: run \`make generate\` and commit the result`,
  );
}

main(process.argv.includes('--check')).catch((error: unknown) => {
  const told = error instanceof GenerateError || error instanceof InvalidContract;
  console.error(told ? error.message : error);
  process.exitCode = 1;
});
