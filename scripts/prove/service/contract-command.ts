import { findDocument } from '../../publish/find-document';
import { assertFresh } from '../../publish/fresh';
import { ALLOW_OUTSIDE, readSource, SourceError } from '../../source/source';
import { parseOptions, RUN_OPTIONS, RUN_USAGE, runCommand } from '../command';
import { main as testUrl } from '../main';
import { supervised, type Supervision } from '../supervise';
import { loadService } from './load-service';

const USAGE = `contract [options]

Tests the service in the current folder against its document. In make: make contract ARGS='...'

  --url URL --doc FILE  test any other server by its URL: contract --url URL --help lists its options
  --serve               start the server of the tests, and wait: for the curl lines of the report
${RUN_USAGE}`;

/**
 * \`make contract\`: tests the service in the current folder against its document, and writes the report. With `--serve` it
 * starts that server and waits, so that the curl lines of the report can repeat a failure. With `--url` it tests any other
 * server.
 *
 * @returns the exit status
 */
async function main(args: string[], supervision?: Supervision): Promise<number> {
  if (args.some((arg) => /^--url(=|$)/.test(arg))) {
    const own = args.filter((arg) => arg !== ALLOW_OUTSIDE);
    return testUrl(own, (file) => readSource(file, own.length < args.length), supervision);
  }
  const options = { ...RUN_OPTIONS, serve: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const values = parseOptions(args, options);
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const source = readSource(findDocument());
  await assertFresh(source);
  const target = loadService();
  if (values.serve === true) {
    const { host, port } = await target.start();
    const { curl } = await target.inspect();
    for (const { name, value } of curl?.secrets ?? []) console.log(`export ${name}=${value}`);
    console.log(
      `export BASE=http://${host}:${port}\n\nThe server of the contract tests, with its examples, until Ctrl-C.`,
    );
    return 0;
  }
  const status = await runCommand(target, values, { locate: source.locate, supervision });
  if (status !== 0) console.log('The server for the curl lines: make contract SERVE=1');
  if ((await target.inspect()).stubs.length + target.waivers.length > 0)
    console.log('What is left to write: make todo');
  return status;
}

void supervised((supervision) =>
  main(process.argv.slice(2), supervision).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    console.error(error instanceof SourceError ? message : `make contract: ${message}`);
    return 2;
  }),
);
