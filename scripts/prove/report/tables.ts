import type { ContractReport } from './contract-report';

/** The documented responses, by the number of correct instances with each kind of credentials. */
export interface ResponseTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export function responseTable({
  obligations,
  observations,
}: Pick<ContractReport, 'obligations' | 'observations'>): ResponseTable {
  const columns = [...new Set(observations.map(({ credentials }) => credentials))];
  const rows = obligations
    .filter(({ kind }) => kind === 'response')
    .map(({ operation, description, state }) => {
      const [, status = '', media = ''] = description.split(' | ');
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

/** A keyword of a schema object, in one slot of an operation. */
export interface KeywordRow {
  readonly operation: string;
  readonly slot: string;
  readonly pointer: string;
  readonly keyword: string;
  /** Requests that satisfied it and were accepted. */
  readonly accepted: number;
  /** Requests that violated it and were refused. */
  readonly rejected: number;
}

/** One row for each keyword, with both sides of its bound. */
export function keywordRows({ obligations }: Pick<ContractReport, 'obligations'>): KeywordRow[] {
  const rows = new Map<string, KeywordRow>();
  for (const { operation, slot = '', pointer = '', keyword = '', side, passed } of obligations) {
    if (side === undefined) continue;
    const key = [operation, slot, pointer, keyword].join('|');
    const row = rows.get(key) ?? { operation, slot, pointer, keyword, accepted: 0, rejected: 0 };
    rows.set(key, { ...row, ...(side === 'holds' ? { accepted: passed } : { rejected: passed }) });
  }
  return [...rows.values()];
}
