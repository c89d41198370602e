import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { once as event } from 'node:events';
import { collectionOf, runCollection } from './newman.mjs';
import { once, work } from './worker.mjs';

const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js');

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await event(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A Prism proxy before the server; it runs for all jobs of a document. */
const proxyOf = once(async (document, base) => {
  const port = await freePort();
  const child = spawn(process.execPath, [prism, 'proxy', document, base, '-p', port, '-h', '127.0.0.1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('is listening') && resolve());
    child.once('exit', () => reject(new Error('Prism does not start')));
  });
  return `http://127.0.0.1:${port}`;
});

// The same requests through Prism as a validating proxy. Prism reports the violations of a response in a header.
work(async (job) => {
  const collection = collectionOf(job.document, job);
  const failures = [];
  const proxy = await proxyOf(job.document, job.base);
  await runCollection(collection, proxy, (run) =>
    run.on('request', (_error, { item, response }) => {
      const violations = JSON.parse(response?.headers.get('sl-violations') ?? '[]');
      for (const { location, message } of violations) {
        if (location[0] === 'response') failures.push(`${item.name}: ${location.join('.')} ${message}`);
      }
    }),
  );
  return failures;
});
