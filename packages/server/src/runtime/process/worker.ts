import cluster from 'node:cluster';
import { hkdfSync, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { listen } from '../../contract';
import type { Store } from 'contract-first-database';
import { openChannel } from './channel';
import type { Metrics } from '../observe/metrics';
import type { Probed } from '../observe/probes';
import { type Phases, SIGNALS } from './shutdown';

/** The variable by which the primary tells each worker what it is. */
const VARIABLE = 'SERVER_WORKER';
const FORM = /^(?<number>\d+):(?<secret>[\w-]+)(?<first>:first)?$/;

/** Which of the workers a process is. */
export interface Place {
  /** From 1 on. */
  readonly number: number;
  /** All workers of a machine have the same. */
  readonly secret: string;
  /** Nobody listens on its port yet. */
  readonly first: boolean;
}

/** The place of the worker whose environment this is; undefined if it is that of no worker. */
export function placeIn(environment: NodeJS.ProcessEnv): Place | undefined {
  const { number, secret = '', first } = FORM.exec(environment[VARIABLE] ?? '')?.groups ?? {};
  return number === undefined ? undefined : { number: Number(number), secret, first: first !== undefined };
}

export const environmentOf = ({ number, secret, first }: Place): NodeJS.ProcessEnv => ({
  [VARIABLE]: `${number}:${secret}${first ? ':first' : ''}`,
});

/** The part of a number that a worker has: the parts of all together are the number. */
export const partOf = (whole: number, workers: number, { number }: Place): number =>
  Math.floor(whole / workers) + (number <= whole % workers ? 1 : 0);

/** Whether each worker has a listener of its own, among which the operating system divides connections; else they share one. */
export const OWN_LISTENERS = process.platform === 'linux';

/** Starts to listen as the first worker or as another one: `listen` of the core. */
export async function listenBeside(
  { first }: Place,
  server: Server,
  host: string,
  port: number,
): Promise<string> {
  if (!OWN_LISTENERS) return listen(server, host, port);
  let free = port;
  if (first) {
    // A listener that shares its port would take no notice of another program's.
    const alone = createServer();
    free = portOf(await listen(alone, host, port, { exclusive: true }));
    await new Promise((resolve) => alone.close(resolve));
  }
  return listen(server, host, free, { reusePort: true });
}

/** The port of the URL of a server, which always has one. */
export const portOf = (url: string): number => Number(url.slice(url.lastIndexOf(':') + 1));

/** Random bytes. Workers get the same for the same name, so that each accepts the secrets that another has made up. */
export function madeUp(place: Place | undefined, name: string, bytes: number): Buffer {
  return place ? Buffer.from(hkdfSync('sha256', place.secret, '', name, bytes)) : randomBytes(bytes);
}

/**
 * What a worker shares with the others, by its primary; undefined if this process is no worker of this program. It leaves
 * signals to the primary: a terminal sends them to all processes.
 */
export function joinPrimary(place: Place | undefined) {
  const self = cluster.worker;
  if (!place || !self) return undefined;
  for (const signal of SIGNALS) process.on(signal, () => undefined);
  const signals = new EventEmitter<Record<string, NodeJS.Signals[]>>();
  return {
    place,
    signals,
    /** @param own of this worker. The result is that of all workers. */
    share(
      own: { readonly ready: () => Promise<void>; readonly metrics: Metrics },
      { draining, stopping }: Phases,
    ) {
      const answers = {
        live: () => Promise.resolve(),
        async ready() {
          if (draining.signal.aborted) throw new Error('it stops');
          await own.ready();
        },
        metrics: () => own.metrics.snapshot(),
      };
      const channel = openChannel(self, answers, 'the primary', ({ kind }) => {
        if (kind === 'drain') draining.abort();
        if (kind === 'stop' && !stopping.signal.aborted) signals.emit('SIGTERM', 'SIGTERM');
      });
      const closed = async (server: Server) => {
        while (server.listening) await setImmediate();
        channel.tell({ kind: 'closed' });
      };
      const all = {
        live: async () => {
          await channel.ask('live');
        },
        ready: async () => {
          await channel.ask('ready');
        },
        metrics: {
          contentType: own.metrics.contentType,
          text: async () => String(await channel.ask('metrics')),
        },
      } satisfies Partial<Probed>;
      return {
        all,
        started(server: Server, address: string, invitation: string | undefined): void {
          stopping.signal.addEventListener('abort', () => void closed(server));
          channel.tell({ kind: 'started', address, invitation });
        },
      };
    },
    /** The channel to the primary keeps the process alive until the dependencies are closed. */
    leaving: (dependencies: Store): Store => ({
      ready: () => dependencies.ready(),
      close: async () => {
        await dependencies.close();
        self.disconnect();
      },
    }),
  };
}
