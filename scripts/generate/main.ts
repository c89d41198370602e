/**
 * Generates generated/ from openapi/, and a stub in src/handlers/ for each new operation. Prints the changes. With
 * `--check` it writes nothing, and exits with 1 if a file of generated/ is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type JsonObject, readDocument, writeDocument } from '../../src/contract';
import { changeLine, compareDocuments, renamedOperations } from '../breaking/changes';
import { updateHandlers } from './handlers';
import { nextSteps } from './next-steps';
import { PUBLISHED, root } from '../paths';
import { differences } from '../publish/differences';
import { publish, type Publication } from '../publish/publish';
import { SourceError } from '../source/source';

const BREAKING =
  'a client of the earlier contract would break: raise its version, or accept the break (`make breaking BASE=--help`)';

/**
 * Updates generated/ and the list of handlers.
 *
 * @returns one line for each remark, each change and each written file
 * @throws {SourceError}
 */
export async function generate(): Promise<string[]> {
  const publication = await publish();
  const stale = staleFiles(publication);
  const before = readPublished();
  for (const [file, text] of stale) writeFileSync(path.join(root, file), text);
  const changes = before ? compareDocuments(before, publication.document) : [];
  const renamed = before ? renamedOperations(before, publication.document) : new Map<string, string>();
  const handlers = updateHandlers(publication.contract.served.keys(), renamed);
  const written = stale.map(([file]) => file).join(', ');
  return [
    ...publication.remarks,
    ...changes.map(changeLine),
    ...(before ? nextSteps(before, publication.document) : []),
    ...handlers,
    ...(changes.some(({ breaking }) => breaking) ? [BREAKING] : []),
    stale.length > 0 ? `written: ${written}` : 'generated/ is up to date',
  ];
}

/** @throws {SourceError} if a file of generated/ is stale */
async function check(): Promise<void> {
  const publication = await publish();
  const [first] = staleFiles(publication);
  if (!first) return;
  const published = readPublished();
  const [place] = published ? differences(published, publication.document) : [];
  const textOf = (value: unknown) => (value === undefined ? 'nothing' : writeDocument(value));
  const where = place && ` at ${place.pointer} (${textOf(place.was)} there, ${textOf(place.is)} in openapi/)`;
  throw new SourceError(`${first[0]} is stale${where ?? ''}: run \`make generate\` and commit the result`);
}

function staleFiles({ files }: Publication): [file: string, text: string][] {
  return Object.entries(files).filter(([file, text]) => read(file) !== text);
}

function readPublished(): JsonObject | undefined {
  const text = read(PUBLISHED);
  try {
    return text === '' ? undefined : readDocument(text);
  } catch {
    return undefined; // invalid after a merge, for example; the caller replaces it
  }
}

function read(file: string): string {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return '';
  }
}

export async function main(args: readonly string[]): Promise<void> {
  try {
    if (args.includes('--check')) await check();
    else console.log((await generate()).join('\n'));
  } catch (error) {
    console.error(error instanceof SourceError ? error.message : error);
    process.exitCode = 1;
  }
}

if (require.main === module) void main(process.argv.slice(2));
