import { ADVICE } from './advice';
import type { Case, Family } from './cases/case';
import { type Cause, causesOf, plainCause } from './cause';
import { sequenceOf } from './document/media';
import type { Operation } from './document/model';
import { type CurlServer, curlCommand, DEFAULT_SERVER } from './wire/curl';
import { redact, type Secret } from './wire/secrets';

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
  /** What the service has logged of it, in lines. */
  readonly logged?: string;
  /** For a generated request: repeats it. */
  readonly replay?: Replay;
}

/** The input with which fast-check generates one case again. */
export interface Replay {
  readonly operation: string;
  /** Whether the case is a valid request or has a fault. */
  readonly kind: 'valid' | 'faulty';
  readonly seed: number;
  readonly path: string;
}

/** `createBook valid 1234 5:0:1`, as {@link parseReplay} reads it. */
export const printReplay = ({ operation, kind, seed, path }: Replay): string =>
  `${operation} ${kind} ${seed} ${path}`;

/** @throws {Error} if the text has another form */
export function parseReplay(text: string): Replay {
  const [, operation, kind, seed, path] = /^(.+) (valid|faulty) (-?\d+) (\d+(?::\d+)*)$/.exec(text) ?? [];
  if (operation === undefined || seed === undefined || path === undefined)
    throw new Error(`expected a case as a report prints it ("createBook valid 1234 5:0:1"), got "${text}"`);
  return { operation, kind: kind === 'valid' ? 'valid' : 'faulty', seed: Number(seed), path };
}

/** A known failure, with the reason for which the target allows it. */
export interface WaivedFailure extends Failure {
  readonly reason: string;
}

/**
 * @param before the cases to send first, in order
 * @param server the address for the curl lines. The values of its secrets are left out of each text.
 * @param logged what the service has logged: an error is one cause, whatever was expected
 */
export function failureOf(
  failed: Case,
  problems: readonly string[],
  before: readonly Case[] = [],
  server: CurlServer = DEFAULT_SERVER,
  logged?: string,
): Failure {
  const { family, operation, title } = failed;
  const text = (raw: string): string => printable(raw, server.secrets);
  const shown = problems.map(text);
  const isError = logged !== undefined && logged !== ADVICE.readItsLog();
  return {
    family,
    operation: operation.id,
    title: text(title),
    problems: shown,
    causes: causesOf(failed, shown).map((cause) => (isError ? { ...cause, key: logged } : cause)),
    ...(logged !== undefined && { logged }),
    curl: [...before, failed].map((sent) => curlCommand(sent.request, unbuffered(sent, server))).join('\n'),
  };
}

/** The server for a curl line that prints the items of a stream when they come. */
const unbuffered = ({ operation }: Case, server: CurlServer): CurlServer =>
  operation.responses.some(({ content }) => content.some(({ name }) => sequenceOf(name)))
    ? { ...server, options: [...(server.options ?? []), '-N'] }
    : server;

/**
 * The text on one line, without secrets, and with escapes in the place of control characters: those of a server could
 * move the cursor of a terminal, and a new line could start a command of a CI log.
 */
export const printable = (text: string, secrets: readonly Secret[] = []): string =>
  redact(text, secrets).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) =>
    JSON.stringify(character).length > 3
      ? JSON.stringify(character).slice(1, -1)
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

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
