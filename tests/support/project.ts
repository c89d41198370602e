import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const HERE = resolve(__dirname, '../..');
/** A small contract of notes and its handler, for tests of the toolchain: they do not change with the service. */
const FIXTURE = join(__dirname, 'fixture');

/**
 * Node keeps the compiled code of the compiler and of the other tools. AGAIN may be set for the run of these tests, and
 * would change what the scripts do.
 */
const env = { ...process.env, AGAIN: '', NODE_COMPILE_CACHE: join(HERE, '.cache/node') };

/** A copy of this project in a temporary folder, with the same dependencies, to edit and to run its scripts in. */
export interface Project {
  readonly folder: string;
  read(file: string): string;
  write(file: string, text: string): void;
  makeFolder(name: string): void;
  /** Replaces a text that must be there. */
  edit(file: string, was: string, is: string): void;
  /** Runs a program of node_modules/.bin to its end. */
  run(program: string, ...args: string[]): { readonly status: number | null; readonly output: string };
  remove(): void;
}

/** @param more files and folders to copy beside those that the scripts need */
export function copyProject(...more: string[]): Project {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  for (const name of [
    'package.json',
    'tsconfig.json',
    '.prettierrc.json',
    'openapi',
    'generated',
    'src',
    'scripts',
    ...more,
  ]) {
    cpSync(join(HERE, name), join(folder, name), { recursive: true });
  }
  return openProject(folder);
}

/** The same, with the contract and the handler of the fixture in the place of those of the service. Nothing is generated. */
export function copyToolchain(): Project {
  const project = copyProject();
  for (const name of ['openapi', 'generated', 'src/handlers'])
    rmSync(join(project.folder, name), { recursive: true });
  cpSync(FIXTURE, project.folder, { recursive: true });
  project.makeFolder('generated');
  return project;
}

function openProject(folder: string): Project {
  symlinkSync(join(HERE, 'node_modules'), join(folder, 'node_modules'));
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const write = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
  };
  return {
    folder,
    read,
    write,
    makeFolder(name) {
      mkdirSync(join(folder, name));
    },
    edit(file, was, is) {
      const text = read(file);
      if (!text.includes(was)) throw new Error(`${file} has no ${JSON.stringify(was)}`);
      write(
        file,
        text.replace(was, () => is),
      );
    },
    run(program, ...args) {
      const file = join(HERE, 'node_modules/.bin', program);
      const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, encoding: 'utf8', env });
      return { status, output: stdout + stderr };
    },
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}
