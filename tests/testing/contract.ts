import { run, formatReport, writeReport } from '../engine';
import { loadService } from './load-service';

/**
 * `make contract`: tests the service in the current folder against its document, and prints a full report. With `--serve` it
 * starts that server and waits, so that the curl commands of the report can reproduce a failure.
 */
async function main(serve: boolean): Promise<void> {
  const target = loadService();
  if (serve) {
    const { host, port } = await target.start();
    console.log(
      `BASE=http://${host}:${port}\n\nThe server of the contract tests, with its examples, until Ctrl-C.`,
    );
    return;
  }
  const result = await run(target);
  writeReport(result, 'reports/contract');
  console.log(formatReport(result));
  console.log('\nAll of it: reports/contract/index.html, contract.json, junit.xml');
  if (result.failures.length > 0) console.log('The server for the curl lines: make contract SERVE=1');
  if (target.stubs.length > 0) console.log(`${target.stubs.length} operations are stubs: make todo`);
  process.exitCode = result.passed ? 0 : 1;
}

main(process.argv.includes('--serve')).catch((error: unknown) => {
  console.error(`tests/contract/: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
