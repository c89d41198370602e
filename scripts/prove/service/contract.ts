import { supervise } from '../supervise';

/** `make contract`: see `contract-command.ts`, which runs in a thread of its own. */
const argv = process.argv.slice(2);
if (argv.includes('--serve')) void import('./contract-command.js');
else
  void supervise(require.resolve('./contract-command'), argv).then((status) => {
    process.exitCode = status;
  });
