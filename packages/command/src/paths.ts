import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RUN, UsageError } from './command';

/** The root folder of the service, where the commands run. The paths below are relative to it. */
export let root = process.cwd();

/**
 * A file of node_modules/, in the folder of the service or in the nearest above it that has it, as Node resolves packages: in
 * a workspace, the packages of a member stand in the root of it.
 *
 * @returns the path in the folder of the service if there is none
 */
export function installed(...name: string[]): string {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'node_modules', ...name);
    if (existsSync(file)) return file;
    if (folder === path.dirname(folder)) return path.join(root, 'node_modules', ...name);
  }
}

/** The name of a file in the project, with slashes on every system. */
export const nameInProject = (file: string): string => path.relative(root, file).replaceAll(path.sep, '/');

/** Changes the project that the scripts work on. A test loads the scripts once and runs them on many projects. */
export function workOn(folder: string): void {
  root = folder;
  process.chdir(folder);
}

/** What leads Node to the sources of the packages, if this program runs from its own. */
export const CONDITIONS: readonly string[] = __filename.endsWith('.ts')
  ? ['--conditions=@contract-first/source']
  : [];

/** What the scripts read of the package.json of a service. */
export interface Manifest {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * The package.json of the service; empty if there is none.
 *
 * @throws {UsageError} if it is none
 */
export function readManifest(): Manifest {
  const file = path.join(root, 'package.json');
  if (!existsSync(file)) return {};
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof manifest === 'object' && manifest !== null) return manifest;
  } catch {
    // The same sentence.
  }
  throw new UsageError('package.json: expected a JSON object');
}

/** What every service has in its folder. */
const PARTS = ['package.json', 'openapi', 'src'];

/** @throws {UsageError} if the current folder is not that of a service */
export function assertService(): void {
  readManifest();
  const missing = PARTS.find((name) => !existsSync(name));
  if (missing !== undefined)
    throw new UsageError(
      `${process.cwd()} is not the folder of a service: it has no ${missing}; go to one, or create one with \`${RUN} new DOCUMENT\``,
    );
}

/** The folder of the document and of its parts. */
export const SOURCES = 'openapi';
export const OVERLAY = 'openapi/overlay.yaml';
export const PUBLISHED = 'generated/openapi.json';
/** The intended breaks of the contract, if there are any. */
export const ACCEPTED = 'openapi/accepted-breaks.yaml';
/** The operations whose handlers still have former names; absent if there are none. */
export const RENAMED = 'generated/renamed.json';
export const TYPES = 'generated/openapi.d.ts';
/** In src/, because a program needs it at run time; absent if the document has no enum. */
export const VALUES = 'src/values.ts';
