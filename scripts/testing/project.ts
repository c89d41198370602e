import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

const HERE = resolve(__dirname, '../..');
/** A small contract of notes and its handler, for tests of the toolchain. It does not change with the service. */
const FIXTURE = join(__dirname, 'fixture');

/**
 * The environment of the tools. It keeps compiled code in a cache, and unsets AGAIN, which may be set for this test run
 * and changes the behavior of the scripts.
 */
const env = {
  ...process.env,
  AGAIN: '',
  FORCE_COLOR: undefined,
  NO_COLOR: '1',
  NODE_COMPILE_CACHE: join(HERE, '.cache/node'),
};

/** The command as `make pack` builds it: it starts in a tenth of the time that its sources take. */
export const COMMAND = join(HERE, '.cache/pack/contract-first/dist/cli.js');

/** A copy of the service in a temporary folder, with the same dependencies. */
export interface Project {
  readonly folder: string;
  read(file: string): string;
  write(file: string, text: string): void;
  makeFolder(name: string): void;
  /** The files of a folder, by their paths. */
  list(folder: string): string[];
  /** Replaces a text that must exist in the file. */
  edit(file: string, was: string, is: string): void;
  /** Runs a program of node_modules/.bin to its end. */
  run(program: string, ...args: string[]): Ended;
  /** Runs `contract-first` to its end. */
  command(verb: string, ...args: string[]): Ended;
  remove(): void;
}

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** @param more files and folders to copy in addition to those that the scripts need */
export function copyProject(...more: string[]): Project {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  for (const name of ['package.json', 'tsconfig.json', 'openapi', 'generated', 'src', ...more]) {
    cpSync(join(HERE, name), join(folder, name), { recursive: true });
  }
  asService(folder);
  return openProject(folder);
}

/** A service compiles against the packages that are built. */
function asService(folder: string): void {
  const file = join(folder, 'tsconfig.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"@contract-first/source"', '').replace('"packages", ', ''));
}

/**
 * Copies the build with the state of the compiler, which then checks only the files that differ. Without a build it checks
 * all.
 */
function copyBuild(folder: string): void {
  if (!existsSync(join(HERE, 'dist/tsconfig.tsbuildinfo'))) return;
  cpSync(join(HERE, 'dist'), join(folder, 'dist'), { recursive: true });
  const state = join(folder, 'dist/tsconfig.tsbuildinfo');
  // The paths in it are relative to dist/, and node_modules/ of a copy is a link.
  const modules = relative(join(realpathSync(folder), 'dist'), realpathSync(join(HERE, 'node_modules')));
  writeFileSync(state, readFileSync(state, 'utf8').replaceAll('"../node_modules/', `"${modules}/`));
}

/**
 * A copy with the contract and the handler of the fixture instead of those of the service. Nothing is generated yet.
 */
export function copyToolchain(): Project {
  const project = copyProject();
  copyBuild(project.folder);
  resetToolchain(project);
  return project;
}

/**
 * Restores the contract and the handler of the fixture, and the extensions. All else stays: a copy that many tests share
 * is compiled once, and then only what a test changes.
 */
export function resetToolchain(project: Project): void {
  const { folder } = project;
  for (const name of ['openapi', 'generated', 'src/handlers', '.cache/generate'])
    rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(FIXTURE, folder, { recursive: true });
  cpSync(join(HERE, 'src/extensions.ts'), join(folder, 'src/extensions.ts'));
  project.makeFolder('generated');
}

function openProject(folder: string): Project {
  symlinkSync(join(HERE, 'node_modules'), join(folder, 'node_modules'));
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const write = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
  };
  const end = (file: string, ...args: string[]): Ended => {
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, encoding: 'utf8', env });
    return { status, output: stdout + stderr };
  };
  return {
    folder,
    read,
    write,
    makeFolder(name) {
      mkdirSync(join(folder, name));
    },
    list: (name) => readdirSync(join(folder, name)).map((file) => join(name, file)),
    edit(file, was, is) {
      const text = read(file);
      if (!text.includes(was))
        throw new Error(`${file}: expected the text ${JSON.stringify(was)}, which it does not contain`);
      write(
        file,
        text.replace(was, () => is),
      );
    },
    run: (program, ...args) => end(join(HERE, 'node_modules/.bin', program), ...args),
    command: (...args) => end(process.execPath, COMMAND, ...args),
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}
