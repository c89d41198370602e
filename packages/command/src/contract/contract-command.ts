import { isMainThread } from 'node:worker_threads';
import { execute, type Outcome, type Parsed, RUN } from '../command';
import { findDocument } from '../document/publish/find-document';
import { assertFresh } from '../document/publish/fresh';
import { readSource } from '../document/source/source';
import { runCommand } from './run-command';
import { testUrl } from './test-url';
import { CONTRACT } from './options';
import { supervised, type Supervision } from './supervise';
import { loadService } from './load-service';

/**
 * Tests the service in the current folder against its document, and writes the report. With `--serve` it starts that server and
 * waits, so that the curl lines of the report can repeat a failure. With `--url` it tests any other server.
 *
 * @returns the exit status
 */
export const testService = (argv: readonly string[], supervision?: Supervision): Promise<number> =>
  execute({ ...CONTRACT, run: ({ values }) => run(values, supervision) }, argv);

async function run(
  values: Parsed<typeof CONTRACT.options>['values'],
  supervision?: Supervision,
): Promise<number | Outcome> {
  if (values.url !== undefined)
    return testUrl(values, (file) => readSource(file, values['allow-outside']), supervision);
  const source = readSource(findDocument());
  await assertFresh(source);
  const target = loadService();
  if (values.serve === true) {
    const { host, port } = await target.start();
    const { curl } = await target.inspect();
    for (const { name, value } of curl?.secrets ?? []) console.log(`export ${name}=${value}`);
    console.log(
      `export BASE=http://${host}:${port}\n\nThe server of the contract tests is running with its examples; press Ctrl-C to stop it.`,
    );
    return 0;
  }
  const outcome = await runCommand(target, values, { locate: source.locate, supervision });
  if (outcome.status !== 0) console.log(`The server for the curl lines: ${RUN} contract --serve`);
  if ((await target.inspect()).stubs.length + target.waivers.length > 0)
    console.log(`What remains to be written: ${RUN} todo`);
  return outcome;
}

if (!isMainThread) void supervised((supervision) => testService(process.argv.slice(2), supervision));
