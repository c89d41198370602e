import type { State } from '../obligations';

import type { Result } from '../run';

/** Operation x status x media type, against the credentials under which each was seen. */
export function responseTable({ obligations, observations }: Result): {
  columns: string[];
  rows: (string | number)[][];
} {
  const columns = [...new Set(observations.map(({ credentials }) => credentials))];
  const rows = obligations
    .filter(({ kind }) => kind === 'response')
    .map(({ operation, description: what, state }) => {
      const [, status = '', media = ''] = what.split(' | ');
      const counts = columns.map((column) =>
        observations
          .filter((seen) => seen.operation === operation && seen.status === status)
          .filter((seen) => seen.media === media && seen.credentials === column)
          .reduce((sum, { count }) => sum + count, 0),
      );
      return [operation, status, media, state, ...counts];
    });
  return { columns: ['operation', 'status', 'media type', 'state', ...columns], rows };
}

/** Each keyword of each schema, with the cases that kept it and were accepted, and those that broke it and were not. */
export function keywordRows({ obligations }: Result): KeywordRow[] {
  const rows = new Map<string, KeywordRow>();
  for (const {
    operation,
    part: place = '',
    pointer = '',
    keyword = '',
    side: side,
    passed,
    state,
  } of obligations) {
    if (side === undefined) continue;
    const key = [operation, place, pointer, keyword].join('|');
    const row = rows.get(key) ?? {
      operation,
      part: place,
      pointer,
      keyword,
      accepted: 0,
      rejected: 0,
      states: [],
    };
    const count = side === 'holds' ? { accepted: passed } : { rejected: passed };
    rows.set(key, { ...row, ...count, states: [...row.states, state] });
  }
  return [...rows.values()];
}

export interface KeywordRow {
  readonly operation: string;
  readonly part: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly accepted: number;
  readonly rejected: number;
  readonly states: readonly State[];
}
