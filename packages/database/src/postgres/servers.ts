import { readFile, stat } from 'node:fs/promises';
import type { Client } from 'pg';
import { codeOf } from '../failure';
import { StoreUnavailable } from '../store';
import { WORK_TIMEOUT } from '../transaction';
import { PARSERS, READ_ONLY, typesOf } from './dialect';
import { pg } from './pg';
import { cancelled, preludes } from './statements';
import type { Server, Target } from './url';

/** All in milliseconds. The server's own timeouts come first: they leave the connection in good order. */
const LOCK_TIMEOUT = 2000;
const STATEMENT_TIMEOUT = 4000;
/** For a server that has gone silent. */
const ANSWER_TIMEOUT = 5000;
/** In which all servers of a URL are tried. */
const CONNECT_TIMEOUT = 10_000;
/** After which the kernel asks a silent server whether it is still there. */
const KEEP_ALIVE = 10_000;
/** In which a server that could not be used is tried after the others. */
const AVOIDED = 30_000;

const ISOLATION = 'default_transaction_isolation';
/** Settings of the session, which override those of the role and the database. */
const SETTINGS = {
  client_min_messages: 'warning', // the only sign of a wait for a standby that was cancelled
  DateStyle: 'ISO', // in which timestamps are read
  [ISOLATION]: 'read committed',
  statement_timeout: String(STATEMENT_TIMEOUT),
  lock_timeout: String(LOCK_TIMEOUT),
  idle_in_transaction_session_timeout: String(WORK_TIMEOUT),
};

const RAISED = 'synchronous_commit';
/** A commit waits for the disk, and for synchronous standbys as the database is configured. */
const AT_LEAST_ON = `CASE current_setting('synchronous_commit')
  WHEN 'off' THEN 'on' WHEN 'local' THEN 'on' ELSE current_setting('synchronous_commit') END`;

/** What a server should not say of a setting, and what it means. */
const WEAK: readonly (readonly [setting: string, weak: readonly string[], meaning: string])[] = [
  ['fsync', ['off'], 'a power failure may lose or damage what has been acknowledged'],
  ['full_page_writes', ['off'], 'a power failure may damage what has been acknowledged'],
  ['synchronous_commit', ['off', 'local'], 'raised to on for the sessions of this program'],
  [
    'synchronous_commit',
    ['remote_write'],
    'a standby that loses power together with the primary may lose what has been acknowledged',
  ],
  ['zero_damaged_pages', ['on'], 'damaged rows are silently dropped'],
  ['ignore_checksum_failure', ['on'], 'damaged rows are read'],
];

const TYPES = typesOf(PARSERS);

const NO_PARAMETER =
  'the connection pooler rejects options or another parameter of the URL: leave it out, or name it in ignore_startup_parameters of the pooler';

/** A connection to a server, with the settings of the store. */
export interface Session {
  readonly client: Client;
  readonly server: Server;
  /** Its process in the server; undefined if a pooler in between gives each transaction one. */
  readonly backend: number | undefined;
  /** Does not wait for the server. */
  readonly destroy: () => void;
}

/** The servers of a URL. */
export interface Servers {
  /**
   * Connects to the first server that fits. Each is tried once, those that failed lately after the others.
   *
   * @throws {Error} of the only server, or {StoreUnavailable} with the reasons of all
   */
  connect(): Promise<Session>;
  /** Tries a server after the others for a while. */
  avoid(server: Server): void;
}

export function serversOf(target: Target, warned?: (message: string) => void): Servers {
  const failed = new Map<Server, number>();
  const warnings = new Set<string>();
  const warn = (message: string) => {
    if (!warnings.has(message)) warned?.(message);
    warnings.add(message);
  };
  const avoid = (server: Server) => void failed.set(server, performance.now());
  const isAvoided = (server: Server) => performance.now() - (failed.get(server) ?? -AVOIDED) < AVOIDED;

  async function connect(): Promise<Session> {
    const deadline = performance.now() + CONNECT_TIMEOUT;
    const reasons: string[] = [];
    let last: unknown;
    for (const server of target.servers.toSorted((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)))) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      const lastFailure = failed.get(server);
      try {
        const session = await connectTo(server, target, Math.min(target.connectTimeout, left), warn);
        // A failure since then tells more than a connection that began before it.
        if (failed.get(server) === lastFailure) failed.delete(server);
        return session;
      } catch (error) {
        avoid(server);
        last = error;
        reasons.push(`${server.name}: ${(error as Error).message || codeOf(error)}`);
      }
    }
    throw target.servers.length === 1 ? last : new StoreUnavailable(reasons.join('; '), { cause: last });
  }

  return { connect, avoid };
}

