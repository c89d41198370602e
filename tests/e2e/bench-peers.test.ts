import { join } from 'node:path';
import { exampleRequest, messageOf } from '../../src/contract';
import document from '../../generated/openapi.json';
import { startProcess } from '../support/process';

// Of the servers that `make bench` compares, those that need no packages of their own.
const PEERS = ['ours', 'bare-node', 'express-readme'];
const PEER = join(__dirname, '../system/bench/peers');
/** As tests/system/bench/probe.mjs does: tells where the server listens. */
const PROBE = `data:text/javascript,import { Server } from 'node:net'; const { listen } = Server.prototype;
Server.prototype.listen = function (...args) { this.once('listening', () => console.log('port ' + this.address().port));
return listen.apply(this, args); };`;

test.each(PEERS.flatMap((peer) => [1, 10].map((operations) => [peer, operations] as const)))(
  '%s starts with a document of %i operations, and fulfils its example',
  async (peer, operations) => {
    const env = { API_TOKENS: 'token', NODE_ENV: 'production', BENCH_OPERATIONS: String(operations) };
    const server = startProcess(['--import', PROBE, join(PEER, `${peer}.mjs`)], env);
    const [, port] = await server.printed(/^port (\d+)$/m);
    const example = exampleRequest(document);
    const send = async (token: string) => {
      const { method = '', path = '', headers, body } = example ? messageOf(example, token) : {};
      return fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...headers },
        body: body ?? null,
      });
    };
    expect((await send('token')).status).toBe(200);
    expect((await send('other')).status).toBe(401);
    await server.stop('SIGKILL');
  },
);
