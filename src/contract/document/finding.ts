/** Something in the document (or in what was wired to it) that this server cannot serve. */
export interface Finding {
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly message: string;
  /** The operations that it keeps from being served, as `POST /things`. Undefined: all of them. */
  readonly operations?: readonly string[];
}

/** Something in the document that is not enforced, although the document is served. */
export interface Remark {
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly message: string;
  /** The word that is not enforced, with the object in which it stands (`Schema dependencies`). */
  readonly word: string;
}

/** Collects findings and remarks while a document is read. */
export interface Findings {
  addFinding(pointer: string, message: string): void;
  addRemark(remark: Remark): void;
}

/** How many operations a message names. */
const MAX_NAMED = 3;

/** A finding as a line of text: where, what, and which operations it concerns. */
export function findingLine({ pointer, message, operations }: Finding): string {
  const named = operations?.slice(0, MAX_NAMED).join(', ') ?? '';
  const more = (operations?.length ?? 0) - MAX_NAMED;
  const concerned = more > 0 ? `${named} and ${more} more` : named;
  return `#${pointer}: ${message}${concerned === '' ? '' : ` (${concerned})`}`;
}

/** Everything that is wrong with a document, all at once. */
export class InvalidContract extends Error {
  override name = 'InvalidContract';
  constructor(readonly findings: readonly Finding[]) {
    super(findings.map(findingLine).join('\n'));
  }
}
