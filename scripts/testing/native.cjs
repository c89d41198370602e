'use strict';
// Jest cannot load openapi-typescript. Node's own loader can, and loads it once for all suites of a worker: see environment.cjs.
module.exports = globalThis.nativeRequire('openapi-typescript');
