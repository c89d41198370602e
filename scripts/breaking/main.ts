/**
 * `tsx scripts/breaking/main.ts GIT-REF`: lists the changes in openapi/ that break a client of the contract published
 * at the last common commit of GIT-REF and HEAD. Exits with 1 if there are any that openapi/accepted-breaks.yaml does not
 * accept, or if an entry of that file is wrong; with 2 if the contracts cannot be compared.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../src/contract';
import { judgeBreaks } from './accepted';
import { readBase } from './base';
import { changeLine, compareDocuments } from './changes';
import { classesOf, classLine } from './classes';
import { ACCEPTED, root } from '../paths';
import { bounded, printsAll } from '../publish/bounded';
import { publish } from '../publish/publish';

const USAGE = `make breaking BASE=GIT-REF (contract-first breaking GIT-REF)

Lists the changes in openapi/ that would break a client of the contract that was published at the last common commit of
GIT-REF and HEAD. With ALL=1 (--all) it lists every line. To accept an intended break, add an entry to ${ACCEPTED}:

  - change: '#/paths/~1things/post: the query parameter q is new and required'  # the line without \`breaking\`
    reason: why the break is intended, and what was agreed with the clients
    until: '2.0.0'  # the last version of the document (info.version) for which the entry holds

One line may stand for a class, the same sentence at many places. Its entry has the number of changes that it accepts, so that
none is accepted later without a look. A * is one step of the pointer:

  - change: '#/paths/*/*: the header parameter X-Tenant is new and required'
    reason: every client sends it since May
    until: '2.0.0'
    places: 57

An entry whose change the base has already is spent, which is a notice. Any other one that matches no change is an error, and
so is one that matches a change after its version. A new version of the document accepts nothing by itself.
Exits with 0 if no client breaks but as accepted, with 1 if one does or an entry is wrong, and with 2 if the contracts cannot be
compared.`;

/** The text to print, and the exit status. */
export interface Result {
  readonly status: 0 | 1 | 2;
  readonly output: string;
}

/** Compares the contract with the one that was published at a git ref. */
export async function listBreaks(ref: string, all = false): Promise<Result> {
  try {
    return await compareWith(ref, all);
  } catch (error) {
    return { status: 2, output: error instanceof Error ? error.message : String(error) };
  }
}

/** The most lines of a result. */
const MOST = 20;

async function compareWith(ref: string, all: boolean): Promise<Result> {
  if (ref === '--help' || ref === '-h') return { status: 0, output: USAGE };
  if (ref === '') throw new Error('expected a git ref to compare with: make breaking BASE=main');
  const { document } = await publish();
  const file = path.join(root, ACCEPTED);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const { info } = document;
  const version = isObject(info) ? String(info['version']) : '';
  const base = readBase(ref);
  const changes = compareDocuments(base.document, document).filter(({ breaking }) => breaking);
  const { breaking, accepted, spent, wrong } = judgeBreaks(changes, text, version, base.accepted);
  const others = accepted.length > 0 ? ` but as ${ACCEPTED} accepts` : '';
  const sections = [
    accepted.map(({ change, of, reason, until }) => {
      const places = of.length > 1 ? `${of.length} places, ` : '';
      return `accepted  ${change} (${places}until ${until}: ${reason})`;
    }),
    all ? breaking.map(changeLine) : classesOf(breaking).map(classLine),
    spent,
    wrong,
  ];
  const lines = [
    ...(all ? sections.flat() : bounded(sections, MOST - 2, `make breaking BASE=${ref} ALL=1`)),
    breaking.length > 0
      ? `\n${breaking.length} ${breaking.length === 1 ? 'change' : 'changes'} since ${base.name} would break a client. To accept an intended break, see \`--help\``
      : `nothing since ${base.name} would break a client${others}`,
  ];
  return { status: breaking.length + wrong.length > 0 ? 1 : 0, output: lines.join('\n') };
}

export async function main(args: readonly string[]): Promise<void> {
  const [ref = ''] = args.filter((arg) => arg !== '--all');
  const { status, output } = await listBreaks(ref, printsAll(args));
  (status === 2 ? console.error : console.log)(output);
  process.exitCode = status;
}

if (require.main === module) void main(process.argv.slice(2));
