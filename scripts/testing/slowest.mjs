import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** The number of suites to list. */
const MOST = 15;
const NOTES = 'reports/suites.jsonl';

const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1).padStart(8);

/** A reporter of Jest that lists the suites that cost the most CPU time. environment.cjs notes it. */
export default class Slowest {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    this.notes = path.join(rootDir, NOTES);
    rmSync(this.notes, { force: true });
  }

  onRunComplete(_, { testResults }) {
    if (testResults.length <= MOST) return;
    const spent = new Map();
    for (const line of readFileSync(this.notes, 'utf8').trim().split('\n')) {
      const { suite, own, children } = JSON.parse(line);
      spent.set(suite, { own, children });
    }
    const suites = testResults
      .map(({ testFilePath, perfStats }) => {
        const suite = path.relative(this.rootDir, testFilePath);
        return { suite, wall: perfStats.end - perfStats.start, own: 0, children: 0, ...spent.get(suite) };
      })
      .sort((a, b) => b.own + b.children - a.own - a.children);
    const sum = (all, field) => all.reduce((total, one) => total + one[field], 0);
    const row = (name, all) =>
      `${seconds(sum(all, 'own') + sum(all, 'children'))}${seconds(sum(all, 'children'))}${seconds(sum(all, 'wall'))}  ${name}\n`;
    const rest = suites.slice(MOST);
    process.stderr.write(
      `\nSeconds by suite:\n${['CPU', 'children', 'wall'].map((head) => head.padStart(8)).join('')}\n${suites
        .slice(0, MOST)
        .map((one) => row(one.suite, [one]))
        .join('')}${row(`${rest.length} more suites`, rest)}${row('all suites', suites)}`,
    );
  }
}
