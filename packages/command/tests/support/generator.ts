import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { listBreaks } from '../../src/breaking/main';
import { Compiler } from '../../src/compiler/compiler';
import { generate } from '../../src/generate/main';
import { handlersLeft } from '../../src/generate/renamed';
import { PUBLISHED, root, workOn } from '../../src/paths';
import { SourceError } from '../../src/document/source/source';
import { OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';

/*
 * Runs `make generate` and `make breaking` many times within one process, which saves a second of start time for each.
 * Each line of standard input is a command; each line of standard output is the result.
 */

/** A line of standard input. */
export interface Command {
  readonly folder: string;
  /** The git ref to compare with, and the options of the command. */
  readonly base?: string;
  readonly all?: boolean;
  /** The folder of git; by default that of the project. */
  readonly git?: string;
  /** `left`: the handlers that `make todo` lists; `compile`: what the type check says. By default it generates. */
  readonly what?: 'left' | 'compile';
}

/** A line of standard output. */
export interface Outcome {
  readonly status: number;
  readonly output: string;
}

async function outcome(command: Command): Promise<Outcome> {
  workOn(command.folder);
  try {
    const { status, output } = await run(command);
    return { status, output: `${output}\n` };
  } catch (error) {
    if (command.base !== undefined) return { status: 2, output: `${(error as Error).message}\n` };
    if (error instanceof SourceError) return { status: 1, output: `${error.message}\n` };
    throw error;
  }
}

async function run({ base, all, what, git }: Command): Promise<Outcome> {
  if (git === undefined) delete process.env['GIT_DIR'];
  else process.env['GIT_DIR'] = git;
  if (base !== undefined) return listBreaks(base, all);
  if (what === 'compile') {
    const output = new Compiler('src/tsconfig.json').compile();
    return { status: output === undefined ? 0 : 1, output: output ?? '' };
  }
  if (what === undefined) return { status: 0, output: (await generate(all)).join('\n') };
  const published = new OpenApiDocument(readDocument(readFileSync(path.join(root, PUBLISHED), 'utf8')));
  const ids = readOperations(published).map(({ operationId }) => operationId);
  return { status: 0, output: handlersLeft(new Set(ids)).join('\n') };
}

async function main(): Promise<void> {
  for await (const line of createInterface(process.stdin))
    console.log(JSON.stringify(await outcome(JSON.parse(line) as Command)));
}

void main();
