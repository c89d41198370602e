import { createInterface } from 'node:readline';
import { openStore } from '../../dist/storage/open.js';

/*
 * One of several processes that create the same plants at the same time: `racer.mjs URL NAME COUNT [backwards]`. After
 * the first line of standard input it opens the store and prints a line. After the second line it creates plants 0 to
 * COUNT - 1 concurrently, and prints a JSON array of the outcomes. It uses the build, because ten of them start at
 * once.
 */
const [url = '', name = '', count = '', order] = process.argv.slice(2);
const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
console.log('here');
const last = Number(count) - 1;
await lines.next();
const store = await openStore(url);
console.log('open');
await lines.next();
const outcomes = Array.from({ length: Number(count) }, (_, id) =>
  store.create({ id: BigInt(order ? last - id : id), name }),
);
const answers = await Promise.all(outcomes);
console.log(JSON.stringify(order ? answers.reverse() : answers));
await store.close();
process.stdin.destroy();
