/**
 * `tsx --conditions=@contract-first/source packages/command/src/commands-page.ts`: writes the help of each verb into
 * docs/commands.md. Run it after a change of a verb.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { helpOf } from './command';
import { root } from './paths';
import { VERBS } from './verbs';

/** The page, with the help of each verb below this heading. */
export function withHelp(page: string): string {
  const [before = ''] = page.split(/(?<=^## Every command\n)/m);
  const sections = VERBS.map(
    (verb) =>
      `\n### ${verb.name}\n\n\`\`\`text\n${stripVTControlCharacters(helpOf(verb, Infinity))}\n\`\`\`\n`,
  );
  return before + sections.join('');
}

if (require.main === module) {
  const file = path.join(root, 'docs/commands.md');
  writeFileSync(file, withHelp(readFileSync(file, 'utf8')));
}
