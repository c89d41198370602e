import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from 'contract-first-server/tools';
import { type JsonObject, type Operation, readDocument } from 'contract-first-server';
import { committed } from '../breaking/base';
import { compareDocuments } from '../breaking/changes';
import { classesOf, classLine } from '../breaking/classes';
import { earlierIds } from '../breaking/renames';
import { columnsLeft } from './columns';
import { addExamples } from './examples';
import { HandlerList } from './handler-list';
import { addStubs } from './handlers';
import { nextSteps } from './next-steps';
import { isForeign, valuesFile } from './values';
import { handlersLeft, type Renamed, renamedOperations, renamedSentence, renamedText } from './renamed';
import type { Outcome } from '../command';
import { MOST, readMemory, withoutPlace, writeMemory } from './report';
import { PUBLISHED, RENAMED, root, VALUES } from '../paths';
import { bounded, printsAll } from '../document/publish/bounded';
import { staleSentence } from '../document/publish/fresh';
import { publish, type Publication } from '../document/publish/publish';
import { SourceError } from '../document/source/source';

const BREAKING =
  'existing clients would break: undo the breaking changes, or accept them (`npx contract-first breaking --help` shows how)';

/** The command that lists what another one has cut. */
const ALL = 'npx contract-first generate --all';

/**
 * Updates generated/ and the list of handlers.
 *
 * @param all whether to print everything: all remarks, and all about the last change
 * @returns lines for the remarks, the changes, what is left to do, and the written files
 * @throws {SourceError}
 */
export async function generate(all = false): Promise<string[]> {
  let publication = await publish();
  const before = readPublished();
  const index = HandlerList.read();
  const earlier = before && earlierIds(before, publication.document);
  const renamed = index ? renamedIn(publication, index, earlier) : [];
  const added = operationsOf(publication).filter(
    ({ operationId }) =>
      index?.has(operationId) === false && !renamed.some((one) => one.operationId === operationId),
  );
  const examples = before ? addExamples(publication.document, added) : [];
  if (examples.length > 0) publication = await publish();
  const { document, remarks } = publication;
  const stale = staleFiles(publication, renamed);
  for (const [file, text] of stale) writeOrRemove(path.join(root, file), text);
  const differing = before ? compareDocuments(before, document) : [];
  const stubs = index ? addStubs(added, index, renamed) : [];
  const left = handlersLeft(new Set(operationsOf(publication).map(({ operationId }) => operationId)));
  const memory = readMemory();
  const news = classesOf(differing).map(classLine);
  const changes = all && news.length === 0 ? memory.changes : news;
  const known = new Set(all ? [] : memory.remarks);
  const sections = [
    remarks.filter((remark) => !known.has(withoutPlace(remark))),
    changes,
    [
      ...(before && index && earlier ? nextSteps(before, document, earlier, index) : []),
      ...left,
      ...stubs,
      ...examples,
    ],
  ];
  if (!all)
    writeMemory({ remarks: remarks.map(withoutPlace), changes: news.length > 0 ? news : memory.changes });
  const closing = [
    ...(differing.some(({ breaking }) => breaking) ? [BREAKING] : []),
    stale.length > 0 ? `written: ${stale.map(([file]) => file).join(', ')}` : 'generated/ is up to date',
  ];
  return [...(all ? sections.flat() : bounded(sections, MOST - closing.length, ALL)), ...closing];
}

const operationsOf = ({ contract }: Publication): Operation[] => [...contract.served.keys()];

/** The operations whose handlers have former names. */
const renamedIn = (
  publication: Publication,
  index: HandlerList,
  earlier: ReadonlyMap<string, string> | undefined,
): Renamed[] => {
  const ids = operationsOf(publication).map(({ operationId }) => operationId);
  return renamedOperations(ids, index, earlier);
};

/** @throws {SourceError} if a file of generated/ is stale, or handlers have former names */
async function check(): Promise<void> {
  const publication = await publish();
  const published = readPublished();
  const index = HandlerList.read();
  const earlier = published && earlierIds(published, publication.document);
  const renamed = index ? renamedIn(publication, index, earlier) : [];
  const steps = index ? renamed.map((one) => renamedSentence(one, index)) : [];
  const [first] = staleFiles(publication, renamed);
  if (!first && steps.length === 0) return;
  const sentence =
    first?.[0] === PUBLISHED
      ? staleSentence(read(PUBLISHED), publication.document)
      : `${first?.[0] ?? ''} is stale`;
  const stale = first && `${sentence}: run \`npx contract-first generate\` and commit the result`;
  throw new SourceError([...(stale === undefined ? [] : [stale]), ...steps].join('\n'));
}

/**
 * The generated files that differ, and their texts. An empty one must not exist.
 *
 * @throws {SourceError} if a file would overwrite one that was not generated
 */
function staleFiles(
  { files, contract }: Publication,
  renamed: readonly Renamed[],
): [file: string, text: string][] {
  const values = valuesFile(contract.document);
  const all = { ...files, [VALUES]: values, [RENAMED]: renamedText(renamed) };
  const stale = Object.entries(all).filter(([file, text]) => read(file) !== text);
  if (!isForeign(read(VALUES))) return stale;
  if (values !== '')
    throw new SourceError(
      `${VALUES} was not generated and is not overwritten: rename it, and run this again`,
    );
  return stale.filter(([file]) => file !== VALUES);
}

function writeOrRemove(file: string, text: string): void {
  if (text === '') rmSync(file, { force: true });
  else writeFileSync(file, text);
}

/** The published contract; that of the last commit if there is none, or an invalid one as after a merge. */
function readPublished(): JsonObject | undefined {
  for (const text of [() => read(PUBLISHED), () => committed(PUBLISHED)]) {
    try {
      const document: unknown = readDocument(text() ?? '');
      if (isObject(document)) return document;
    } catch {
      continue; // the caller replaces it
    }
  }
  return undefined;
}

function read(file: string): string {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return '';
  }
}

/**
 * Generates generated/ from openapi/, and a stub in src/handlers/ for each new operation. Prints the changes, or with `all`
 * everything about the last one. With `check` it writes nothing.
 *
 * @throws {SourceError} also if a file of generated/ is stale, with `check`
 */
export async function runGenerate(options: {
  readonly all?: boolean;
  readonly check?: boolean;
}): Promise<Outcome> {
  // `dev` has these lines from the compiler.
  const lines =
    options.check === true
      ? (await check(), [])
      : [...(await generate(printsAll(options.all))), ...columnsLeft()];
  for (const line of lines) console.log(line);
  return { status: 0, json: { lines } };
}
