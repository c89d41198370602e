import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Locked {
  /** Whether it is a link to a package of this repository. */
  readonly link?: boolean;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

/** The packages of a lock file, by their folders. */
export type Packages = Readonly<Record<string, Locked>>;

/** The part of a lock file that some packages need, with all that these need. */
export function neededBy(names: readonly string[], packages: Packages): Packages {
  const needed: Record<string, Locked> = {};
  const need = (from: string, name: string): void => {
    const folder = resolved(from, name, packages);
    if (folder === undefined || folder in needed) return;
    const one = packages[folder] ?? {};
    needed[folder] = one;
    for (const each of Object.keys({
      ...one.dependencies,
      ...one.optionalDependencies,
      ...one.peerDependencies,
    }))
      need(folder, each);
  };
  for (const name of names) need('', name);
  return needed;
}

/** The folder of a package as another one finds it: in its own node_modules/, or in one above; undefined if it is not there. */
function resolved(from: string, name: string, packages: Packages): string | undefined {
  const folder = path.posix.join(from, 'node_modules', name);
  if (folder in packages || from === '') return folder in packages ? folder : undefined;
  return resolved(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name, packages);
}

/** What the lock file of a project says of packages of the registry. */
export function lockedPackages(root: string): Packages {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Packages;
  };
  return Object.fromEntries(
    Object.entries(packages).filter(([name, { link }]) => name.startsWith('node_modules/') && link !== true),
  );
}
