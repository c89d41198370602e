import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject, versionFinding } from 'contract-first-server/tools';
import { UsageError } from '../command';
import { located, readSource, type Source, SourceError } from '../document/source/source';
import type { Extras } from './extras';
import { type Names, namesFrom } from './names';

/** What a user gives. */
export interface Given {
  readonly document: string;
  /** The folder of the service. */
  readonly dir: string;
  /** Of the service; empty: that of the folder. */
  readonly name: string;
  /** What else the service has. */
  readonly extras: Extras;
  /** Whether references may lead to files outside the folder of the document. */
  readonly allowOutside: boolean;
}

/** What may stand in the folder of a new service beside its document, and stays as it is. */
const ALLOWED = /^(\.git|\.DS_Store|\.idea|LICENSE.*|README\.md|(create-)?contract-first-.*\.tgz)$/i;

/** The names in the folder of a new service that may be there, and are no part of the document. */
export const besideIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => ALLOWED.test(name)) : [];

/** @throws {UsageError} if there is no such file */
export function assertFile(file: string): void {
  const got = !existsSync(file)
    ? 'there is no such file'
    : statSync(file).isFile()
      ? undefined
      : 'it is a folder';
  if (got !== undefined) throw new UsageError(`DOCUMENT: cannot read ${file}: ${got}`);
}

/**
 * The absolute path of the folder that an option names, if it is given.
 *
 * @throws {UsageError} if there is no such folder
 */
export function folderOf(option: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new UsageError(`${option}: there is no folder ${folder}`);
  return path.resolve(folder);
}

/**
 * @param source the document, whose files may be in the folder
 * @throws {UsageError} if the folder has other files
 */
export function assertFree(folder: string, source: Source): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`--dir: ${folder} is a file; expected a folder`);
  if (existsSync(path.join(folder, 'package.json')))
    throw new UsageError(
      `--dir: ${folder} already contains a project (package.json); use \`--dir NAME\` to create a new folder`,
    );
  const own = source.files.map((file) => realpathSync(file));
  const foreign = firstOther(realpathSync(folder), own, ALLOWED);
  if (foreign !== undefined)
    throw new UsageError(
      `--dir: ${folder} is not empty: it contains ${path.relative(realpathSync(folder), foreign)}; use \`--dir NAME\` to create a new folder`,
    );
}

/** The first file of a folder that is none of these, and has no such name. */
function firstOther(folder: string, own: readonly string[], allowed?: RegExp): string | undefined {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (own.includes(file) || allowed?.test(entry.name)) continue;
    if (!entry.isDirectory()) return file;
    // A folder without a part of the document is read no deeper than its first file.
    const other = firstOther(file, own);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** @throws {SourceError} if the document is of another version, or the service has no name */
export function readDocumentAndNames({ document, dir, name, allowOutside }: Given): [Source, Names] {
  const source = readSource(document, allowOutside);
  const version = versionFinding(source.document);
  if (version) throw new SourceError(located(source, [version]));
  const { info } = source.document;
  const folder = path.basename(path.resolve(dir));
  const title = isObject(info) && typeof info['title'] === 'string' ? info['title'] : folder;
  const names = (name === '' ? [folder, title] : [name])
    .map((text) => namesFrom(text, title))
    .find((found) => found !== undefined);
  if (!names)
    throw new UsageError(
      `--name: expected a name with letters from a to z, got ${JSON.stringify(name || folder)}`,
    );
  return [source, names];
}
