#!/usr/bin/env node
// The program `contract-first`. It is written for the oldest Node, which must be able to say that it is too old.
'use strict';
var fs = require('fs');
var path = require('path');

var args = process.argv.slice(2);
var source = path.join(__dirname, '../src/cli.ts');
// Only a checkout has what the packages are built by.
var isPackage = !fs.existsSync(path.join(__dirname, '../tsconfig.build.json'));
// Nothing is linked yet in a checkout in which nothing is installed.
var isNewEnough = require(isPackage ? 'contract-first-server/node-version' : '../../server/node-version.cjs');

// How a person runs this program: the sources by node, the package by npx, which got it from the packages that are named.
function typed() {
  if (!isPackage) return ['node', path.relative('', __filename)].concat(args);
  var named = (process.env.npm_config_package || '').split(/\s+/).filter(function (name) {
    return name !== '' && !/^node(@|$)/.test(name);
  });
  if (named.length === 0 && /[\\/]_npx[\\/]/.test(__dirname)) named = ['contract-first'];
  var options = named.map(function (name) {
    return ['-p', name];
  });
  return [].concat.apply([], options).concat('contract-first', args);
}

// `npx -p FILE.tgz contract-first VERB` in a service that has this version: the one there has the packages that the verbs need.
// `new` and `upgrade` are for services that do not have it yet. A script of a service runs its own already.
var manifest = path.join(__dirname, '../package.json');
var installed = 'node_modules/contract-first/package.json';
function versionIn(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8')).version;
}
var isFromOutside =
  isPackage &&
  (process.env.npm_lifecycle_event || 'npx') === 'npx' &&
  ['new', 'upgrade'].indexOf(args[0]) < 0 &&
  fs.existsSync(installed) &&
  fs.realpathSync(installed) !== fs.realpathSync(manifest) &&
  versionIn(installed) === versionIn(manifest);

// `contract-first --node` is what an npm script begins with whose own program does not say that Node is too old.
if (isFromOutside) require(path.resolve(installed, '../bin/contract-first.cjs'));
else if (args[0] === '--node') isNewEnough();
else if (isNewEnough(typed())) {
  if (isPackage) require('../dist/cli.js');
  else {
    // The sources of this package, in whatever folder it is called.
    var tsx = String(require('url').pathToFileURL(require.resolve('tsx')));
    // Without the condition it would run what was last built of the other packages.
    var command = ['--conditions=@contract-first/source', '--import', tsx, source].concat(args);
    var options = { stdio: 'inherit' };
    process.exitCode = require('child_process').spawnSync(process.execPath, command, options).status;
  }
}
