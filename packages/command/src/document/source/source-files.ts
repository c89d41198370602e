import path from 'node:path';
import { BOUNDS } from './bounds';
import { isBelow, realPath, reasonNotRead, shownName } from './read-file';
import { SourceFile } from './source-file';

/** The files of one document: the main one, and those that it may refer to. */
export class SourceFiles {
  readonly main: SourceFile;
  private readonly folder: string;
  /** By their real paths. */
  private readonly files = new Map<string, SourceFile>();
  private bytes: number;

  /**
   * @param allowOutside whether others may be outside of the folder of the main file; undefined: never
   * @throws {SourceError} if the main file cannot be read
   */
  constructor(
    file: string,
    private readonly allowOutside: boolean | undefined,
  ) {
    const given = path.resolve(file);
    this.folder = realPath(path.dirname(given)) ?? path.dirname(given);
    this.main = new SourceFile(path.join(this.folder, path.basename(given)));
    this.files.set(realPath(given) ?? given, this.main);
    this.bytes = this.main.size;
  }

  all(): SourceFile[] {
    return [...this.files.values()];
  }

  /**
   * A file by its path: undefined if there is none, a sentence if it may not be part of the document.
   *
   * @throws {SourceError} if it cannot be read
   */
  open(name: string): SourceFile | string | undefined {
    const real = realPath(name);
    if (real === undefined) return undefined; // a broken reference, which is reported later
    const known = this.files.get(real);
    if (known) return known;
    const isAllowed = this.allowOutside === true || isBelow(this.folder, real);
    const reason = isAllowed ? reasonNotRead(this.folder, real) : this.outside();
    if (reason !== undefined) return `${shownName(real)} ${reason}`;
    if (this.files.size >= BOUNDS.files) return `a document may have at most ${BOUNDS.files} files`;
    const file = new SourceFile(real, BOUNDS.bytes - this.bytes);
    this.files.set(real, file);
    this.bytes += file.size;
    return file;
  }

  private outside(): string {
    const advice = this.allowOutside === undefined ? '' : ', or use --allow-outside';
    return `is outside the folder of the document: move it there${advice}`;
  }
}
