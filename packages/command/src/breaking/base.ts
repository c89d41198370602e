/** The earlier contract: what git has of the last common commit of a ref and HEAD. */
import { spawnSync } from 'node:child_process';
import { isObject } from 'contract-first-server/tools';
import { type JsonObject, readDocument } from 'contract-first-server';
import { ACCEPTED, PUBLISHED, root } from '../paths';

export interface Base {
  /** For sentences: the ref, or the commit that it has in common with HEAD. */
  readonly name: string;
  readonly document: JsonObject;
  /** The text of the accepted breaks; empty if there is none. */
  readonly accepted: string;
}

/** The output of git; undefined if it fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout.trim() : undefined;
}

/** The text of a file of the project in the last commit; undefined if it has none. */
export const committed = (file: string): string | undefined => git('show', `HEAD:./${file}`);

/** @throws {Error} if there is no such contract */
export function readBase(ref: string): Base {
  const commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  const isShallow = git('rev-parse', '--is-shallow-repository') === 'true';
  const deepen =
    'this clone is shallow: run `git fetch --unshallow`, or check out the whole history (actions/checkout: fetch-depth: 0)';
  if (git('rev-parse', '--git-dir') === undefined)
    throw new Error(
      `${root} is not a git repository: run \`git init\` and commit, then compare with that commit`,
    );
  if (commit === undefined)
    throw new Error(
      `unknown commit ${ref}: ${isShallow ? deepen : 'fetch it (`git fetch`) or correct the name'}`,
    );
  // What the base got after HEAD left it is no change of this branch.
  const common = git('merge-base', commit, 'HEAD');
  if (common === undefined)
    throw new Error(
      `${ref} and HEAD have no common commit in this clone: ${isShallow ? deepen : 'compare with a commit in the history of HEAD'}`,
    );
  const name = common === commit ? ref : `${common.slice(0, 12)}, the last common commit of ${ref} and HEAD`;
  const text = git('show', `${common}:./${PUBLISHED}`);
  if (text === undefined)
    throw new Error(
      `${name} has no ${PUBLISHED}, so there is nothing to compare with: commit it or use a later commit`,
    );
  return { name, document: parse(text, name), accepted: git('show', `${common}:./${ACCEPTED}`) ?? '' };
}

function parse(text: string, name: string): JsonObject {
  let document: unknown;
  try {
    document = readDocument(text);
  } catch {
    document = undefined;
  }
  if (!isObject(document))
    throw new Error(`${PUBLISHED} of ${name} is not a JSON object: use a commit where it is`);
  return document;
}
