/**
 * `tsx scripts/breaking/main.ts GIT-REF`: lists the changes in openapi/ that break a client of the contract published
 * at GIT-REF. Exits with 1 if there are any, and with 2 if the contracts cannot be compared.
 */
import { execFileSync } from 'node:child_process';
import { isObject, type JsonObject, readDocument } from '../../src/contract';
import { changeLine, compareDocuments } from './changes';
import { PUBLISHED, root } from '../paths';
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

async function main(ref: string): Promise<number> {
  if (ref === '') throw new Error('expected a git ref to compare with: make breaking BASE=main');
  const { document } = await publish();
  const changes = compareDocuments(publishedAt(ref), document).filter(({ breaking }) => breaking);
  for (const change of changes) console.log(changeLine(change));
  console.log(
    changes.length > 0
      ? `\n${changes.length} ${changes.length === 1 ? 'change' : 'changes'} since ${ref} would break a client`
      : `nothing since ${ref} would break a client`,
  );
  return changes.length > 0 ? 1 : 0;
}

const [base = ''] = process.argv.slice(2);
main(base).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  },
);
