// Sets the exit status 2 if `node` is older than package.json requires, and prints a line that works there. Runs on every Node.
'use strict';
var fs = require('fs');
var path = require('path');

var file = path.join(__dirname, 'package.json');
var manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
var own = process.versions.node.split('.').map(Number);

// Whether this Node is older than a version.
function precedes(version) {
  var parts = version.split('.').map(Number);
  return own[0] < parts[0] || (own[0] === parts[0] && own[1] < parts[1]);
}

// The first that will do of each major, such as 24.16 and 26.1: of Node 25 there is none.
var firsts = manifest.engines.node.match(/\d+\.\d+/g);
var needed = firsts.filter(precedes)[0];
var isNewEnough =
  needed === undefined ||
  firsts.some(function (first) {
    return parseInt(first, 10) === own[0] && !precedes(first);
  });

// An argument of a shell.
function quoted(text) {
  return /^[\w./@:=,+-]+$/.test(text) ? text : JSON.stringify(text);
}

// The npm script that runs this; else what it is good for.
function script() {
  var manager = /^(pnpm|yarn)\//.exec(process.env.npm_config_user_agent) || ['', 'npm'];
  var event = (process.env.npm_lifecycle_event || 'npx').replace(/^pre/, '');
  return [manager[1]].concat(event === 'npx' ? ['install'] : ['run', event]);
}

// Returns whether Node is new enough. `command`: what a person typed, as a list of words; undefined: the npm script.
module.exports = function check(command) {
  if (isNewEnough) return true;
  var npx = 'npx -y -p node@' + parseInt(needed, 10) + ' ';
  // A checkout in which nothing is installed. Only a checkout has what the packages are built by.
  var isSource = fs.existsSync(path.join(__dirname, 'tsconfig.build.json'));
  var isFresh = isSource && !fs.existsSync(path.join(__dirname, '../../node_modules'));
  var line = (command || script()).map(quoted).join(' ');
  if (isFresh && !/^npm install$/.test(line)) line = 'npm ci && ' + npx + line;
  var sentence =
    'contract-first needs Node ' + needed + ' or newer, and this is Node ' + process.versions.node;
  console.error(sentence + '; to run it with a newer one:\n\n  ' + npx + line + '\n');
  process.exitCode = 2;
  return false;
};

if (require.main === module) module.exports();
