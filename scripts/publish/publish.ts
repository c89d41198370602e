/** Builds the published contract and its types from openapi/. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { openapiOverlay } from 'openapi-format';
import {
  compileContract,
  type Contract,
  type Finding,
  findingLine,
  InvalidContract,
  isObject,
  type JsonObject,
  OpenApiDocument,
  versionFinding,
  writeDocument,
} from '../../src/contract';
import { differences } from './differences';
import { findDocument } from './find-document';
import { readExtensions } from '../load';
import { OVERLAY, PUBLISHED, root, TYPES } from '../paths';
import { isUnknown, remarkLines, unboundedLists } from './remarks';
import { typesOf } from './types';
import { located, readSource, type Source, SourceError } from '../source/source';
import { SourceFile } from '../source/source-file';

export interface Publication {
  readonly document: JsonObject;
  readonly contract: Contract;
  /** One line for each part that is not enforced, and for each conversion. */
  readonly remarks: readonly string[];
  /** The content of the files of generated/, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** @throws {SourceError} */
export async function publish(): Promise<Publication> {
  const file = findDocument();
  const source = readSource(file);
  const version = versionFinding(source.document);
  if (version) throw new SourceError(located(source, [version]));
  const document = await overlaid(source.document);
  const read = new OpenApiDocument(document);
  // A validator ignores unknown keywords such as `maximun`, and the value would be unchecked.
  const unknown = read.remarks.filter(isUnknown);
  const { own, added } = apart(source, unknown);
  const misspelt = [...remarkLines(source, own), ...added.map(addedLine)];
  if (misspelt.length > 0) throw new SourceError(misspelt.join('\n'));
  try {
    const contract = compileContract(read, readExtensions());
    const lists = unboundedLists(read, contract.served.keys());
    const types = typesOf(read);
    const remarks = [
      ...source.notes,
      ...remarkLines(source, [...contract.remarks, ...lists, ...types.untyped]),
    ];
    return {
      document,
      contract,
      remarks,
      files: { [PUBLISHED]: publishedText(document), [TYPES]: types.text },
    };
  } catch (error) {
    if (error instanceof InvalidContract) throw new SourceError(locatedApart(source, error.findings));
    throw error;
  }
}

/** Separates findings in the written document from findings in the additions of the overlay. */
function apart<T extends Finding>(
  source: Source,
  findings: readonly T[],
): { readonly own: T[]; readonly added: T[] } {
  const written = new OpenApiDocument(source.document);
  const isAdded = ({ pointer }: T) => written.at(pointer) === undefined;
  return { own: findings.filter((one) => !isAdded(one)), added: findings.filter(isAdded) };
}

const addedLine = (finding: Finding): string => `${OVERLAY}, at ${findingLine(finding)}`;

/** One line for each finding, with its place in the written document or in the overlay. */
function locatedApart(source: Source, findings: readonly Finding[]): string {
  const { own, added } = apart(source, findings);
  return [...(own.length > 0 ? [located(source, own)] : []), ...added.map(addedLine)].join('\n');
}

/** The text of generated/openapi.json. */
export const publishedText = (document: JsonObject): string => `${writeDocument(document, 2)}\n`;

/**
 * The document with the actions of the overlay.
 *
 * @throws {SourceError} if an action is wrong
 */
export async function overlaid(document: JsonObject): Promise<JsonObject> {
  const file = path.join(root, OVERLAY);
  if (!existsSync(file)) return document;
  const overlaySet = readOverlay(file);
  // openapiOverlay changes its argument.
  const result: { data: JsonObject; resultData: JsonObject } = await openapiOverlay(
    structuredClone(document),
    {
      overlaySet,
    },
  );
  const unused = [result.resultData['unusedActions']].flat();
  const idle = overlaySet.actions.flatMap((action, i) =>
    unused.includes(action)
      ? `${OVERLAY}#/actions/${i}: ${action.target} matches nothing: delete the action`
      : [],
  );
  const wrong = [...idle, ...contradictions(document, result.data)];
  if (wrong.length > 0) throw new SourceError(wrong.join('\n'));
  return result.data;
}

/** Errors for values that the overlay changes instead of adding: often two components share a name. It may remove values. */
const contradictions = (document: JsonObject, overlaid: JsonObject): string[] =>
  [...differences(document, overlaid)]
    .filter(({ was, is }) => was !== undefined && is !== undefined)
    .map(
      ({ pointer, was, is }) =>
        `${OVERLAY}, at #${pointer}: the document has ${writeDocument(was)}, the overlay ${writeDocument(is)}: remove it from the overlay`,
    );

type Overlay = Parameters<typeof openapiOverlay>[1]['overlaySet'];

/** @throws {SourceError} if the file is not an overlay */
function readOverlay(file: string): Overlay {
  const { value } = new SourceFile(file);
  const actions = isObject(value) ? value['actions'] : undefined;
  const isAction = (action: unknown) => isObject(action) && typeof action['target'] === 'string';
  if (!Array.isArray(actions) || !actions.every(isAction))
    throw new SourceError(`${OVERLAY}: expected a list of actions, each with its target`);
  return value as Overlay;
}
