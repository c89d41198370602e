/** The files of the user in the folder of the new service: its document, with its parts. */
import { existsSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../command';
import type { Source } from '../source/source';

export interface Originals {
  /** Those that openapi/ will have as they are, by their paths in the folder: they move there. */
  readonly moved: readonly string[];
  /** Those that stay. */
  readonly kept: readonly string[];
}

/**
 * @param files the texts of the service, by their paths
 * @throws {UsageError} if a file of the service would replace one
 */
export function originalsIn(
  folder: string,
  source: Source,
  files: Readonly<Record<string, string>>,
): Originals {
  if (!existsSync(folder)) return { moved: [], kept: [] };
  const [root, main = ''] = [realpathSync(folder), ...source.files];
  const own = source.files.flatMap((file) => {
    const name = path.relative(root, realpathSync(file));
    const target = path.posix.join(
      'openapi',
      path.relative(path.dirname(main), file).replaceAll(path.sep, '/'),
    );
    return /^\.\.([/\\]|$)/.test(name) || path.isAbsolute(name)
      ? []
      : { name: name.replaceAll(path.sep, '/'), isSame: files[target] === readFileSync(file, 'utf8') };
  });
  const replaced = own.find(({ name, isSame }) => Object.hasOwn(files, name) && !isSame);
  if (replaced)
    throw new UsageError(
      `${replaced.name} would be replaced, because it is converted, or made one file of several: move the document out of openapi/`,
    );
  const others = own.map(({ name }) => name).filter((name) => !Object.hasOwn(files, name));
  return own.every(({ isSame }) => isSame) ? { moved: others, kept: [] } : { moved: [], kept: others };
}

/** Removes what has moved to openapi/, with the folders that are empty then. */
export function remove(folder: string, moved: readonly string[]): void {
  for (const name of moved) {
    rmSync(path.join(folder, name));
    for (let above = path.dirname(name); above !== '.'; above = path.dirname(above)) {
      try {
        rmdirSync(path.join(folder, above));
      } catch {
        break; // it has other files
      }
    }
  }
}
