import type { Case, Family } from './cases/case';
import type { Operation } from './document/document';
import { curlCommand } from './wire/curl';

/** A request that was answered wrongly, with all it takes to send it again. */
export interface Failure {
  readonly family: Family;
  readonly operation: string;
  readonly title: string;
  readonly problems: readonly string[];
  /** Shell lines, empty where no request could be made. */
  readonly curl: string;
  /** For a generated request: what fast-check needs to find it again. */
  readonly replay?: { readonly seed: number; readonly path: string };
}

/** A failure that is known, and why it may stay. */
export interface WaivedFailure extends Failure {
  readonly reason: string;
}

/** @param before what has to be sent before the case, in this order */
export function failureOf(made: Case, problems: readonly string[], before: readonly Case[] = []): Failure {
  const { family, operation, title } = made;
  const lines = [...before, made].map(({ request }) => curlCommand(request));
  return { family, operation: operation.id, title, problems, curl: lines.join('\n') };
}

export const failureWithoutRequest = (family: Family, operation: Operation, problem: string): Failure => ({
  ...{ family, operation: operation.id, title: 'no request could be made', problems: [problem], curl: '' },
});
