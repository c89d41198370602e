import { supervise } from '../supervise';

/** `make contract`: see `contract-command.ts`, which runs in a thread of its own. */
export async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--serve')) await import('./contract-command.js');
  else process.exitCode = await supervise(require.resolve('./contract-command'), args);
}

if (require.main === module) void main(process.argv.slice(2));
