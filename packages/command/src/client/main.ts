/** `contract-first client [DOCUMENT]`: writes a typed client of a document. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compileContract, OpenApiDocument } from 'contract-first-server/tools';
import { InvalidContract } from 'contract-first-server';
import { type Outcome, UsageError } from '../command';
import { toMockable } from '../mock/document';
import { publish } from '../document/publish/publish';
import { located, readSource, SourceError } from '../document/source/source';
import { readExtensions } from '../load';
import { clientOf, HEADER } from './client';
import { MSW_HEADER, mswOf } from './msw';

interface Settings {
  readonly out?: string;
  readonly msw?: boolean;
  readonly check?: boolean;
  readonly 'allow-outside'?: boolean;
}

/** A document, and a line for each part that its client lacks. */
interface Described {
  readonly document: OpenApiDocument;
  readonly notes: readonly string[];
}

/**
 * @param file by default the document of the service in the current folder
 * @throws {SourceError | UsageError}
 */
export async function writeClient(file: string | undefined, settings: Settings): Promise<Outcome> {
  // Linters and formatters of a service leave generated/ alone.
  const { out = file === undefined ? 'generated/client.ts' : 'client.ts', check = false } = settings;
  // The packages of a service, which its check compiles with generated/, lack MSW.
  if (settings.msw === true && file === undefined && settings.out === undefined)
    throw new UsageError('--msw: name a file of the front end, such as --out ../front-end/client.ts');
  const { document, notes } =
    file === undefined ? await ownDocument() : documentAt(file, settings['allow-outside'] === true);
  const { text, untyped, operations } = clientOf(document);
  const [, name = out, letter = ''] = /^(.*)\.([cm]?)ts$/s.exec(out) ?? [];
  const imported = `${path.basename(name)}.${letter}js`;
  const extensions = file === undefined ? readExtensions() : {};
  const msw = settings.msw === true && mswOf(document, extensions, text, imported);
  const mistyped = untyped.map(({ pointer, message }) => `  untyped  #${pointer}: ${message}`);
  const lines = [...notes, ...mistyped, ...(msw ? msw.notes : [])];
  for (const line of lines) console.error(line);
  const client = update(out, text, HEADER, operations, check);
  const handlers = msw && update(`${name}-msw.${letter}ts`, msw.text, MSW_HEADER, msw.operations, check);
  const isStale = [client, handlers].some((one) => one && one.state === 'is stale');
  return { status: isStale ? 1 : 0, json: { ...client, notes: lines, ...(handlers && { msw: handlers }) } };
}

function update(file: string, text: string, header: string, operations: number, check: boolean) {
  const known = read(file);
  if (known !== undefined && !known.startsWith(header))
    throw new UsageError(
      `${file} is not a generated client and is not overwritten: write to another file with --out FILE`,
    );
  const isStale = known !== text;
  if (isStale && !check) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const state = isStale ? (check ? 'is stale' : 'is written') : 'is up to date';
  console.log(`${file} ${state}: ${operations} operation${operations === 1 ? '' : 's'}`);
  return { file, state, operations };
}

async function ownDocument(): Promise<Described> {
  return { document: new OpenApiDocument((await publish()).document), notes: [] };
}

/** What of a document can be served: a client of the rest could not be right. */
function documentAt(file: string, allowOutside: boolean): Described {
  const source = readSource(file, allowOutside);
  try {
    const { built, leftOut } = toMockable(source.document, (document) => {
      const { remarks } = compileContract(document, {}, 'at first use');
      return { built: document, remarks };
    });
    const notes = leftOut.map((sentence) => `  left out  ${sentence}`);
    if (built) return { document: built, notes };
    throw new SourceError([...notes, `${file} has no operation that can be called`].join('\n'));
  } catch (error) {
    if (error instanceof InvalidContract) throw new SourceError(located(source, error.findings));
    throw error;
  }
}

/** The text of a file; undefined if there is none. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EISDIR') throw new UsageError(`--out: ${file} is a folder; expected a file`);
    throw error;
  }
}
