import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { UsageError } from '../command';

/** A document to begin with. */
export const EXAMPLE = path.join(__dirname, '../../example.yaml');

/**
 * Asks for the document on a terminal.
 *
 * @throws {UsageError} if this is none, or the answer is its end
 */
export async function askDocument(input = process.stdin, output = process.stdout): Promise<string> {
  const missing = new UsageError(
    'DOCUMENT is missing; give an OpenAPI document in YAML or JSON. Example: contract-first new museum.yaml',
  );
  if (!input.isTTY || !output.isTTY) throw missing;
  const lines = createInterface({ input, output });
  try {
    lines.setPrompt('Path of your OpenAPI document (press Enter for a small example): ');
    lines.prompt();
    const [answer] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    if (answer === undefined) throw missing;
    return answer.trim() === '' ? EXAMPLE : answer.trim();
  } finally {
    lines.close();
  }
}
