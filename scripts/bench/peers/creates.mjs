import { createRequire } from 'node:module';

// Creates plants by the store alone, without HTTP. Arguments: the folder of a build, a database URL, how many creations
// are under way at once, and whether ids come in an order that is random to an index. For each message, a number of plants, it answers with what they have cost.

const [dist, url, clients, ids] = process.argv.slice(2);
const { openStore } = createRequire(import.meta.url)(`${dist}/storage/open.js`);
const store = await openStore(url);
let last = 0n;
/** Multiplying by an odd number repeats no id. */
const nextId = () => (ids === 'random' ? BigInt.asIntN(64, ++last * 0x9e3779b97f4a7c15n) : ++last);

process.on('message', async (count) => {
  const [began, before] = [performance.now(), process.cpuUsage()];
  let left = count;
  const client = async () => {
    while (left-- > 0) await store.create({ id: nextId(), name: 'Monstera deliciosa', tag: 'tropical' });
  };
  await Promise.all(Array.from({ length: Number(clients) }, client));
  const { user, system } = process.cpuUsage(before);
  process.send({ cpu: (user + system) / count, rate: (count / (performance.now() - began)) * 1000 });
});
process.send('ready');
