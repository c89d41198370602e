import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Postgres, startPostgres } from './postgres';

/*
 * One PostgreSQL for all suites that need nothing but a database: starting one takes a second of CPU time. The first
 * process of Jest starts it when a suite first asks, over a socket, for a database.
 */

/** The variable with the port at which a suite asks. */
const PORT = 'SHARED_POSTGRES_PORT';

let server: Server | undefined;
let started: Promise<Postgres> | undefined;

/** Answers each name with the URL of a new database, or with the reason why there is none. An empty name is any. */
export async function offerPostgres(): Promise<void> {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined); // the suite has ended
    started ??= startPostgres();
    Promise.all([started, text(socket)])
      .then(([postgres, name]) => postgres.createDatabase(name || undefined))
      .then(
        (url) => socket.end(url),
        (error: unknown) => socket.end(String(error)),
      );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env[PORT] = String((server.address() as AddressInfo).port);
}

export async function removePostgres(): Promise<void> {
  server?.close();
  await (await started?.catch(() => undefined))?.remove();
}

/** Resolves to the URL of a new, empty database of the shared server. */
export async function createDatabase(name = ''): Promise<string> {
  const socket = connect(Number(process.env[PORT]), '127.0.0.1').end(name);
  const answer = await text(socket);
  if (!answer.startsWith('postgres:')) throw new Error(`no shared PostgreSQL: ${answer}`);
  return answer;
}
