import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The built server as a process of its own, listening on a free port. */
export interface Server {
  readonly address: URL;
  readonly token: string;
  /** SIGKILL: it cannot finish anything. */
  kill(): Promise<void>;
}

/** Milliseconds within which the server must listen. */
const START_TIMEOUT = 20_000;

// Whoever ends this process ends the server too: "exit" is not emitted at a signal that nobody listens to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** @throws {Error} with what the server has said, when it does not listen in time */
export async function startServer(databaseUrl: string): Promise<Server> {
  const token = 'crash-test';
  const child = spawn(process.execPath, [join(__dirname, '../../dist/main.js')], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      API_TOKENS: token,
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const exited = once(child, 'exit').finally(() => process.removeListener('exit', killAtExit));

  let said = '';
  const address = await new Promise<URL>((resolve, reject) => {
    const fail = () => {
      child.kill('SIGKILL');
      reject(new Error(`the server does not listen (is it built?): ${said}`));
    };
    const timer = setTimeout(fail, START_TIMEOUT);
    child.once('exit', fail);
    // Read to the end, or the server would block on a full pipe.
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-2000);
        const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (url === undefined) return;
        clearTimeout(timer);
        child.removeListener('exit', fail);
        resolve(new URL(url));
      });
    }
  });
  return {
    address,
    token,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
