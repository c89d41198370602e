import { supervise } from './supervise';

/**
 * The command `contract`: see `contract-command.ts`, which runs in a thread of its own.
 *
 * @param argv its arguments
 * @param serve whether it only starts the server of the tests
 * @returns the exit status
 */
export async function contract(argv: readonly string[], serve = false): Promise<number> {
  if (!serve) return supervise(require.resolve('./contract-command'), argv);
  return (await import('./contract-command.js')).testService(argv);
}
