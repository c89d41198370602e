import { createRequire } from 'node:module';

// Creates plants by the store alone, without HTTP. Arguments: the folder of a build, a database URL, and how many
// creations are under way at once. For each message, a number of plants, it answers with what they have cost.

const [dist, url, clients] = process.argv.slice(2);
const { openStore } = createRequire(import.meta.url)(`${dist}/storage/open.js`);
const store = await openStore(url);
let id = 0n;

process.on('message', async (count) => {
  const [began, before] = [performance.now(), process.cpuUsage()];
  let left = count;
  const client = async () => {
    while (left-- > 0) await store.create({ id: ++id, name: 'Monstera deliciosa', tag: 'tropical' });
  };
  await Promise.all(Array.from({ length: Number(clients) }, client));
  const { user, system } = process.cpuUsage(before);
  process.send({ cpu: (user + system) / count, rate: (count / (performance.now() - began)) * 1000 });
});
process.send('ready');
