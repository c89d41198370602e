/** Lays out a service again, in its folder and by the tools that are installed there, where a part of it does not work. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from 'contract-first-server/tools';
import { findDocument } from '../document/publish/find-document';
import { readSource } from '../document/source/source';
import { handlerName } from '../generate/handler-names';
import { NO_EXTRAS } from './extras';
import { type Layout, layOut } from './layout';
import { namesFrom } from './names';
import { version } from './write/install';

/** What depends on the tables. */
const OWN = /^(src|tests)\/|^openapi\/overlay\.yaml$|^\.env\.example$/;

async function layOutHere(without: ReadonlySet<string>): Promise<Layout> {
  const source = readSource(findDocument());
  const { info } = source.document;
  const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly name: string };
  const title = isObject(info) && typeof info['title'] === 'string' ? info['title'] : name;
  const names = namesFrom(name, title);
  if (!names) throw new Error(`package.json: expected a name with letters, got ${name}`);
  return layOut(source, names, version(), NO_EXTRAS, without);
}

/** The files of the tables whose objects are created by one of these handlers. */
export async function tablesCreatedBy(
  handlers: readonly string[],
  without: ReadonlySet<string>,
): Promise<string[]> {
  if (handlers.length === 0) return [];
  const { tables } = await layOutHere(without);
  return tables
    .filter(({ stored }) => stored?.create && handlers.includes(handlerName(stored.create.operationId).file))
    .map(({ file }) => file);
}

/** Writes the sources of the service again, with stubs in the place of the handlers on some tables. */
export async function writeWithout(without: ReadonlySet<string>): Promise<void> {
  const { files } = await layOutHere(without);
  rmSync('src', { recursive: true });
  for (const [file, text] of Object.entries(files).filter(([name]) => OWN.test(name))) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
