import { startProgram } from '../../support/program';

/** The only token that the server accepts. */
export const TOKEN = 'crash-test';

/** The built server as a process of its own, listening on a free port. */
export interface Server {
  readonly address: URL;
  /** SIGKILL: it cannot finish anything. */
  kill(): Promise<void>;
}

// Whoever ends this process ends the server too: "exit" is not emitted at a signal that nobody listens to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** @throws {Error} with what the server has said, when it does not listen in time */
export async function startServer(databaseUrl: string): Promise<Server> {
  const { url, stop } = await startProgram({
    DATABASE_URL: databaseUrl,
    API_TOKENS: TOKEN,
    LOG_LEVEL: 'info',
  });
  return {
    address: new URL(url),
    async kill() {
      await stop('SIGKILL');
    },
  };
}
