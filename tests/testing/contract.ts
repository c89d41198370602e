import { parseArgs } from 'node:util';
import { findDocument } from '../../scripts/publish/find-document';
import { ALLOW_OUTSIDE, readSource } from '../../scripts/source/source';
import { RUN_OPTIONS, RUN_USAGE, runCommand } from '../engine/command';
import { main as testUrl } from '../engine/main';
import { loadService } from './load-service';

/**
 * `make contract`: tests the service in the current folder against its document, and writes the report. With `--serve` it
 * starts that server and waits, so that the curl lines of the report can repeat a failure. With
 * `--url` it tests any other server.
 *
 * @returns the exit status
 */
async function main(args: string[]): Promise<number> {
  if (args.some((arg) => /^--url(=|$)/.test(arg))) {
    const own = args.filter((arg) => arg !== ALLOW_OUTSIDE);
    return testUrl(own, (file) => readSource(file, own.length < args.length));
  }
  const options = { ...RUN_OPTIONS, serve: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help === true) {
    console.log(`make contract ARGS='...'\n\n${RUN_USAGE}`);
    return 0;
  }
  const target = loadService();
  if (values.serve === true) {
    const { host, port } = await target.start();
    console.log(
      `export BASE=http://${host}:${port}\n\nThe server of the contract tests, with its examples, until Ctrl-C.`,
    );
    return 0;
  }
  const { locate } = readSource(findDocument());
  const status = await runCommand(target, values, { locate });
  if (status !== 0) console.log('The server for the curl lines: make contract SERVE=1');
  const count = (size: number, one: string, many: string) => `${size} ${size === 1 ? one : many}`;
  if (target.stubs.length > 0) {
    const stubs = count(target.stubs.length, 'operation is a stub', 'operations are stubs');
    const waivers = count(target.waivers.length, 'waiver is', 'waivers are');
    console.log(`${stubs}, whose responses are waived; ${waivers} in tests/contract/service.ts: make todo`);
  }
  return status;
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(`make contract: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 2;
  },
);
