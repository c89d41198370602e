import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { runCommand } from '../../src/contract/run-command';
import { correctServer, target } from '../../../prover/tests/support/simple-server';
import { supervise, supervised } from '../../src/contract/supervise';

/** A run that computes for ever after some requests: `tsx endless-run.ts FOLDER`. It prints a line when it begins to. */
function compute(): void {
  let requests = 0;
  const endless = target((request, body) => {
    if (++requests === 70) {
      writeSync(1, 'computing\n');
      for (;;);
    }
    return correctServer(request, body);
  });
  const [, , report = ''] = process.argv;
  void supervised(async (supervision) => {
    const { status } = await runCommand(endless, { report, github: false }, { supervision });
    return status;
  });
}

if (isMainThread)
  void supervise(__filename, process.argv.slice(2)).then((status) => {
    process.exitCode = status;
  });
else compute();
