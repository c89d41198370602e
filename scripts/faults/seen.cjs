/**
 * Writes into the file FAULTS_SEEN which modules are loaded. `make faults` runs it twice: Jest before each suite, and Node
 * by --require in the processes that a suite starts. Those may be killed, so that each module is written at once.
 */
const { appendFileSync } = require('node:fs');

if (typeof expect === 'function') watchSuite();
else watchProcess();

function watchSuite() {
  const children = require('node:child_process');
  const { relative } = require('node:path');
  const { promisify } = require('node:util');
  const suite = relative(process.cwd(), expect.getState().testPath);
  const file = `${process.env.FAULTS_SEEN}/${suite.replaceAll(/[\\/]/g, ' ')}`;
  /** The arguments of a function that starts a process, with what the process needs in its environment. */
  const watched = (args) => {
    const at = args.findIndex((each, index) => index > 0 && !Array.isArray(each));
    const options = at < 0 || typeof args[at] === 'function' ? undefined : (args[at] ?? {});
    const env = options?.env ?? process.env;
    const NODE_OPTIONS = `--require=${__filename} ${env.NODE_OPTIONS ?? ''}`;
    const changed = { ...options, env: { ...env, NODE_OPTIONS, FAULTS_SEEN: file } };
    return args.toSpliced(at < 0 ? args.length : at, options && at >= 0 ? 1 : 0, changed);
  };
  const originals = {};
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    const original = (originals[name] = children[name]);
    children[name] = (...args) => original(...watched(args));
    const promised = original[promisify.custom];
    if (promised) children[name][promisify.custom] = (...args) => promised(...watched(args));
  }
  afterAll(() => {
    Object.assign(children, originals);
    appendFileSync(file, Object.keys(require.cache).join('\n') + '\n');
  });
}

function watchProcess() {
  const file = process.env.FAULTS_SEEN;
  const seen = new Set();
  require('node:module').registerHooks?.({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const [, name] = /.*\/node_modules\/([^/]+)/.exec(found.url) ?? [];
      const isOfInterest =
        found.url.startsWith('file:') &&
        (!name || /^(contract-first(-(database|prover|server))?|jest-cli)$/.test(name));
      if (isOfInterest && !seen.has(found.url)) appendFileSync(file, `${found.url}\n`);
      seen.add(found.url);
      return found;
    },
  });
}
