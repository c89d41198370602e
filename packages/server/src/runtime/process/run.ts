import { readFileSync } from 'node:fs';
import { readDocument } from '../../contract';
import { OpenApiDocument } from '../../contract/tools';
import type { Store } from 'contract-first-database';
import { assertConfigured } from '../credentials/credentials';
import { serveAlone } from './alone';
import { copy, migrate } from './job';
import { runWorkers } from './primary';
import { explain, type RunConfig, type ServiceParts } from './service';
import { membershipOf, serveAsWorker } from './worker';

/**
 * Runs a service until SIGTERM or SIGINT. It opens, in this order: configuration, listener of probes, dependencies, credentials,
 * application, listener. Until all are open, it is not ready, and a signal ends it at once. At the end it closes the listener once
 * its requests are answered, the dependencies, and the listener of probes. If it cannot start, it says why, closes the
 * dependencies that are open, and exits with status 1.
 *
 * `node main.js migrate`, `backup PATH` and `restore PATH` are done instead, and serve nobody (job.ts). Any other argument is
 * an error.
 *
 * @param args of the program; one that has arguments for itself passes the others
 */
export function runService<
  Config extends RunConfig<Dependencies>,
  Dependencies extends Store,
  Own extends string = never,
>(parts: ServiceParts<Config, Dependencies, Own>, args: readonly string[] = process.argv.slice(2)): void {
  const [command, file, ...others] = args;
  if (command === undefined) void serve(parts);
  else if (command === 'migrate' && file === undefined) void migrate(parts);
  else if ((command === 'backup' || command === 'restore') && file?.trim() && others.length === 0)
    void copy(parts, command, file);
  else {
    const got = JSON.stringify(args.join(' '));
    console.error(`unknown command ${got}; use migrate, backup PATH or restore PATH, or none to serve`);
    process.exit(2);
  }
}

/** Serves in this process alone, as one of several workers, or as the primary of workers, which serves nobody itself. */
async function serve<Config extends RunConfig<Dependencies>, Dependencies extends Store, Own extends string>(
  parts: ServiceParts<Config, Dependencies, Own>,
): Promise<void> {
  try {
    const config = parts.readConfig();
    const document = new OpenApiDocument(readDocument(readFileSync(parts.document, 'utf8')));
    assertConfigured(config.credentials, document);
    const setting = { parts, config, document };
    const membership = membershipOf(config.worker);
    if (membership) await serveAsWorker(setting, membership);
    else if (config.workers > 1) await runWorkers(config, parts.errors);
    else await serveAlone(setting);
  } catch (error) {
    explain(error);
    process.exit(1); // closes everything that is open
  }
}
