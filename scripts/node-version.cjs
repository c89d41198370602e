// Sets the exit status 2, with a sentence, if `node` is older than package.json requires. Runs on every Node.
'use strict';
var fs = require('fs');
var path = require('path');

// Of the sources, or of the package.
var file = ['../package.json', '../../package.json']
  .map(function (name) {
    return path.join(__dirname, name);
  })
  .filter(fs.existsSync)[0];
var oldest = /[\d.]+/.exec(JSON.parse(fs.readFileSync(file, 'utf8')).engines.node)[0];
var least = oldest.split('.').map(Number);
var own = process.versions.node.split('.').map(Number);
if (own[0] < least[0] || (own[0] === least[0] && own[1] < least[1])) {
  var got = 'got ' + process.versions.node + ': install one, https://nodejs.org';
  console.error('expected Node ' + oldest + ' or later, ' + got);
  process.exitCode = 2;
}
