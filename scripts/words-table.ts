/** `words-table.ts`: prints the table of words as README has it. */
import { type Fate, type Kind, OBJECTS } from '../src/contract/document/words';

const FATES: readonly Fate[] = ['enforced', 'carried', 'told', 'refused'];

/** The table of words in Markdown: a row for each object, and one for all of which every word is carried. */
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
    .filter(({ carried }) => !carried)
    .map(({ name, cells }) => `| ${[name, ...cells.map((words) => words.join(' '))].join(' | ')} |`);
  return [
    `| object | ${FATES.join(' | ')} |`,
    `| --- |${FATES.map(() => ' --- |').join('')}`,
    ...lines,
    `| ${annotations.join(', ')} | | all | | |`,
    '',
  ].join('\n');
}

const title = (kind: Kind): string => kind.replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ');

if (require.main === module) console.log(wordsTable());
