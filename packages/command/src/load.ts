import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Extensions } from 'contract-first-server';
import { nameInProject, root } from './paths';

/**
 * Loads a TypeScript module of the service, such as `src/extensions.ts`; undefined if there is no such file.
 *
 * @throws {Error} with the name of the file, if it fails
 */
export function loadModule(name: string): object | undefined {
  const file = path.join(root, name);
  if (!existsSync(file)) return undefined;
  const load = createRequire(__filename);
  // tsx loads TypeScript. It runs the toolchain itself, unless that is compiled.
  if (__filename.endsWith('.js')) load('tsx/cjs');
  return named(name, () => load(file) as object);
}

/** Does what code of the service does. Its errors begin with the name of its file. */
export function named<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // What esbuild, by which tsx reads TypeScript, says of a file that it cannot read. The column starts at 0.
    const [, file, line = '', column, fault = ''] = /^(.+):(\d+):(\d+): ERROR: (.*)$/m.exec(message) ?? [];
    const sentence =
      file === undefined
        ? `${name}: ${message}`
        : `${nameInProject(path.resolve(file))}:${line}:${Number(column) + 1}: ${fault}`;
    throw new Error(sentence, { cause: error });
  }
}

/** The formats and codecs of the service: the export of src/extensions.ts. None if there is no such file. */
export function readExtensions(): Extensions {
  const module = loadModule('src/extensions.ts') as { readonly extensions: Extensions } | undefined;
  return module?.extensions ?? {};
}
