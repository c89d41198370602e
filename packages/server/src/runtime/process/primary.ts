import cluster from 'node:cluster';
import { InvalidConfig, type ServerConfig } from '../config';
import { startLine } from '../credentials/invitation';
import type { Errors } from '../errors';
import { countForWorkers } from '../limits/load';
import { listenForProbes } from './listeners';
import { createObservers } from './service';
import { exitAtSignal, stopAtSignal } from './shutdown';
import { GRACE, Workers } from './workers';

/**
 * Runs the workers of a server, and answers for all of them. One that ends is replaced. Resolves when all listen; if one cannot
 * start, the process exits with its status.
 */
export async function runWorkers<Own extends string>(
  config: ServerConfig,
  errors: Errors<Own>,
): Promise<void> {
  if (!cluster.isPrimary)
    throw new InvalidConfig('WORKERS: expected 1, because another program runs the workers');
  const { log, metrics, report } = createObservers(errors, config.logLevel);
  if (config.rateLimit && !config.rateLimitStore) countForWorkers();
  const output = (stream: NodeJS.WriteStream) => (stream.isTTY ? 'inherit' : 'pipe');
  cluster.schedulingPolicy = cluster.SCHED_NONE; // of workers that share a listener
  cluster.setupPrimary({
    serialization: 'advanced', // JSON has no NaN
    stdio: ['ignore', output(process.stdout), output(process.stderr), 'ipc'],
  });
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const workers = new Workers(config.workers, log, metrics, { draining, stopping });
  const probed = {
    live: workers.live,
    ready: workers.ready,
    metrics: { contentType: metrics.contentType, text: workers.text },
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const probes = await listenForProbes(config.ops, errors, probed, report);
  process.on('exit', () => {
    workers.kill(); // one may be frozen
  });
  const started = exitAtSignal(log);
  await workers.start();
  started();
  // At any log level: operators and scripts need the address.
  const notice = log.child({}, { level: 'info' });
  notice.info({ workers: config.workers }, startLine(workers.address ?? ''));
  if (probes) notice.info(`probes and metrics on ${probes.address}`);
  if (workers.invitation !== undefined) console.log(workers.invitation);
  draining.signal.addEventListener('abort', () => {
    workers.drain();
  });
  stopping.signal.addEventListener('abort', () => {
    workers.stop();
  });
  stopAtSignal({
    server: workers,
    probes: probes?.server,
    dependencies: { ready: workers.ready, close: () => Promise.resolve() },
    draining,
    stopping,
    delay: config.shutdownDelay,
    timeout: config.shutdownTimeout + GRACE,
    log,
  });
}
