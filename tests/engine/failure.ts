import type { Case, Family } from './cases/case';
import { type Cause, causesOf, plainCause } from './cause';
import type { Operation } from './document/document';
import { type CurlServer, curlCommand, DEFAULT_SERVER } from './wire/curl';
import { redact } from './wire/secrets';

/** A case whose answer was wrong, with the commands that repeat it. */
export interface Failure {
  readonly family: Family;
  readonly operation: string;
  readonly title: string;
  readonly problems: readonly string[];
  /** At least one. */
  readonly causes: readonly Cause[];
  /** Lines for bash; empty if no request was sent. */
  readonly curl: string;
  /** For a generated request: the input with which fast-check finds it again. */
  readonly replay?: { readonly seed: number; readonly path: string };
}

/** A known failure, with the reason for which the target allows it. */
export interface WaivedFailure extends Failure {
  readonly reason: string;
}

/**
 * @param before the cases to send first, in order
 * @param server the address for the curl lines. The values of its secrets are left out of each text.
 */
export function failureOf(
  failed: Case,
  problems: readonly string[],
  before: readonly Case[] = [],
  server: CurlServer = DEFAULT_SERVER,
): Failure {
  const { family, operation, title } = failed;
  const text = (raw: string): string => redact(raw, server.secrets);
  const shown = problems.map(text);
  return {
    family,
    operation: operation.id,
    title: text(title),
    problems: shown,
    causes: causesOf(failed, shown),
    curl: [...before, failed].map(({ request }) => curlCommand(request, server)).join('\n'),
  };
}

/** A failure before a request could be sent. */
export const failureWithoutRequest = (
  family: Family,
  operation: Operation,
  problem: string,
  title = 'no request was sent',
): Failure => ({
  family,
  operation: operation.id,
  title,
  problems: [problem],
  causes: [plainCause(problem, operation.pointer)],
  curl: '',
});
