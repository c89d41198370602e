import type { Case, Family } from './cases/case';
import type { Operation } from './document/document';
import { curlCommand } from './wire/curl';

/** A case whose answer was wrong, with the commands that repeat it. */
export interface Failure {
  readonly family: Family;
  readonly operation: string;
  readonly title: string;
  readonly problems: readonly string[];
  /** Shell lines; empty if no request was sent. */
  readonly curl: string;
  /** For a generated request: the input with which fast-check finds it again. */
  readonly replay?: { readonly seed: number; readonly path: string };
}

/** A known failure, with the reason for which the target allows it. */
export interface WaivedFailure extends Failure {
  readonly reason: string;
}

/** @param before the cases to send first, in order */
export function failureOf(failed: Case, problems: readonly string[], before: readonly Case[] = []): Failure {
  const { family, operation, title } = failed;
  const lines = [...before, failed].map(({ request }) => curlCommand(request));
  return { family, operation: operation.id, title, problems, curl: lines.join('\n') };
}

/** A failure before a request could be sent. */
export const failureWithoutRequest = (
  family: Family,
  operation: Operation,
  problem: string,
  title = 'no request was sent',
): Failure => ({ family, operation: operation.id, title, problems: [problem], curl: '' });
