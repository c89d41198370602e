import autocannon from 'autocannon';
import { Pool } from 'undici';
import { post } from './request.mjs';

// A process of its own, which is asked for one load after another. No two requests have the same id.

const CONNECTIONS = 64;
let nextId = 1_000_000;

/** Closed loop: every connection sends its next request when it has its answer, for `seconds`. */
async function saturate(origin, seconds) {
  const started = performance.now();
  const { path, ...first } = post(nextId);
  const result = await autocannon({
    ...first,
    url: origin + path,
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: 100, // the run ends with a sample
    setupClient(client) {
      client.on('response', () => {
        client.setBody(post(nextId++).body);
      });
    },
  });
  const { '2xx': answered, non2xx, errors } = result;
  return { answered, failed: non2xx + errors, seconds: (performance.now() - started) / 1000 };
}

/**
 * Open loop: requests are due at even intervals, whatever became of those before, and latency counts from when one was
 * due; so a server that stalls is charged for all who waited. (autocannon's own limit sends each second's share in one
 * burst.)
 */
async function pace(origin, rate, seconds) {
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  const total = Math.round(rate * seconds);
  const latencies = new Float64Array(total);
  let [sent, done, failed] = [0, 0, 0];
  const started = performance.now();
  await new Promise((resolve) => {
    const finish = () => {
      if (++done === total) resolve();
    };
    const dispatch = (index) => {
      const due = started + (index * 1000) / rate;
      pool.dispatch(post(nextId++), {
        onConnect: () => undefined,
        onHeaders(status) {
          if (status !== 200) failed++;
          return true;
        },
        onData: () => true,
        onComplete() {
          latencies[index] = performance.now() - due;
          finish();
        },
        onError() {
          failed++;
          finish();
        },
      });
    };
    const tick = () => {
      const due = Math.min(total, ((performance.now() - started) * rate) / 1000);
      while (sent < due) dispatch(sent++);
      if (sent < total) setImmediate(tick); // a timer is too coarse
    };
    tick();
  });
  await pool.close();
  return { failed, latencies: Array.from(latencies) };
}

process.on('message', ({ origin, rate, seconds }) => {
  const load = rate === undefined ? saturate(origin, seconds) : pace(origin, rate, seconds);
  load.then((result) => process.send(result));
});
