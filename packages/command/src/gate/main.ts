import type { Outcome } from '../command';
import { type Check, JEST, runChecks } from './checks';

/** The checks of a service. */
const CHECKS = {
  code: { commands: ['./code'] },
  format: {
    commands: [
      'prettier --check --log-level warn --cache --cache-strategy content --cache-location .cache/prettier.json .',
    ],
    remedy: 'npx prettier --write .',
  },
  generated: { commands: ['../cli generate --check'] },
  test: { commands: ['tsc -p src', `${JEST} --json --outputFile reports/jest.json`] },
} satisfies Readonly<Record<string, Check>>;

/**
 * Runs checks of the service in the current folder.
 *
 * @param names of the checks; by default those without tests
 * @returns with status 1 if one has failed
 * @throws {UsageError} if there is no such check
 */
export const runGate = (
  options: { readonly again?: boolean; readonly json?: boolean },
  names: readonly string[] = ['code', 'format', 'generated'],
): Promise<Outcome> => runChecks(CHECKS, names, options);
