import { createInterface } from 'node:readline';
import { generate } from '../../scripts/generate/main';
import { workOn } from '../../scripts/paths';
import { SourceError } from '../../scripts/source/source';

/*
 * `make generate` in one project after the other, without the second that it takes to start: a line of standard input is a
 * folder, a line of standard output what the program would have ended with. Jest itself cannot load openapi-typescript.
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
