import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Extensions } from '../../src/contract';
import { EXTENSIONS, root } from '../paths';

/** The formats and codecs of the service: the export of src/extensions.ts. None if there is no such file. */
export function readExtensions(): Extensions {
  const file = path.join(root, EXTENSIONS);
  if (!existsSync(file)) return {};
  const load = createRequire(__filename);
  // tsx loads TypeScript. It runs the toolchain itself, unless that is compiled.
  if (__filename.endsWith('.js')) load('tsx/cjs');
  return (load(file) as { readonly extensions: Extensions }).extensions;
}
