import { createRequire } from 'node:module';
import path from 'node:path';
import type { ServiceTarget } from './service-target';

/** The module that makes the service in the current folder a target. */
const SERVICE = 'tests/contract/service.ts';

/**
 * Loads the target of the service in the current folder: what `service()` of tests/contract/service.ts returns.
 *
 * @throws {Error} if there is no such file, or if it fails
 */
export function loadService(): ServiceTarget {
  const load = createRequire(__filename);
  // tsx loads TypeScript. It runs this program itself, unless that is compiled.
  if (__filename.endsWith('.js')) load('tsx/cjs');
  const { service } = load(path.resolve(SERVICE)) as { readonly service: () => ServiceTarget };
  return service();
}
