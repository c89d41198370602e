import { Agent, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { credentials, EXAMPLE } from '../../../../scripts/testing/client';
import { listening } from '../../../../scripts/testing/listening';
import { buildApp, TOKEN } from '../../../../scripts/testing/plant-service';
import { buildDocument, buildService } from '../../../../scripts/testing/service';
import { judged } from '../support/judged';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of live objects on the heap. */
function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Each request has other client data, none of which matches the document. */
function send(agent: Agent, port: number, i: number): Promise<void> {
  const unique = `${i}-${'x'.repeat(50)}`;
  const path = i % 4 === 0 ? `/${unique}` : i % 4 === 1 ? `${EXAMPLE.path}?${unique}` : EXAMPLE.path;
  const token = i % 3 === 0 ? unique : TOKEN;
  const headers = {
    ...credentials(token),
    'Content-Type': `${EXAMPLE.contentType}; ${unique}=1`,
    [`X-${unique}`]: unique,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, path, method: EXAMPLE.method, headers }, (response) => {
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end(`[{"${unique}":"${unique}"}]`);
  });
}

test('memory does not grow with client data', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const used = await listening(buildApp(), async (port) => {
    const burst = async (from: number, to: number) => {
      for (let i = from; i < to; i += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, j) => send(agent, port, i + j)));
      }
      return heapUsed();
    };
    const warm = await burst(0, 3_000);
    return (await burst(3_000, 13_000)) - warm;
  });
  agent.destroy();
  // express-openapi-validator as a middleware keeps 16 kB and more for each media type.
  expect(used).toBeLessThan(2_000_000);
});

test('memory does not grow with the values that are compared', () => {
  const { first } = judged({ Body: { uniqueItems: true } });
  const judge = (from: number) => {
    for (let i = from; i < from + 3_000; i++) first(`["${i}${'x'.repeat(1_000)}"]`);
    return heapUsed();
  };
  const warm = judge(0);
  expect(judge(3_000) - warm).toBeLessThan(1_000_000);
});

test('a service that is no longer in use is not kept until the deadline of its last request', async () => {
  const serve = async () => {
    const handlers = { postThing: () => Promise.resolve({ status: 204 }) };
    const { app, service } = buildService({ document: buildDocument(), handlers });
    await listening(app, (port) => send(new Agent(), port, 0));
    return new WeakRef(service);
  };
  const service = await serve();
  // The server and its connection release their handles in later turns, and a WeakRef keeps its target until the end of one.
  for (let turn = 0; turn < 100 && service.deref() !== undefined; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  expect(service.deref()).toBeUndefined();
});
