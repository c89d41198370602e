/** Reads the files of a document: regular files of bounded size, with UTF-8 text, below the folder of the document. */
import { closeSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { BOUNDS } from './bounds';

/** The errors of a source, one a line: file, line, column and sentence. */
export class SourceError extends Error {
  override name = 'SourceError';
}

/** There is nothing to read. */
class Unreadable extends SourceError {
  /** The exit status. */
  readonly status = 2;
}

/** The file name relative to the current folder, or absolute outside of it. */
export function shownName(file: string): string {
  const name = path.relative(process.cwd(), file);
  return name.startsWith('..') ? file : name;
}

/** The place of an offset in a text, as `file:line:column`. */
export function placeIn(file: string, text: string, offset: number): string {
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return `${shownName(file)}:${line}:${offset - start + 1}`;
}

/** The real path of a file or folder; undefined if there is none. */
export function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/** Whether a real path is below a real folder. */
export function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return (
    relative !== '' &&
    relative !== '..' &&
    !relative.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(relative)
  );
}

/** Why a file is no part of a document, by its name: it may hold passwords. Undefined: it may be one. */
export function reasonNotRead(folder: string, file: string): string | undefined {
  if (!/\.(ya?ml|json)$/i.test(file))
    return 'is not read: the files of a document end in .yaml, .yml or .json';
  const isHidden = path
    .relative(folder, file)
    .split(path.sep)
    .some((name) => /^\.[^.]/.test(name));
  return isHidden ? 'is not read: hidden files and folders cannot be parts of a document' : undefined;
}

const KINDS: readonly (readonly [name: string, is: (stats: Stats) => boolean])[] = [
  ['a folder', (stats) => stats.isDirectory()],
  ['a named pipe', (stats) => stats.isFIFO()],
  ['a socket', (stats) => stats.isSocket()],
  ['a device', (stats) => stats.isCharacterDevice() || stats.isBlockDevice()],
];

/** The reasons why the system does not give a file. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['ELOOP', 'its symbolic links form a loop'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENAMETOOLONG', 'its name is too long'],
]);

/**
 * The text of a regular file in UTF-8, without a byte order mark. Opens nothing else: a pipe would wait, and a device may
 * have no end.
 *
 * @param most its greatest size in bytes: what is left of the bound
 * @throws {SourceError}
 */
export function readText(file: string, most: number = BOUNDS.bytes): string {
  const bytes = readBytes(file, most);
  const text = bytes.toString('utf8');
  const again = Buffer.from(text);
  if (!again.equals(bytes)) {
    let wrong = 0;
    while (again[wrong] === bytes[wrong]) wrong++;
    const before = bytes.subarray(0, wrong).toString('utf8');
    throw new SourceError(`${placeIn(file, before, before.length)}: expected UTF-8 text, got other bytes`);
  }
  const nul = text.indexOf('\0');
  if (nul >= 0)
    throw new SourceError(`${placeIn(file, text, nul)}: expected UTF-8 text, got the character U+0000`);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function readBytes(file: string, most: number): Buffer {
  const refused = (reason: string) =>
    new Unreadable(`${shownName(file)}: cannot read the OpenAPI document: ${reason}`);
  let descriptor: number | undefined;
  try {
    const stats = statSync(file);
    const other = KINDS.find(([, is]) => is(stats));
    if (other) throw refused(`it is ${other[0]}, and only regular files are read`);
    descriptor = openSync(file, 'r');
    // The size of some files is not known before they are read.
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.min(2 ** 20, stats.size + 4096, most - size + 1));
      const read = readSync(descriptor, chunk);
      if (read === 0) return Buffer.concat(chunks);
      size += read;
      if (size > most)
        throw refused(`the files of a document may have at most ${BOUNDS.bytes} bytes in total`);
      chunks.push(chunk.subarray(0, read));
    }
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw refused(REASONS.get((error as NodeJS.ErrnoException).code ?? '') ?? 'it cannot be read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
