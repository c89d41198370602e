/**
 * The parts of this repository that have tests. A part whose tests have passed is not tested again until its files, those of
 * the packages it imports, the test support, the installed packages or Node change.
 *
 * `tsx scripts/parts.ts PART ...` notes that the tests of these parts have passed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { treeDigest } from 'contract-first/checks';

const ROOT = path.join(__dirname, '..');
/** The folder of a file for each part that has passed. */
const NOTES = path.join(ROOT, '.cache/parts');

/** What all parts share. */
const SHARED = ['package.json', 'tsconfig.json', 'packages/*.json', 'scripts/testing'];
const DATABASE = [...SHARED, 'packages/database'];
/** The tests of the server start the plant store. */
const SERVICE = ['src', 'openapi', 'generated'];
const SERVER = [...DATABASE, ...SERVICE, 'packages/server', 'packages/prover'];

/** The folder of the tests of each part, and what affects them. What has no list is affected by every file. */
const PARTS: Readonly<Record<string, { readonly tests: string; readonly files?: readonly string[] }>> = {
  database: { tests: 'packages/database/tests', files: DATABASE },
  server: { tests: 'packages/server/tests', files: SERVER },
  prover: { tests: 'packages/prover/tests', files: SERVER },
  command: { tests: 'packages/command/tests' },
  service: { tests: 'tests' },
  scripts: { tests: 'scripts' },
};

const digestOf = (part: string): string | undefined => treeDigest(PARTS[part]?.files);

function hasPassed(part: string): boolean {
  try {
    return readFileSync(path.join(NOTES, part), 'utf8') === digestOf(part);
  } catch {
    return false; // it has never passed
  }
}

export const ALL = Object.keys(PARTS);

/** The parts whose tests have not passed on these files. */
export const partsToTest = (): string[] =>
  process.env['AGAIN'] ? ALL : ALL.filter((part) => !hasPassed(part));

/** The folders of the tests of some parts. */
export const foldersOf = (parts: readonly string[]): string[] =>
  parts.map((part) => {
    const found = PARTS[part];
    if (found === undefined) throw new Error(`unknown part ${part}; the parts are ${ALL.join(', ')}`);
    return path.join(ROOT, found.tests).replaceAll(path.sep, '/');
  });

if (require.main === module) {
  mkdirSync(NOTES, { recursive: true });
  for (const part of process.argv.slice(2)) writeFileSync(path.join(NOTES, part), digestOf(part) ?? '');
}
