/**
 * `make build && tsx --conditions=@contract-first/source scripts/bench/path.ts [--list]`: the files and functions of this project
 * that a POST of a plant runs through, once the server has answered others on the same connection.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runProgram } from '../program';
import { plantsContract, postPlant } from './contracts';
import { MEMORY, send, startServer } from './servers';

const ROOT = join(__dirname, '../..');
const OURS = /^(dist|packages\/\w+\/dist)\//;
/** Milliseconds after a response in which hooks and logs end. */
const REST = 100;

/** What V8 writes of a script (https://nodejs.org/api/cli.html#node_v8_coveragedir). */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** The names of the functions that ran, by file. */
function functionsRun({ result }: Coverage): Map<string, string[]> {
  const files = result.map(({ url, functions }): [string, string[]] => [
    relative(ROOT, url.replace('file://', '')),
    functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName),
  ]);
  return new Map(files.filter(([file, functions]) => OURS.test(file) && functions.length > 0));
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { list: { type: 'boolean' } } });
  const folder = mkdtempSync(join(tmpdir(), 'path-'));
  process.env['NODE_V8_COVERAGE'] = folder;
  const server = await startServer(MEMORY, plantsContract(1));
  let files = new Map<string, string[]>();
  for (let id = 2; id <= 10; id++) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const { status } = await send(server.port, postPlant(id));
    if (status !== 200) throw new Error(`expected 200, got ${status}`);
    await sleep(REST);
    await server.used(); // V8 writes what ran since the last time
    const [name = ''] = readdirSync(folder);
    files = functionsRun(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage);
  }
  await server.stop();
  rmSync(folder, { recursive: true });
  if (values.list) for (const [file, functions] of files) console.log(`${file}: ${functions.join(' ')}`);
  console.log(`${files.size} files, ${[...files.values()].flat().length} functions`);
}

runProgram('bench/path', main);
