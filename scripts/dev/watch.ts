import { type FSWatcher, readdirSync, watch } from 'node:fs';
import path from 'node:path';

/**
 * Calls back on every change below a folder. Each folder is watched by itself: the recursive watch of Node 22 and 24 holds
 * on to files, and is blind for one once an editor has replaced it by another of the same name (that of 26, for a folder).
 */
export function watchFolder(folder: string, changed: () => void): void {
  const watchers = new Map<string, FSWatcher>();
  const watchAll = (name: string) => {
    try {
      if (!watchers.has(name)) watchOne(name);
      for (const entry of readdirSync(name, { withFileTypes: true }))
        if (entry.isDirectory()) watchAll(path.join(name, entry.name));
    } catch (error) {
      // Gone by the time it is looked at, as folders are while git changes branches.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  const watchOne = (name: string) => {
    const watcher = watch(name, () => {
      changed();
      watchAll(folder);
    });
    const forget = () => {
      watchers.delete(name);
      watcher.close();
    };
    watchers.set(name, watcher.on('error', forget));
  };
  watchAll(folder);
}
