import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openChannel } from './channel';
import { InvalidConfig, type ServerConfig } from '../config';
import { startLine } from '../credentials/invitation';
import { copyLines } from '../observe/log';
import type { Errors } from '../errors';
import { countForWorkers } from '../limits/load';
import { countsOf, type Snapshot, sumOf } from '../observe/metrics';
import { watchReadiness } from '../observe/probes';
import { listenForProbes, OWN_LISTENERS, portOf } from './listeners';
import { environmentOf } from './place';
import { createObservers } from './service';
import { exitAtSignal, stopAtSignal } from './shutdown';

interface Member {
  readonly number: number;
  readonly worker: Worker;
  readonly channel: ReturnType<typeof openChannel>;
  /** Milliseconds. */
  readonly since: number;
  hasStarted: boolean;
  isListening: boolean;
  /** The latest metrics that it has sent. */
  snapshot: Snapshot;
}

/** Milliseconds until a worker that has ended is replaced: twice as long each time, unless it has run for a while. */
const [FIRST_PAUSE, LONGEST_PAUSE, WHILE] = [100, 30_000, 60_000];
/** Milliseconds that the last output of a worker has to arrive, and that workers may stop later than they promise. */
const GRACE = 500;

/**
 * Runs the workers of a server, and answers for all of them: the first opens everything, and migrates the database, before the
 * others start. One that ends is replaced. Resolves when all listen; if one cannot start, the process exits with its status.
 */
