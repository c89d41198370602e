import { text, write } from '../tests/contract/engine/report';
import { run } from '../tests/contract/engine/run';
import { service } from '../tests/contract/service';

/** `make contract`: what the document promises, put to the server, told at length. */
async function main(): Promise<void> {
  const result = await run(service());
  write(result, 'reports/contract');
  console.log(text(result));
  console.log('\nAll of it: reports/contract/index.html, contract.json, junit.xml');
  process.exitCode = result.passed ? 0 : 1;
}

void main();
