/**
 * Keeps the compiled code of a service beside its `main.js`, for its next start. The runtime imports this file before any other:
 * Node keeps what is loaded from now on. Where the folder cannot be written, Node keeps nothing, and says nothing. No other
 * program is meant: the toolchain has a folder of its own, and a test does not write beside what it tests.
 */
import { enableCompileCache } from 'node:module';
import path from 'node:path';

const program = require.main?.filename;
if (program !== undefined && path.basename(program) === 'main.js')
  enableCompileCache(path.join(path.dirname(program), '.cache'));
