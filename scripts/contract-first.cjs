#!/usr/bin/env node
// The program `contract-first`. It is written for the oldest Node, which must be able to say that it is too old.
'use strict';
var path = require('path');

process.exitCode = 0;
require('./node-version.cjs');
if (process.exitCode === 0) {
  if (require('fs').existsSync(path.join(__dirname, 'cli.js'))) require('./cli.js');
  else {
    // The sources of this package, in whatever folder it is called.
    var tsx = String(require('url').pathToFileURL(require.resolve('tsx')));
    var args = ['--import', tsx, path.join(__dirname, 'cli.ts')].concat(process.argv.slice(2));
    process.exitCode = require('child_process').spawnSync(process.execPath, args, {
      stdio: 'inherit',
    }).status;
  }
}
