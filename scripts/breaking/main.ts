/**
 * `tsx scripts/breaking/main.ts GIT-REF`: lists the changes in openapi/ that break a client of the contract published
 * at GIT-REF. Exits with 1 if there are any that openapi/accepted-breaks.yaml does not accept, or if an entry of that file
 * is wrong; with 2 if the contracts cannot be compared.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonObject, readDocument } from '../../src/contract';
import { changeLine, changeText, compareDocuments } from './changes';
import { judgeBreaks } from './accepted';
import { ACCEPTED, PUBLISHED, root } from '../paths';
import { publish } from '../publish/publish';

function parseDocument(text: string): JsonObject {
  const document: unknown = readDocument(text);
  if (!isObject(document)) throw new Error('it is not a JSON object');
  return document;
}

function publishedAt(ref: string): JsonObject {
  try {
    const output = { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 28 } as const;
    return parseDocument(execFileSync('git', ['show', '--end-of-options', `${ref}:./${PUBLISHED}`], output));
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    throw new Error(`${PUBLISHED} of ${ref} cannot be read: ${reason}`, { cause: error });
  }
}

const USAGE = `make breaking BASE=GIT-REF (contract-first breaking GIT-REF)

Lists the changes in openapi/ that would break a client of the contract that was published at GIT-REF.
To accept an intended break, add an entry to ${ACCEPTED}:

  - change: '#/paths/~1things/post: the query parameter q is new and required'  # the line without \`breaking\`
    reason: why the break is intended, and what was agreed with the clients
    until: '2.0.0'  # the last version of the document (info.version) for which the entry holds

An entry that matches no change, or whose version has passed, is an error.
Exits with 0 if no client breaks but as accepted, with 1 if one does or an entry is wrong, and with 2 if the contracts cannot be
compared.`;

/** The text to print, and the exit status. */
export interface Result {
  readonly status: 0 | 1 | 2;
  readonly output: string;
}

/** Compares the contract with the one that was published at a git ref. */
export async function listBreaks(ref: string): Promise<Result> {
  try {
    return await compareWith(ref);
  } catch (error) {
    return { status: 2, output: error instanceof Error ? error.message : String(error) };
  }
}

async function compareWith(ref: string): Promise<Result> {
  if (ref === '--help' || ref === '-h') return { status: 0, output: USAGE };
  if (ref === '') throw new Error('expected a git ref to compare with: make breaking BASE=main');
  const { document } = await publish();
  const file = path.join(root, ACCEPTED);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const { info } = document;
  const version = isObject(info) ? String(info['version']) : '';
  const changes = compareDocuments(publishedAt(ref), document).filter(({ breaking }) => breaking);
  const { breaking, accepted, wrong } = judgeBreaks(changes, text, version);
  const others = accepted.length > 0 ? ` but as ${ACCEPTED} accepts` : '';
  const lines = [
    ...accepted.map(({ of, reason, until }) => `accepted  ${changeText(of)} (until ${until}: ${reason})`),
    ...breaking.map(changeLine),
    ...wrong,
    breaking.length > 0
      ? `\n${breaking.length} ${breaking.length === 1 ? 'change' : 'changes'} since ${ref} would break a client. To accept an intended break, see \`--help\``
      : `nothing since ${ref} would break a client${others}`,
  ];
  return { status: breaking.length + wrong.length > 0 ? 1 : 0, output: lines.join('\n') };
}

export async function main([base = '']: readonly string[]): Promise<void> {
  const { status, output } = await listBreaks(base);
  (status === 2 ? console.error : console.log)(output);
  process.exitCode = status;
}

if (require.main === module) void main(process.argv.slice(2));
