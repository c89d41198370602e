import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const README = join(__dirname, 'README.md');

const toMarkdown = ([head = [], ...rows]: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

/** Writes tables, and paragraphs below them, between the comments of this name in README.md. */
export function drawTables(
  name: string,
  tables: readonly (readonly (readonly (string | number)[])[])[],
  paragraphs: readonly string[] = [],
): void {
  const parts = [...tables.map(toMarkdown), ...(paragraphs.length > 0 ? [paragraphs.join('\n')] : [])];
  const drawn = `<!-- ${name} -->\n\n${parts.join('\n\n')}\n\n<!-- /${name} -->`;
  const pattern = new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`);
  const text = readFileSync(README, 'utf8');
  writeFileSync(
    README,
    text.replace(pattern, () => drawn),
  );
}
