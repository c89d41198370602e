import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Store } from 'contract-first-database';
import { openChannel } from './channel';
import type { Metrics } from '../observe/metrics';
import { type Probed, watchReadiness } from '../observe/probes';
import { listenForClients } from './listeners';
import type { Place } from './place';
import {
  createObservers,
  createServer,
  openDependencies,
  type RunConfig,
  serveWith,
  type Setting,
} from './service';
import { type Phases, SIGNALS, stopAtSignal } from './shutdown';

/** Serves as one of several processes. The primary listens for probes, prints the address, and gets the signals. */
export async function serveAsWorker<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string,
>(setting: Setting<Config, Dependencies, Own>, { place, process: self }: Membership): Promise<void> {
  const { parts, config } = setting;
  // A terminal sends signals to all processes, and the primary decides.
  for (const signal of SIGNALS) process.on(signal, () => undefined);
  const observers = createObservers(parts.errors, config.logLevel, place.number);
  const { log, metrics } = observers;
  const phases = { draining: new AbortController(), stopping: new AbortController() };
  const dependencies = await openDependencies(setting, observers);
  await serveWith(dependencies, async () => {
    const ready = watchReadiness(() => dependencies.ready(), log);
    const primary = joinPrimary(self, { ready, metrics }, phases);
    const { server, invitationFor, watchSecrets } = await createServer(setting, observers, dependencies, {
      ...primary.all,
      draining: phases.draining.signal,
      stopping: phases.stopping.signal,
    });
    const address = await listenForClients(config, server, place);
    primary.started(server, address, invitationFor(address));
    watchSecrets();
    stopAtSignal(
      {
        server,
        probes: undefined,
        dependencies: leaving(self, dependencies),
        ...phases,
        delay: 0, // the primary waits for it
        timeout: config.shutdownTimeout,
        log: log.child({}, { level: 'error' }), // the primary says that the server stops
      },
      primary.signals,
    );
  });
}

/** A worker of this program. */
interface Membership {
  readonly place: Place;
  readonly process: Worker;
}

/** Undefined if this process is no worker of this program. */
export const membershipOf = (place: Place | undefined): Membership | undefined =>
  place && cluster.worker ? { place, process: cluster.worker } : undefined;

/**
 * What a worker shares with the others, by its primary.
 *
 * @param own of this worker. `all` of the result is that of all workers.
 */
function joinPrimary(
  self: Worker,
  own: { readonly ready: () => Promise<void>; readonly metrics: Metrics },
  { draining, stopping }: Phases,
) {
  const signals = new EventEmitter<Record<string, NodeJS.Signals[]>>();
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
    signals,
    started(server: Server, address: string, invitation: string | undefined): void {
      stopping.signal.addEventListener('abort', () => void closed(server));
      channel.tell({ kind: 'started', address, invitation });
    },
  };
}

/** The channel to the primary keeps the process alive until the dependencies are closed. */
const leaving = (self: Worker, dependencies: Store): Store => ({
  ready: () => dependencies.ready(),
  close: async () => {
    await dependencies.close();
    self.disconnect();
  },
});
