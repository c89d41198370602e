/**
 * `tsx scripts/checks.ts NAME ... [--part database,server]`: the checks of this repository. `make check`, `make test` and the like
 * run them.
 */
import { parseArgs } from 'node:util';
import { type Check, JEST, runChecks } from 'contract-first/checks';
import { ALL, foldersOf, partsToTest } from './parts';

const except = (names: readonly string[], folders: readonly string[] = []) =>
  `--testPathPatterns ^(?!.*(${names.join('|')}))${folders.length > 0 ? `(${folders.join('|')})/` : ''}`;
/** Suites that take minutes: `make test` leaves them out. */
const SLOW = String.raw`\.slow\.test\.`;
/**
 * The paths that `make quick` leaves out beside them: tests of processes and of PostgreSQL, and suites that take seconds because
 * they measure, generate their cases, send them by the prover, or run a compiler.
 */
const LEFT_OUT =
  'packages/command/tests/e2e advice.test black-box.test select-response.test contract/webhooks.test conversion.test ' +
  'databases.test explain.test handler-types.test ' +
  'verbs/columns.test http/client.test http/names.test json-schema-test-suite.test layout.test limiter.test long-bodies.test ' +
  'multipart-splitter.test new/failure.test one-way.test openapi-3.2.test pattern.test postgres received-streams.test ' +
  'refusals.test representations.test schema/names.test sent-streams.test sound-changes.test ' +
  'sqlite-truth.test stores.test test-database.test packages/database/tests wire/hostile.test';

const TSX = 'tsx --conditions=@contract-first/source';
/** By its path: npm gives the name `tsc` to either of two compilers. */
const TSC = 'typescript-7/bin/tsc';
/** What end-to-end tests run: the server of this service, and the packages as others install them. */
const BUILT = [
  `${TSC} -b packages/server/tsconfig.build.json`,
  `${TSC} -p src`,
  `${TSX} scripts/pack/main.ts`,
];

/** The checks, with the tests of some parts. */
const checksOf = (parts: readonly string[], test: string): Readonly<Record<string, Check>> => ({
  code: { commands: [`${TSX} packages/command/src/gate/code.ts`] },
  boundaries: { commands: [`${TSX} scripts/boundaries.ts`] },
  format: {
    commands: [
      'prettier --check --log-level warn --cache --cache-strategy content --cache-location .cache/prettier.json .',
    ],
    remedy: 'make format',
  },
  generated: { commands: ['contract-first generate --check', `${TSX} scripts/pack/deployment.ts --check`] },
  quick: {
    commands: [`${JEST} ${except([SLOW, ...LEFT_OUT.split(' ')])}`],
    omission: `not run: ${LEFT_OUT.replaceAll(' ', ', ')}; \`make test\` runs them`,
  },
  [test]: {
    commands: [
      ...BUILT,
      `${JEST} ${except([SLOW], foldersOf(parts))} --json --outputFile reports/jest.json`,
      `${TSX} scripts/parts.ts ${parts.join(' ')}`,
    ],
  },
  slow: {
    // A test that takes a minute on a quiet machine takes several on a busy one of half the speed.
    commands: [
      ...BUILT,
      `${JEST} --testTimeout 600000 --testPathPatterns ${SLOW} --json --outputFile reports/jest-slow.json`,
    ],
  },
  browser: {
    commands: [
      ...BUILT,
      'jest --testMatch **/tests/**/*.browser.ts --json --outputFile reports/jest-browser.json',
    ],
  },
});

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { part: { type: 'string' } },
    allowPositionals: true,
  });
  const parts = values.part?.split(',') ?? partsToTest();
  const passed = values.part === undefined ? ALL.filter((part) => !parts.includes(part)) : [];
  if (positionals.includes('test') && passed.length > 0)
    console.log(`already passed on these files: ${passed.join(', ')}; to test them again, use AGAIN=1`);
  // A part has a note of its own, so that it does not count as the whole.
  const test = parts.length === ALL.length ? 'test' : `test-${parts.join('-')}`;
  const names = positionals
    .filter((name) => name !== 'test' || parts.length > 0)
    .map((name) => (name === 'test' ? test : name));
  const { status } = await runChecks(checksOf(parts, test), names);
  process.exitCode = status;
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 2;
});
