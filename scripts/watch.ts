import { type FSWatcher, readdirSync, watch } from 'node:fs';
import path from 'node:path';

/**
 * Calls back on every change below a folder. Each folder is watched by itself: the recursive watch of Node 20 holds on
 * to files, and is blind for one once an editor has replaced it by another of the same name.
 */
export function watchFolder(folder: string, changed: () => void): void {
  const watchers = new Map<string, FSWatcher>();
  const watchAll = () => {
    const below = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(entry.parentPath, entry.name));
    for (const name of [folder, ...below]) {
      if (watchers.has(name)) continue;
      const watcher = watch(name, () => {
        changed();
        watchAll();
      });
      const forget = () => {
        watchers.delete(name);
        watcher.close();
      };
      watchers.set(name, watcher.on('error', forget));
    }
  };
  watchAll();
}
