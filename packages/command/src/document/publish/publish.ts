/** Builds the published contract and its types from openapi/. */
import {
  Codecs,
  compileContract,
  type Contract,
  OpenApiDocument,
  versionFinding,
  writeDocument,
} from 'contract-first-server/tools';
import { type Finding, findingLine, InvalidContract, type JsonObject } from 'contract-first-server';
import { findDocument } from './find-document';
import { readExtensions } from '../../load';
import { OVERLAY, PUBLISHED, TYPES } from '../../paths';
import { overlay } from './overlay';
import { isUnknown, remarkLines, unboundedLists } from './remarks';
import { typesOf } from './types';
import { located, readSource, type Source, SourceError } from '../source/source';

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
  const { document, remarks: idle } = await overlay(source.document);
  const read = new OpenApiDocument(document);
  // A validator ignores unknown keywords such as `maximun`, and the value would be unchecked.
  const unknown = read.remarks.filter(isUnknown);
  const { own, added } = apart(source, unknown);
  const misspelt = [...remarkLines(source, own), ...added.map(addedLine)];
  if (misspelt.length > 0) throw new SourceError(misspelt.join('\n'));
  try {
    const extensions = readExtensions();
    const contract = compileContract(read, extensions);
    const lists = unboundedLists(read, contract.served.keys());
    const types = typesOf(read, new Codecs(extensions.codecs));
    const remarks = [
      ...source.notes,
      ...idle,
      ...remarkLines(source, [...contract.remarks, ...lists, ...types.untyped], Infinity),
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
