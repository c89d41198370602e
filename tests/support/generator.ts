import { createInterface } from 'node:readline';
import { generate } from '../../scripts/generate/main';
import { workOn } from '../../scripts/paths';
import { SourceError } from '../../scripts/source/source';

/*
 * Runs `make generate` in many projects within one process, which saves a second of start time for each. Each line of
 * standard input is a folder; each line of standard output is the result. Jest itself cannot load openapi-typescript.
 */
async function outcome(folder: string): Promise<{ readonly status: number; readonly output: string }> {
  workOn(folder);
  try {
    return { status: 0, output: `${(await generate()).join('\n')}\n` };
  } catch (error) {
    if (error instanceof SourceError) return { status: 1, output: `${error.message}\n` };
    throw error;
  }
}

async function main(): Promise<void> {
  for await (const folder of createInterface(process.stdin))
    console.log(JSON.stringify(await outcome(folder)));
}

void main();
