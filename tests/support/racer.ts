import { createInterface } from 'node:readline';
import type { CreateOutcome } from '../../src/plants/plant-store';
import { openStore } from '../../src/storage/open';

/**
 * One of several processes that race for the same plants: `racer.ts URL NAME COUNT`. Told to by a line on its standard
 * input it opens the store and says so; at the next line it creates plants 0 to COUNT - 1, all at once, and prints a JSON
 * array of what became of each.
 */
async function main([url = '', name = '', count = '']: readonly string[]): Promise<void> {
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
  console.log('here');
  await lines.next();
  const store = await openStore(url);
  console.log('open');
  await lines.next();
  const outcomes: Promise<CreateOutcome>[] = [];
  for (let id = 0; id < Number(count); id++) outcomes.push(store.create({ id: BigInt(id), name }));
  console.log(JSON.stringify(await Promise.all(outcomes)));
  await store.close();
  process.stdin.destroy();
}

void main(process.argv.slice(2));
