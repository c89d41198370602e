import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Extensions } from '../src/contract';
import { root } from './paths';

/** Loads a TypeScript module of the service, such as `src/extensions.ts`; undefined if there is no such file. */
export function loadModule(name: string): object | undefined {
  const file = path.join(root, name);
  if (!existsSync(file)) return undefined;
  const load = createRequire(__filename);
  // tsx loads TypeScript. It runs the toolchain itself, unless that is compiled.
  if (__filename.endsWith('.js')) load('tsx/cjs');
  return load(file) as object;
}

/** The formats and codecs of the service: the export of src/extensions.ts. None if there is no such file. */
export function readExtensions(): Extensions {
  const module = loadModule('src/extensions.ts') as { readonly extensions: Extensions } | undefined;
  return module?.extensions ?? {};
}
