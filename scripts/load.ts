import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Extensions } from '../src/contract';
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
    const { message, errors } = error as Partial<Error & { errors: readonly SyntaxFault[] }>;
    const fault = errors?.[0];
    const place = fault?.location;
    const sentence = place
      ? `${nameInProject(path.resolve(place.file))}:${place.line}:${place.column + 1}: ${fault.text}`
      : `${name}: ${message ?? String(error)}`;
    throw new Error(sentence, { cause: error });
  }
}

/** What esbuild, by which tsx reads TypeScript, says of a file that it cannot read. The column starts at 0. */
interface SyntaxFault {
  readonly text: string;
  readonly location?: { readonly file: string; readonly line: number; readonly column: number } | null;
}

/** The formats and codecs of the service: the export of src/extensions.ts. None if there is no such file. */
export function readExtensions(): Extensions {
  const module = loadModule('src/extensions.ts') as { readonly extensions: Extensions } | undefined;
  return module?.extensions ?? {};
}
