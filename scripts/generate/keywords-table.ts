/** `tsx scripts/generate/keywords-table.ts`: prints the table of keywords that README contains. */
import { type Support, type Kind, OBJECTS } from '../../src/contract';

/** The columns of the table. All other keywords are enforced. */
const SUPPORTS: readonly Support[] = ['documented', 'unenforced', 'refused'];

/**
 * The keywords that are not enforced, as a Markdown table: one row for each object that has some, and one row for all
 * objects whose keywords are all documented.
 */
export function keywordsTable(): string {
  const rows = [...OBJECTS.values()]
    .filter(({ keywords }) => keywords.size > 0)
    .map(({ name, keywords }) => ({
      name: title(name),
      cells: SUPPORTS.map((support) =>
        [...keywords].flatMap(([keyword, { support: own }]) => (own === support ? [`\`${keyword}\``] : [])),
      ),
      documented: [...keywords.values()].every(({ support }) => support === 'documented'),
    }));
  const annotations = rows.filter(({ documented }) => documented).map(({ name }) => name);
  const lines = rows
    .filter(({ cells, documented }) => !documented && cells.some((keywords) => keywords.length > 0))
    .map(({ name, cells }) => `| ${[name, ...cells.map((keywords) => keywords.join(' '))].join(' | ')} |`);
  return [
    `| object | ${SUPPORTS.join(' | ')} |`,
    `| --- |${SUPPORTS.map(() => ' --- |').join('')}`,
    ...lines,
    `| ${annotations.join(', ')} | all | | |`,
    '',
  ].join('\n');
}

const title = (kind: Kind): string => kind.replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ');

if (require.main === module) console.log(keywordsTable());