export async function runWorkers<Own extends string>(
  config: ServerConfig,
  errors: Errors<Own>,
): Promise<void> {
  if (!cluster.isPrimary)
    throw new InvalidConfig('WORKERS: expected 1, because another program runs the workers');
  const { log, metrics, report } = createObservers(errors, config.logLevel);
  if (config.rateLimit && !config.rateLimitStore) countForWorkers();
  const secret = randomBytes(32).toString('base64url');
  const members = new Map<number, Member>();
  const pauses = new Map<number, number>();
  // At any log level: operators and scripts need the address, and which process a worker is.
  const notice = log.child({}, { level: 'info' });
  const [draining, stopping] = [new AbortController(), new AbortController()];
  /** Stands for the listeners of the workers. */
  class Listeners extends EventEmitter {
    get listening(): boolean {
      return [...members.values()].some(({ isListening }) => isListening);
    }

    /** Ends workers that still listen: they are frozen, since each closes its own listener. */
    closeAllConnections(): void {
      for (const { isListening, worker } of members.values()) if (isListening) worker.process.kill('SIGKILL');
    }
  }
  const listeners = new Listeners();
  let address: string | undefined;
  let invitation: string | undefined;
  let isRunning = false;
  /** What workers have counted that have ended. */
  let past: Promise<Snapshot> = Promise.resolve([]);

  const ask = async ({ number, channel }: Member, question: 'live' | 'ready'): Promise<void> => {
    await channel.ask(question).catch((error: unknown) => {
      throw new Error(`worker ${number}: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  const started = () => [...members.values()].filter(({ hasStarted }) => hasStarted);
  const live = async () => {
    const asked = started().map((member) =>
      ask(member, 'live').catch((error: unknown) => {
        if (member.worker.isConnected()) throw error; // another takes the place of one that has ended
      }),
    );
    await Promise.all(asked);
  };
  const checked = watchReadiness(async () => {
    await Promise.all(started().map((member) => ask(member, 'ready')));
  }, log);
  const ready = async () => {
    const lacking = config.workers - started().length;
    if (lacking > 0) throw new Error(`${lacking} of ${config.workers} workers have not started`);
    await checked();
  };
  async function text(): Promise<string> {
    const before = past; // now, so that one that ends meanwhile is not counted twice
    const latest = started().map(async (member) => {
      // A worker that is late is counted as it was.
      const answer = await member.channel.ask('metrics').catch(() => member.snapshot);
      return (member.snapshot = answer as Snapshot);
    });
    return sumOf([await metrics.snapshot(), await before, ...(await Promise.all(latest))]).metrics();
  }

  /** @param begun called when it listens */
  function fork(number: number, begun: () => void = () => undefined): void {
    const port = address !== undefined && OWN_LISTENERS ? { PORT: String(portOf(address)) } : {};
    const worker = cluster.fork({
      ...environmentOf({ number, secret, first: address === undefined }),
      ...port,
    });
    const channel = openChannel(worker, { live, ready, metrics: text }, `worker ${number}`, (heard) => {
      if (heard.kind === 'closed') member.isListening = false;
      if (heard.kind !== 'started') return;
      member.hasStarted = member.isListening = true;
      if (draining.signal.aborted) channel.tell({ kind: 'drain' });
      address ??= heard.address;
      invitation ??= heard.invitation;
      notice.info({ worker: number, pid: worker.process.pid }, 'a worker listens');
      begun();
    });
    const member: Member = {
      number,
      worker,
      channel,
      since: performance.now(),
      hasStarted: false,
      isListening: false,
      snapshot: [],
    };
    members.set(number, member);
    copyLines(worker.process.stdout, process.stdout);
    copyLines(worker.process.stderr, process.stderr);
    const closed = once(worker.process, 'close');
    worker.once('exit', (status: number | null, signal: string | null) => {
      void Promise.race([closed, sleep(GRACE)]).then(() => {
        end(member, signal ?? status ?? 1);
      });
    });
  }

  function end({ number, since, hasStarted, snapshot }: Member, how: string | number): void {
    members.delete(number);
    past = past.then((before) => sumOf([before, countsOf(snapshot)]).getMetricsAsJSON());
    if (stopping.signal.aborted) {
      if (how !== 0 && hasStarted) {
        log.error({ worker: number, exit: how }, 'a worker exited before it had stopped');
        process.exitCode = 1;
      }
      if (members.size === 0) listeners.emit('close');
      return;
    }
    if (!isRunning) {
      // Its message is on standard error; a signal leaves none.
      if (typeof how === 'string') console.error(`worker ${number} was ended by ${how} before it listened`);
      process.exit(typeof how === 'number' && how !== 0 ? how : 1);
    }
    const hasRun = performance.now() - since >= WHILE;
    const pause = hasRun ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, pauses.get(number) ?? FIRST_PAUSE);
    pauses.set(number, 2 * pause);
    log.error({ worker: number, exit: how }, `a worker exited; restarting it in ${pause} ms`);
    setTimeout(() => {
      if (!stopping.signal.aborted) fork(number);
    }, pause).unref();
  }

  const output = (stream: NodeJS.WriteStream) => (stream.isTTY ? 'inherit' : 'pipe');
  cluster.schedulingPolicy = cluster.SCHED_NONE; // of workers that share a listener
  cluster.setupPrimary({
    serialization: 'advanced', // JSON has no NaN
    stdio: ['ignore', output(process.stdout), output(process.stderr), 'ipc'],
  });
  const probed = {
    live,
    ready,
    metrics: { contentType: metrics.contentType, text },
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const probes = await listenForProbes(config.ops, errors, probed, report);
  process.on('exit', () => {
    for (const { worker } of members.values()) worker.process.kill('SIGKILL'); // one may be frozen
  });
  const allStarted = exitAtSignal(log);
  await new Promise<void>((resolve) => {
    fork(1, resolve);
  });
  const others = Array.from({ length: config.workers - 1 }, (_, i) => i + 2);
  await Promise.all(
    others.map(
      (number) =>
        new Promise<void>((resolve) => {
          fork(number, resolve);
        }),
    ),
  );
  isRunning = true;
  allStarted();
  notice.info({ workers: config.workers }, startLine(address ?? ''));
  if (probes) notice.info(`probes and metrics on ${probes.address}`);
  if (invitation !== undefined) console.log(invitation);

  draining.signal.addEventListener('abort', () => {
    for (const { channel } of started()) channel.tell({ kind: 'drain' });
  });
  stopping.signal.addEventListener('abort', () => {
    for (const { hasStarted, channel, worker } of members.values())
      if (hasStarted) channel.tell({ kind: 'stop' });
      else worker.process.kill('SIGKILL'); // it serves nobody
    if (members.size === 0) listeners.emit('close');
  });
  stopAtSignal({
    server: listeners,
    probes: probes?.server,
    dependencies: { ready, close: () => Promise.resolve() },
    draining,
    stopping,
    delay: config.shutdownDelay,
    timeout: config.shutdownTimeout + GRACE,
    log,
  });
}
