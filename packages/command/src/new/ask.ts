import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { UsageError } from '../command';
import { type Extras, NO_EXTRAS, readExtras } from './extras';

/** A document to begin with. */
export const EXAMPLE = path.join(__dirname, '../../example.yaml');

/**
 * Asks for the document on a terminal.
 *
 * @throws {UsageError} if this is not a terminal, or its input ends
 */
export async function askDocument(input = process.stdin, output = process.stdout): Promise<string> {
  const answer = await ask(
    'Path of your OpenAPI document (press Enter for a small example): ',
    input,
    output,
  );
  if (answer === undefined)
    throw new UsageError(
      'DOCUMENT is missing; give an OpenAPI document in YAML or JSON. Example: contract-first new museum.yaml',
    );
  return answer === '' ? EXAMPLE : answer;
}

/**
 * Asks on a terminal what the service has beside what it needs. Nothing, if this is no terminal.
 *
 * @throws {UsageError} if there is no such extra
 */
export async function askExtras(input = process.stdin, output = process.stdout): Promise<Extras> {
  const answer = await ask(
    'Add deploy (Dockerfile, Kubernetes), github (CI) or vscode? Names separated by commas (press Enter for none): ',
    input,
    output,
  );
  return answer === undefined ? NO_EXTRAS : readExtras(answer);
}

/** The answer of a person; undefined if this is no terminal, or the input has ended. */
async function ask(
  question: string,
  input: typeof process.stdin,
  output: typeof process.stdout,
): Promise<string | undefined> {
  if (!input.isTTY || !output.isTTY) return undefined;
  const lines = createInterface({ input, output });
  try {
    lines.setPrompt(question);
    lines.prompt();
    const [answer] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    return answer?.trim();
  } finally {
    lines.close();
  }
}
