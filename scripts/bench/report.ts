import { formatTable } from 'contract-first-prover';
import { type Figure, type Line, missed } from './lines';
import { BARE, FASTIFY, README, type Subject } from './servers';

const PEERS = [BARE, FASTIFY, README].map(({ name }) => name);

const figure = (digits: number, { value, spread }: Figure): string =>
  value.toFixed(digits) + (spread > 0 ? ` ±${spread.toFixed(digits)}` : '');

/** A line; beneath it one for each server that has no column, with the ratio to it in the place of our figure. */
function cells(line: Line): string[][] {
  const { title, digits, figures, ratios, goals } = line;
  const value = (name: string): string => figures[name]?.value.toFixed(digits) ?? '';
  const verdict = (own: (of: string) => boolean): string[] => {
    const asked = goals.filter(({ of }) => own(of));
    const wrong = missed(line).filter(({ of }) => own(of));
    return [
      asked.map(({ of, limit, least }) => `${of} ${least ? '>=' : '<='} ${limit}`).join(', '),
      asked.length === 0
        ? ''
        : wrong.length === 0
          ? 'met'
          : `MISSED: ${wrong.map(({ of }) => of).join(', ')}`,
    ];
  };
  const hasColumn = (of: string): boolean => ['ours', ...PEERS].includes(of);
  const { ours } = figures;
  return [
    [
      title,
      ours ? figure(digits, ours) : '',
      ...PEERS.map(value),
      ...PEERS.map((name) => (ratios[name] ? figure(2, ratios[name]) : '')),
      ...verdict(hasColumn),
    ],
    ...Object.entries(ratios)
      .filter(([name]) => !hasColumn(name))
      .map(([name, ratio]) => [
        `  of ${name}: ${value(name)}`,
        figure(2, ratio),
        ...PEERS.flatMap(() => ['', '']),
        ...verdict((of) => of === name),
      ]),
  ];
}

/** All lines as one table. */
export const printed = (lines: readonly Line[]): string =>
  formatTable([
    ['', 'ours', ...PEERS, ...PEERS.map((name) => `of ${name}`), 'goal', ''],
    ...lines.flatMap(cells),
  ]);

/** What each server does for a request, a line each. */
export function legend(subjects: Iterable<Subject>): string {
  const lines = new Map([...subjects].map(({ name, included }) => [name, included]));
  return formatTable([...lines]);
}
