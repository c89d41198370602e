/** Whether a command is to print every line: with `--all`, or after `make ... ALL=1`, which make puts into the environment. */
export const printsAll = (all = false): boolean => all || Boolean(process.env['ALL']);

/**
 * Cuts sections so that all of them have at most `most` lines. Short ones stay whole; a cut one ends with the number of lines
 * that it lacks.
 *
 * @param command lists the rest
 */
export function bounded(sections: readonly (readonly string[])[], most: number, command: string): string[] {
  const shown = new Map<readonly string[], readonly string[]>();
  let [left, waiting] = [most, sections.length];
  for (const section of sections.toSorted((a, b) => a.length - b.length)) {
    const share = Math.floor(left / waiting--);
    const lines = section.length <= share ? section : cut(section, share, command);
    shown.set(section, lines);
    left -= lines.length;
  }
  return sections.flatMap((section) => shown.get(section) ?? []);
}

const cut = (lines: readonly string[], most: number, command: string): string[] => [
  ...lines.slice(0, most - 1),
  `and ${lines.length - most + 1} more: \`${command}\` lists them`,
];
