import { constants, runInThisContext } from 'node:vm';
import type * as jose from 'jose' with { 'resolution-mode': 'import' };

type Jose = typeof jose;

/**
 * Loads the package jose, an ES module, on demand: that takes some 20 ms. Jest cannot import ES modules by default; in the
 * tests of a service the loader of Node does it, which is experimental.
 */
export const loadJose = (): Promise<Jose> => import('jose').catch(loadByNode);

function loadByNode(): Promise<Jose> {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const options = { filename: __filename, importModuleDynamically };
  return (runInThisContext('() => import("jose")', options) as () => Promise<Jose>)();
}
