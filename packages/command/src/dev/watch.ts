import { type FSWatcher, readdirSync, watch } from 'node:fs';
import path from 'node:path';

/**
 * Calls `changed` on every change in a folder. Watches each subfolder separately: the recursive watch of Node 22 and 24
 * loses a file after an editor replaces it by another file of the same name, and that of Node 26 loses a folder so.
 */
export function watchFolder(folder: string, changed: () => void): void {
  const watchers = new Map<string, FSWatcher>();
  const watchAll = (name: string) => {
    try {
      if (!watchers.has(name)) watchOne(name);
      for (const entry of readdirSync(name, { withFileTypes: true }))
        if (entry.isDirectory()) watchAll(path.join(name, entry.name));
    } catch (error) {
      // A folder can disappear before it is read, for example when git changes branches.
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
