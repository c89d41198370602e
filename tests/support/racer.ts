import { createInterface } from 'node:readline';
import type { CreateOutcome } from '../../src/plants/plant-store';
import { openStore } from '../../src/storage/open';

/**
 * One of several processes that race for the same plants: `racer.ts URL NAME COUNT [backwards]`. Told to by a line on
 * its standard input it opens the store and says so; at the next line it creates plants 0 to COUNT - 1, all at once, and
 * prints a JSON array of what became of each.
 */
async function main([url = '', name = '', count = '', order]: readonly string[]): Promise<void> {
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
  console.log('here');
  const last = Number(count) - 1;
  await lines.next();
  const store = await openStore(url);
  console.log('open');
  await lines.next();
  const outcomes: Promise<CreateOutcome>[] = [];
  for (let id = 0; id < Number(count); id++)
    outcomes.push(store.create({ id: BigInt(order ? last - id : id), name }));
  const answers = await Promise.all(outcomes);
  console.log(JSON.stringify(order ? answers.reverse() : answers));
  await store.close();
  process.stdin.destroy();
}

void main(process.argv.slice(2));
