/**
 * How Node loads a service. The runtime imports this file before any other: it counts for what is loaded from now on. No other
 * program is meant: the toolchain has a cache of its own, and a test does not write beside what it tests.
 */
import { enableCompileCache, setSourceMapsSupport } from 'node:module';
import path from 'node:path';
import isNewEnough from '../../../node-version.cjs';

const program = require.main?.filename;
if (program !== undefined && path.basename(program) === 'main.js') {
  if (!isNewEnough(['node', ...process.argv.slice(1)])) process.exit();
  // Compiled code, for the next start. Where the folder cannot be written, Node keeps nothing, and says nothing.
  enableCompileCache(path.join(path.dirname(program), '.cache'));
  // Node would read the source maps of all packages at each start.
  if (process.sourceMapsEnabled) setSourceMapsSupport(true, { nodeModules: false });
}
