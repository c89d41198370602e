import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
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