async function connectTo(
  server: Server,
  target: Target,
  timeout: number,
  warn: (message: string) => void,
): Promise<Session> {
  const url = new URL(server.url);
  const { passwordFile } = target;
  if (passwordFile !== undefined) url.searchParams.set('password', await readPassword(passwordFile));
  const client = new (pg().Client)({
    connectionString: url.href,
    connectionTimeoutMillis: timeout,
    query_timeout: ANSWER_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    types: TYPES,
  });
  // Without a listener the loss of the connection would end the process; the query under way reports it too.
  client.on('error', () => undefined);
  // A commit whose wait for a standby has been cancelled succeeds, with a warning in the language of the server.
  client.on('notice', ({ routine, file }) => {
    if (routine === 'SyncRepWaitForLSN' || file === 'syncrep.c') cancelled.add(client);
  });
  const destroy = () => client.connection.stream.destroy();
  try {
    await client.connect();
    const backend = await setUp(client, target, timeout, warn);
    return { client, server, backend, destroy };
  } catch (error) {
    destroy();
    const { message } = error as Error;
    // As PgBouncer says it, with the code of much that passes by itself.
    if (message.startsWith('unsupported startup parameter'))
      throw new Error(NO_PARAMETER, { cause: message });
    if (!/^(timeout expired|Query read timeout)$/.test(message)) throw error;
    throw Object.assign(new Error(`no response within ${Math.round(timeout)} ms`), { code: 'ETIMEDOUT' });
  }
}

/** @throws {Error} if there is none */
async function readPassword(path: string): Promise<string> {
  const read = async () => {
    if ((await stat(path)).isFile()) return readFile(path, 'utf8');
    throw new Error('expected a regular file'); // to read a pipe may never end
  };
  const text = await read().catch((error: unknown) => {
    throw new StoreUnavailable(`the password file cannot be read: ${(error as Error).message}`);
  });
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new StoreUnavailable(`the password file, ${path}, is empty`);
  return password;
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
/** SQL that sets a setting. */
const assignment = ([name, value]: readonly [string, string], isLocal: boolean) =>
  `set_config('${name}', ${name === RAISED ? AT_LEAST_ON : literal(value)}, ${isLocal})`;

/**
 * Sets what the session needs. A pooler names a process that is not that of the server; what is set for the session would
 * then be set for another's, and so it is set in each transaction, unless the defaults of the role are right already.
 *
 * @returns the process of the backend, if the session keeps one
 * @throws {Error} if the server does not fit
 */
async function setUp(
  client: Client,
  { attributes, settings }: Target,
  timeout: number,
  warn: (message: string) => void,
): Promise<number | undefined> {
  const ask = async (text: string) => {
    const { rows } = await client.query<Record<string, unknown>>({ text, ...{ query_timeout: timeout } });
    return rows;
  };
  const wanted = Object.entries({ ...SETTINGS, ...settings, [RAISED]: 'on' });
  const known = 'processID' in client ? Number(client.processID) : 0;
  const weak = WEAK.map(([name], index) => `current_setting('${name}', true) AS weak${index}`);
  const calls = wanted.map(
    (one, index) => `CASE WHEN pg_backend_pid() = ${known} THEN ${assignment(one, false)} END AS set${index}`,
  );
  const role =
    attributes === 'primary' ? 'pg_is_in_recovery()' : "current_setting('transaction_read_only') = 'on'";
  const [row = {}] = await ask(
    `SELECT pg_backend_pid() AS pid, ${role} AS refused, ${[...weak, ...calls].join(', ')}`,
  );
  if (attributes !== 'any' && row['refused'] === 1n)
    throw Object.assign(new Error('the server accepts no writes'), { code: READ_ONLY });
  WEAK.forEach(([name, values, meaning], index) => {
    const value = String(row[`weak${index}`]);
    if (values.includes(value)) warn(`${name} is ${value}: ${meaning}`);
  });
  if (Number(row['pid']) === known) return known;
  const found = await ask(
    `SELECT name, setting FROM pg_settings WHERE name IN (${wanted.map(([name]) => literal(name)).join(', ')})`,
  );
  const current = new Map(found.map(({ name, setting }) => [name, String(setting)]));
  const differing = wanted.filter(([name, value]) => !isAs(name, value, current.get(name)));
  if (differing.length === 0) return undefined;
  warn(
    `a pooler is in between: two more round trips for each statement set what ALTER ROLE could set once: ${differing.map((one) => one.join('=')).join(', ')}`,
  );
  const local = wanted.filter(([name]) => name !== ISOLATION).map((one) => assignment(one, true));
  preludes.set(client, `SELECT ${local.join(', ')}`);
  return undefined;
}

/** Whether a default does what the setting is for. */
function isAs(name: string, wanted: string, found = ''): boolean {
  if (name === RAISED) return found !== 'off' && found !== 'local';
  if (name === 'client_min_messages') return found !== 'error';
  if (name.endsWith('_timeout')) return Number(found) > 0 && Number(found) <= Number(wanted);
  return name === 'DateStyle' ? found.startsWith(wanted) : found === wanted;
}
