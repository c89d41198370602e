import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openChannel } from './channel';
import { copyLines } from '../observe/log';
import { countsOf, type Metrics, type Snapshot, sumOf } from '../observe/metrics';
import { watchReadiness } from '../observe/probes';
import { OWN_LISTENERS, portOf } from './listeners';
import { environmentOf } from './place';
import type { Phases } from './shutdown';

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
export const GRACE = 500;

/**
 * The workers of a server, as its primary has them. It stands for their listeners, and emits `close` when all have ended after the
 * server has begun to stop.
 */
export class Workers extends EventEmitter {
  /** That of the first worker. */
  address: string | undefined;
  invitation: string | undefined;
  private readonly members = new Map<number, Member>();
  private readonly pauses = new Map<number, number>();
  private readonly secret = randomBytes(32).toString('base64url');
  private hasStarted = false;
  /** What workers have counted that have ended. */
  private past: Promise<Snapshot> = Promise.resolve([]);
  private readonly checked: () => Promise<void>;

  /** @param metrics of this process */
  constructor(
    private readonly count: number,
    private readonly log: Logger,
    private readonly metrics: Metrics,
    private readonly phases: Phases,
  ) {
    super();
    this.checked = watchReadiness(async () => {
      await Promise.all(this.started().map((member) => ask(member, 'ready')));
    }, log);
  }

  /** Starts the first, which opens everything and migrates the database, and then the others. Resolves when all listen. */
  async start(): Promise<void> {
    await this.startOne(1);
    const others = Array.from({ length: this.count - 1 }, (_, i) => i + 2);
    await Promise.all(others.map((number) => this.startOne(number)));
    this.hasStarted = true;
  }

  private startOne(number: number): Promise<void> {
    return new Promise((resolve) => {
      this.fork(number, resolve);
    });
  }

  /** @param begun called when it listens */
  private fork(number: number, begun: () => void = () => undefined): void {
    const { address, secret } = this;
    const port = address !== undefined && OWN_LISTENERS ? { PORT: String(portOf(address)) } : {};
    const worker = cluster.fork({
      ...environmentOf({ number, secret, first: address === undefined }),
      ...port,
    });
    const answers = { live: this.live, ready: this.ready, metrics: this.text };
    const channel = openChannel(worker, answers, `worker ${number}`, (heard) => {
      if (heard.kind === 'closed') member.isListening = false;
      if (heard.kind !== 'started') return;
      member.hasStarted = member.isListening = true;
      if (this.phases.draining.signal.aborted) channel.tell({ kind: 'drain' });
      this.address ??= heard.address;
      this.invitation ??= heard.invitation;
      // At any log level: operators and scripts need to know which process a worker is.
      this.log
        .child({}, { level: 'info' })
        .info({ worker: number, pid: worker.process.pid }, 'a worker listens');
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
    this.members.set(number, member);
    copyLines(worker.process.stdout, process.stdout);
    copyLines(worker.process.stderr, process.stderr);
    const closed = once(worker.process, 'close');
    worker.once('exit', (status: number | null, signal: string | null) => {
      void Promise.race([closed, sleep(GRACE)]).then(() => {
        this.ended(member, signal ?? status ?? 1);
      });
    });
  }

  private ended({ number, since, hasStarted, snapshot }: Member, how: string | number): void {
    const { members, log, pauses } = this;
    const { stopping } = this.phases;
    members.delete(number);
    this.past = this.past.then((before) => sumOf([before, countsOf(snapshot)]).getMetricsAsJSON());
    if (stopping.signal.aborted) {
      if (how !== 0 && hasStarted) {
        log.error({ worker: number, exit: how }, 'a worker exited before its shutdown was complete');
        process.exitCode = 1;
      }
      if (members.size === 0) this.emit('close');
      return;
    }
    if (!this.hasStarted) {
      // Its message is on standard error; a signal leaves none.
      if (typeof how === 'string')
        console.error(`worker ${number} was terminated by ${how} before it listened`);
      process.exit(typeof how === 'number' && how !== 0 ? how : 1);
    }
    const hasRun = performance.now() - since >= WHILE;
    const pause = hasRun ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, pauses.get(number) ?? FIRST_PAUSE);
    pauses.set(number, 2 * pause);
    log.error({ worker: number, exit: how }, `a worker exited; restarting it in ${pause} ms`);
    setTimeout(() => {
      if (!stopping.signal.aborted) this.fork(number);
    }, pause).unref();
  }

  private started(): Member[] {
    return [...this.members.values()].filter(({ hasStarted }) => hasStarted);
  }

  /** Rejects if a worker does not answer. */
  readonly live = async (): Promise<void> => {
    const asked = this.started().map((member) =>
      ask(member, 'live').catch((error: unknown) => {
        if (member.worker.isConnected()) throw error; // another takes the place of one that has ended
      }),
    );
    await Promise.all(asked);
  };

  /** Rejects unless all can do their work. */
  readonly ready = async (): Promise<void> => {
    const lacking = this.count - this.started().length;
    if (lacking > 0) throw new Error(`${lacking} of ${this.count} workers have not started`);
    await this.checked();
  };

  /** The metrics of all, those that have ended included. */
  readonly text = async (): Promise<string> => {
    const before = this.past; // now, so that one that ends meanwhile is not counted twice
    const latest = this.started().map(async (member) => {
      // A worker that is late is counted as it was.
      const answer = await member.channel.ask('metrics').catch(() => member.snapshot);
      return (member.snapshot = answer as Snapshot);
    });
    return sumOf([await this.metrics.snapshot(), await before, ...(await Promise.all(latest))]).metrics();
  };

  get listening(): boolean {
    return [...this.members.values()].some(({ isListening }) => isListening);
  }

  /** Ends workers that still listen: they are frozen, since each closes its own listener. */
  closeAllConnections(): void {
    for (const { isListening, worker } of this.members.values())
      if (isListening) worker.process.kill('SIGKILL');
  }

  drain(): void {
    for (const { channel } of this.started()) channel.tell({ kind: 'drain' });
  }

  stop(): void {
    for (const { hasStarted, channel, worker } of this.members.values())
      if (hasStarted) channel.tell({ kind: 'stop' });
      else worker.process.kill('SIGKILL'); // it serves nobody
    if (this.members.size === 0) this.emit('close');
  }

  kill(): void {
    for (const { worker } of this.members.values()) worker.process.kill('SIGKILL');
  }
}

async function ask({ number, channel }: Member, question: 'live' | 'ready'): Promise<void> {
  await channel.ask(question).catch((error: unknown) => {
    throw new Error(`worker ${number}: ${error instanceof Error ? error.message : String(error)}`);
  });
}
