import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Texts or bytes by the paths of their files. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** The path of a temporary folder that is removed when this process ends. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The path of a temporary folder that is removed after the tests of a file. Call it once, at the top. */
export function keepFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** A temporary folder, which each test of a file has anew. */
export function useFolder() {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const path = (name: string) => join(folder, name);
  return {
    path,
    /** Writes files, and returns the path of the first. */
    write(files: Files): string {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(path(name)), { recursive: true });
        writeFileSync(path(name), text);
      }
      return path(Object.keys(files)[0] ?? '');
    },
  };
}
