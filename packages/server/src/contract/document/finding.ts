import { branded } from '../brand';

/** A fault of the document, or of the handlers and options beside it, that prevents serving. */
export interface Finding {
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly message: string;
  /** The operations that it prevents from being served, as `POST /things`; undefined: all operations. */
  readonly operations?: readonly string[];
  /** What is wrong beside the document, in what `createService` is given, for advice; undefined: the document itself. */
  readonly kind?: 'noHandler' | 'noOperation' | 'noStrategy' | 'stub' | 'errorResponse';
}

/** A part of the document that the server does not enforce. */
export interface Remark {
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly message: string;
  /** The keyword that is not enforced, after the name of its object (`Schema dependencies`). */
  readonly keyword: string;
}

/** Collects findings and remarks while a document is read. */
export interface Findings {
  addFinding(pointer: string, message: string): void;
  addRemark(remark: Remark): void;
}

/** How many operations a message names. */
const MAX_NAMED = 3;

/** Formats a finding as a line of text: JSON pointer, message, and the operations that it concerns. */
export function findingLine({ pointer, message, operations }: Finding): string {
  const named = operations?.slice(0, MAX_NAMED).join(', ') ?? '';
  const more = (operations?.length ?? 0) - MAX_NAMED;
  const concerned = more > 0 ? `${named} and ${more} more` : named;
  return `#${pointer}: ${message}${concerned === '' ? '' : ` (${concerned})`}`;
}

/** An error with all findings of a document. The message has a line for each. */
export class InvalidContract extends Error {
  override name = 'InvalidContract';
  constructor(readonly findings: readonly Finding[]) {
    super(findings.map(findingLine).join('\n'));
  }
}
branded(InvalidContract, 'InvalidContract');
