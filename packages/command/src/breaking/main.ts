import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { instantOf, isObject, versionFinding } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { judgeBreaks } from './accepted';
import { readBase } from './base';
import { changeLine, changeText, compareDocuments } from './changes';
import { classesOf, classLine } from './classes';
import { type Outcome, RUN, UsageError } from '../command';
import { ACCEPTED, root } from '../paths';
import { bounded, printsAll } from '../document/publish/bounded';
import { publish } from '../document/publish/publish';
import { located, readSource, SourceError } from '../document/source/source';

/** The most lines of a result. */
const MOST = 20;

/** The exit status, the result as data, and the text to print. */
export interface Breaks extends Outcome {
  readonly output: string;
}

/**
 * Compares the contract with the one that was published at a git ref: at its last common commit with HEAD.
 *
 * @returns with status 1 if there are breaks that openapi/accepted-breaks.yaml does not accept, or if an entry of it is wrong
 * @throws {Error} if the contracts cannot be compared
 */
export async function listBreaks(ref: string, all = false, today?: number): Promise<Breaks> {
  const { document } = await publish();
  const file = path.join(root, ACCEPTED);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const { info } = document;
  const version = isObject(info) ? String(info['version']) : '';
  const base = readBase(ref);
  const changes = compareDocuments(base.document, document, today).filter(({ breaking }) => breaking);
  const { breaking, accepted, spent, wrong } = judgeBreaks(changes, text, version, base.accepted);
  const others = accepted.length > 0 ? `, except as ${ACCEPTED} accepts` : '';
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
    ...(all ? sections.flat() : bounded(sections, MOST - 2, `${RUN} breaking ${ref} --all`)),
    breaking.length > 0
      ? `\n${breaking.length} ${breaking.length === 1 ? 'change' : 'changes'} since ${base.name} would break a client. To accept an intended break, see \`${RUN} breaking --help\``
      : `no change since ${base.name} would break a client${others}`,
  ];
  return {
    status: breaking.length + wrong.length > 0 ? 1 : 0,
    json: {
      base: base.name,
      breaking: breaking.map(changeText),
      accepted: accepted.map(({ of, ...entry }) => ({ ...entry, changes: of.map(changeText) })),
      spent,
      wrong,
    },
    output: lines.join('\n'),
  };
}

/**
 * Compares two documents, of any service.
 *
 * @param allowOutside whether references may lead to files outside the folder of a document
 * @returns with status 1 if there are changes that break a client
 * @throws {SourceError} if one cannot be read
 */
export function compareFiles(
  old: string,
  now: string,
  {
    all = false,
    allowOutside = false,
    today,
  }: { all?: boolean; allowOutside?: boolean; today?: number } = {},
): Breaks {
  const [was, is] = [readCompared(old, allowOutside), readCompared(now, allowOutside)];
  const breaking = compareDocuments(was, is, today).filter((change) => change.breaking);
  const lines = all
    ? breaking.map(changeLine)
    : bounded([classesOf(breaking).map(classLine)], MOST - 2, `${RUN} breaking ${old} ${now} --all`);
  const summary =
    breaking.length > 0
      ? `\n${breaking.length} ${breaking.length === 1 ? 'change' : 'changes'} from ${old} to ${now} would break a client`
      : `nothing from ${old} to ${now} would break a client`;
  return {
    status: breaking.length > 0 ? 1 : 0,
    json: { base: old, breaking: breaking.map(changeText) },
    output: [...lines, summary].join('\n'),
  };
}

/** @throws {SourceError} */
function readCompared(file: string, allowOutside: boolean): JsonObject {
  const source = readSource(file, allowOutside);
  const version = versionFinding(source.document);
  if (version) throw new SourceError(located(source, [version]));
  return source.document;
}

/** @param now undefined: `old` is a git ref, and the later document that of the service */
export async function runBreaking(
  old: string,
  now: string | undefined,
  {
    all,
    'allow-outside': allowOutside = false,
    today: date,
  }: { readonly all?: boolean; readonly 'allow-outside'?: boolean; readonly today?: string },
): Promise<Outcome> {
  const today = date === undefined ? Date.now() : instantOf(date);
  if (today === undefined) throw new UsageError(`--today: expected a date such as 2027-01-31, got ${date}`);
  const { output, ...outcome } =
    now === undefined
      ? await listBreaks(old, printsAll(all), today)
      : compareFiles(old, now, { all: printsAll(all), allowOutside, today });
  console.log(output);
  return outcome;
}
