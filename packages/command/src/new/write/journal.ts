import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a program adds to a folder, so that a failure can take it back. Nothing that exists is ever changed. */
export class Journal {
  /** The folders above what is added, from the outermost one. */
  private readonly folders: string[] = [];
  private readonly added: string[] = [];

  /** @param root the folder, which may not exist yet */
  constructor(private readonly root: string) {}

  /** Creates the folder. */
  open(folder = this.root): void {
    if (existsSync(folder)) return;
    this.open(path.dirname(folder));
    mkdirSync(folder);
    this.folders.push(folder);
  }

  /**
   * Says that this file or folder will be added with all that is in it, if it does not exist.
   *
   * @param name its path in the folder
   * @returns its path
   */
  claim(name: string): string {
    const target = path.join(this.root, name);
    let outermost = target;
    while (!existsSync(path.dirname(outermost))) outermost = path.dirname(outermost);
    if (!existsSync(outermost)) this.added.push(outermost);
    return target;
  }

  /** @throws {Error} if the file exists */
  write(name: string, content: string | Buffer): void {
    const target = this.claim(name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content, { flag: 'wx' });
  }

  /** Removes what was added. What others have put beside it stays. */
  undo(): void {
    for (const target of this.added) rmSync(target, { recursive: true, force: true, maxRetries: 3 });
    for (const folder of this.folders.toReversed()) {
      try {
        rmdirSync(folder);
      } catch {
        return; // somebody else has put something there
      }
    }
  }
}
