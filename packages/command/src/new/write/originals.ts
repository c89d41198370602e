/** The files of the user in the folder of the new service: its document, with its parts. */
import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../command';
import type { Source } from '../../document/source/source';

export interface Originals {
  /** Those that openapi/ will have as they are, by their paths in the folder: they move there. */
  readonly moved: readonly string[];
  /** Those that stay. */
  readonly kept: readonly string[];
}

/** Folders that the programs of a service write. */
export const WRITTEN = ['generated', 'reports', '.cache', '.git', 'dist', 'data', 'node_modules', 'vendor'];

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
      : {
          name: name.replaceAll(path.sep, '/'),
          isSame: files[target] === readFileSync(file, 'utf8'),
          isMain: file === main,
        };
  });
  const inside = own.find(({ name }) => WRITTEN.includes(name.split('/')[0] ?? ''));
  if (inside)
    throw new UsageError(`move ${inside.name} to another folder: the commands of the service write there`);
  // Some file systems ignore case.
  const names = new Set(Object.keys(files).map((name) => name.toLowerCase()));
  const replaced = own.find(
    ({ name, isSame, isMain }) =>
      !isSame && (names.has(name.toLowerCase()) || (isMain && path.posix.dirname(name) === 'openapi')),
  );
  if (replaced)
    throw new UsageError(
      `${replaced.name} would be replaced, because the document is converted, renamed or bundled: move the document out of openapi/`,
    );
  const others = own.map(({ name }) => name).filter((name) => !Object.hasOwn(files, name));
  return own.every(({ isSame }) => isSame) ? { moved: others, kept: [] } : { moved: [], kept: others };
}

/** Removes what has moved to openapi/, with the folders that are empty then. */
export function remove(folder: string, moved: readonly string[]): void {
  const copies = new Set(
    readdirSync(path.join(folder, 'openapi'), { recursive: true, withFileTypes: true }).map(
      (entry) => statSync(path.join(entry.parentPath, entry.name)).ino,
    ),
  );
  for (const name of moved) {
    if (copies.has(statSync(path.join(folder, name)).ino)) continue; // on a file system that ignores case, it is there
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
