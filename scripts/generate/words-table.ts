/** `words-table.ts`: prints the table of words as README has it. */
import { type Fate, type Kind, OBJECTS } from '../../src/contract';

/** Enforced are all others. */
const FATES: readonly Fate[] = ['carried', 'remarked', 'refused'];

/**
 * The words that are not enforced, in Markdown: a row for each object that has some, and one for all objects of which
 * every word is carried.
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
