import type { Extensions } from '../../src/contract';
import { loadModule } from '../load';

/** The formats and codecs of the service: the export of src/extensions.ts. None if there is no such file. */
export function readExtensions(): Extensions {
  const module = loadModule('src/extensions.ts') as { readonly extensions: Extensions } | undefined;
  return module?.extensions ?? {};
}
