/** `tsx scripts/generate/words-table.ts`: prints the table of keywords that README contains. */
import { type Fate, type Kind, OBJECTS } from '../../src/contract';

/** The columns of the table. All other keywords are enforced. */
const FATES: readonly Fate[] = ['carried', 'remarked', 'refused'];

/**
 * The keywords that are not enforced, as a Markdown table: one row for each object that has some, and one row for all
 * objects whose keywords are all carried.
 */
export function wordsTable(): string {
  const rows = [...OBJECTS.values()]
    .filter(({ words }) => words.size > 0)
    .map(({ name, words }) => ({
      name: title(name),
      cells: FATES.map((fate) =>
        [...words].flatMap(([word, { fate: own }]) => (own === fate ? [`\`${word}\``] : [])),
      ),
      carried: [...words.values()].every(({ fate }) => fate === 'carried'),
    }));
  const annotations = rows.filter(({ carried }) => carried).map(({ name }) => name);
  const lines = rows
    .filter(({ cells, carried }) => !carried && cells.some((words) => words.length > 0))
    .map(({ name, cells }) => `| ${[name, ...cells.map((words) => words.join(' '))].join(' | ')} |`);
  return [
    `| object | ${FATES.join(' | ')} |`,
    `| --- |${FATES.map(() => ' --- |').join('')}`,
    ...lines,
    `| ${annotations.join(', ')} | all | | |`,
    '',
  ].join('\n');
}

const title = (kind: Kind): string => kind.replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ');

if (require.main === module) console.log(wordsTable());
