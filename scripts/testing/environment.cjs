'use strict';
const { appendFileSync, mkdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { TestEnvironment } = require('jest-environment-node');

/** Milliseconds of one tick of /proc, which Linux has fixed for user space. */
const TICK = 10;

/** The CPU time of the processes that this one has started and that have ended, in milliseconds. Linux alone tells it. */
function ofChildren() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(13, 15); // proc(5): cutime, cstime
    return (Number(user) + Number(system)) * TICK;
  } catch {
    return 0;
  }
}

/** The environment of Jest for Node, which also notes the CPU time of its suite. The reporter slowest.mjs prints it. */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.suite = path.relative(config.projectConfig.rootDir, context.testPath);
    this.notes = path.join(config.projectConfig.rootDir, 'reports/suites.jsonl');
    this.global.nativeRequire = require; // for native.cjs
    this.before = { own: process.cpuUsage(), children: ofChildren() };
  }

  async teardown() {
    await super.teardown();
    const { user, system } = process.cpuUsage(this.before.own);
    const children = ofChildren() - this.before.children;
    const note = { suite: this.suite, own: (user + system) / 1000, children };
    mkdirSync(path.dirname(this.notes), { recursive: true });
    appendFileSync(this.notes, `${JSON.stringify(note)}\n`);
  }
};
