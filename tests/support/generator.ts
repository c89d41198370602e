import { createInterface } from 'node:readline';
import { listBreaks } from '../../scripts/breaking/main';
import { generate } from '../../scripts/generate/main';
import { workOn } from '../../scripts/paths';
import { SourceError } from '../../scripts/source/source';

/*
 * Runs `make generate` and `make breaking` many times within one process, which saves a second of start time for each.
 * Each line of standard input is a command; each line of standard output is the result. Jest itself cannot load
 * openapi-typescript.
 */

/** A line of standard input. */
export interface Command {
  readonly folder: string;
  /** The git ref to compare with; undefined: generates. */
  readonly base?: string;
}

/** A line of standard output. */
export interface Outcome {
  readonly status: number;
  readonly output: string;
}

async function outcome({ folder, base }: Command): Promise<Outcome> {
  workOn(folder);
  try {
    const { status, output } =
      base === undefined ? { status: 0, output: (await generate()).join('\n') } : await listBreaks(base);
    return { status, output: `${output}\n` };
  } catch (error) {
    if (error instanceof SourceError) return { status: 1, output: `${error.message}\n` };
    throw error;
  }
}

async function main(): Promise<void> {
  for await (const line of createInterface(process.stdin))
    console.log(JSON.stringify(await outcome(JSON.parse(line) as Command)));
}

void main();
