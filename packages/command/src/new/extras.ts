/** What a service has only if it is asked for: none of it is needed to run, test or change the service. */
import { unknown, UsageError } from '../command';

const NAMES = ['deploy', 'github', 'vscode'] as const;
export type Extras = ReadonlySet<(typeof NAMES)[number]>;

export const NO_EXTRAS: Extras = new Set();

/** The files of each. */
const FILES: Readonly<Record<(typeof NAMES)[number], RegExp>> = {
  deploy: /^(?:Dockerfile|\.dockerignore|deploy\/.*|\.ci\/image)$/,
  github: /^(?:\.github|\.ci)\//,
  vscode: /^(?:\.vscode\/.*|\.editorconfig)$/,
};

/**
 * Reads the names of extras, separated by commas.
 *
 * @throws {UsageError} if there is no such extra
 */
export function readExtras(text: string): Extras {
  const given = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const known = NAMES.filter((name) => given.includes(name));
  const [wrong] = given.filter((name) => !NAMES.some((one) => one === name));
  if (wrong !== undefined)
    throw new UsageError(`--with: ${unknown('extra', wrong, NAMES)}; use ${NAMES.join(', ')}`);
  return new Set(known);
}

/** Whether a service with these extras has a file. What belongs to two needs both. */
export const isWanted = (file: string, extras: Extras): boolean =>
  NAMES.every((name) => extras.has(name) || !FILES[name].test(file));
