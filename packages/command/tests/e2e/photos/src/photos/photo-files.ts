import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StoreUnavailable } from 'contract-first-database';

/** Where the bytes of photos lie. */
export interface PhotoFiles {
  /**
   * Resolves to the name of the file when its bytes will survive the end of the process and a power failure.
   *
   * @throws {StoreUnavailable} if the disk is full: the client gets 503
   */
  put(bytes: ReadableStream<Uint8Array>): Promise<string>;
  /** Undefined if there is none. The caller closes it; it may be read to its end even if it is removed meanwhile. */
  open(name: string): Promise<FileHandle | undefined>;
  /** Has no effect if there is none. */
  remove(name: string): Promise<void>;
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** Files in a folder. Several processes may share it. */
export async function openPhotoFiles(folder: string): Promise<PhotoFiles> {
  await mkdir(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  return {
    async put(bytes) {
      const name = randomUUID();
      const part = at(`${name}.part`);
      try {
        await pipeline(bytes, createWriteStream(part, { flags: 'wx', flush: true }));
        await rename(part, at(name));
        // A name is durable when its folder is.
        await using entries = await open(folder);
        await entries.sync();
      } catch (error) {
        await rm(part, { force: true });
        if (/^(ENOSPC|EDQUOT)$/.test(codeOf(error))) throw new StoreUnavailable('the disk of photos is full');
        throw error;
      }
      return name;
    },
    async open(name) {
      try {
        return await open(at(name));
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    remove: (name) => rm(at(name), { force: true }),
  };
}
