import type { Store } from 'contract-first-database';
import { startLine } from '../credentials/invitation';
import { watchReadiness } from '../observe/probes';
import { listenForClients, listenForProbes } from './listeners';
import {
  createObservers,
  createServer,
  openDependencies,
  type RunConfig,
  serveWith,
  type Setting,
} from './service';
import { exitAtSignal, stopAtSignal } from './shutdown';

/** Serves as the only process of its service. */
export async function serveAlone<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string,
>(setting: Setting<Config, Dependencies, Own>): Promise<void> {
  const { parts, config } = setting;
  const observers = createObservers(parts.errors, config.logLevel);
  const { log, metrics, report } = observers;
  const [draining, stopping] = [new AbortController(), new AbortController()];
  let ready = (): Promise<void> => Promise.reject(new Error('the server has not started yet'));
  const probed = {
    ready: () => ready(),
    metrics,
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const probes = await listenForProbes(config.ops, parts.errors, probed, report);
  const started = exitAtSignal(log); // what is under way in the database is rolled back, as after a kill
  const dependencies = await openDependencies(setting, observers);
  await serveWith(dependencies, async () => {
    const checked = watchReadiness(() => dependencies.ready(), log);
    const { server, invitationFor, watchSecrets } = await createServer(setting, observers, dependencies, {
      ...probed,
      ready: checked,
    });
    const address = await listenForClients(config, server);
    ready = checked;
    // At any log level: operators and scripts need the address.
    const notice = log.child({}, { level: 'info' });
    notice.info(startLine(address));
    if (probes) notice.info(`probes and metrics on ${probes.address}`);
    const invitation = invitationFor(address);
    if (invitation !== undefined) console.log(invitation);
    watchSecrets();
    started();
    stopAtSignal({
      server,
      probes: probes?.server,
      dependencies,
      draining,
      stopping,
      delay: config.shutdownDelay,
      timeout: config.shutdownTimeout,
      log,
    });
  });
}
