import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** A folder in memory, which most Linux systems have. */
const MEMORY = '/dev/shm';
/** The bytes that must be free in it: several times what the tests need at once. */
const LEAST = 4 * 1024 ** 3;
const PREFIX = 'contract-first-';

const remove = (name: string) => {
  rmSync(path.join(MEMORY, name), { recursive: true, force: true });
};

/** Creates a folder in memory. Returns undefined where it has little space, or forbids executables, as in a container. */
function createFolder(): string | undefined {
  const name = `${PREFIX}${process.pid}`;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < LEAST) return undefined;
    for (const left of readdirSync(MEMORY)) {
      const isOurs = left.startsWith(PREFIX);
      if (isOurs && !existsSync(`/proc/${left.slice(PREFIX.length)}`)) remove(left); // its run was killed
    }
    const folder = path.join(MEMORY, name);
    mkdirSync(folder);
    chmodSync(folder, 0o755); // PostgreSQL may run as another user
    process.once('exit', () => {
      remove(name);
    });
    const program = path.join(folder, 'program');
    writeFileSync(program, '', { mode: 0o755 });
    accessSync(program, constants.X_OK);
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * Puts the temporary files of a test run into memory if possible. The tests create and delete a hundred thousand files,
 * which takes a minute on some disks.
 */
export function useMemory(): void {
  if (process.env['TMPDIR'] !== undefined) return;
  const folder = createFolder();
  if (folder !== undefined) process.env['TMPDIR'] = folder;
}
