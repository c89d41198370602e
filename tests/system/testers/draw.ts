import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const README = join(__dirname, 'README.md');

const toMarkdown = ([head = [], ...rows]: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

/** Writes tables between the comments of this name in README.md. */
export function drawTables(
  name: string,
  tables: readonly (readonly (readonly (string | number)[])[])[],
): void {
  const drawn = `<!-- ${name} -->\n\n${tables.map(toMarkdown).join('\n\n')}\n\n<!-- /${name} -->`;
  const pattern = new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`);
  const text = readFileSync(README, 'utf8');
  writeFileSync(
    README,
    text.replace(pattern, () => drawn),
  );
}
