import { branded } from '../contract/tools';
import { constants } from 'node:buffer';
import { tmpdir } from 'node:os';
import { databaseUrls, isDatabaseUrl, START_TIMEOUT, wrongOfUrl } from 'contract-first-database';
import type { RateLimit } from './limits/rate-limit-stores';
import { partOf, type Place, placeIn } from './process/place';

/** Everything that is wrong with the environment, one sentence a line. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig';
}
branded(InvalidConfig, 'InvalidConfig');

/** The environment variables of a service. Collects everything that is wrong with them. */
export class Variables {
  /** One sentence for each fault. */
  readonly wrong: string[] = [];

  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /** The text of a variable; empty if it is unset or blank. */
  read(name: string): string {
    return this.environment[name]?.trim() ?? '';
  }

  /** Reads an integer. Notes a fault if the text is not one, or not within the bounds. */
  integer(name: string, fallback: number, least: number, most: number): number {
    const text = this.read(name);
    if (text === '') return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    this.expected(name, `an integer from ${least} to ${most}`);
    return fallback;
  }

  /** Reads an integer that holds for all workers of this machine together. In a worker it is its part. */
  shared(name: string, fallback: number, least: number, most: number): number {
    const value = this.integer(name, fallback, least, most);
    const workers = this.workers;
    if (value < workers) this.expected(name, `at least one for each of ${workers} workers`, String(value));
    return this.place ? partOf(value, workers, this.place) : value;
  }

  /** That of the worker whose environment this is. */
  get place(): Place | undefined {
    return this.workers > 1 ? placeIn(this.environment) : undefined;
  }

  /** WORKERS; 1 if it is wrong, which `readServerConfig` notes. */
  get workers(): number {
    return Number(/^\d{1,2}$/.exec(this.read('WORKERS'))?.[0] ?? 1) || 1;
  }

  /** Notes a fault. Pass `got` if the text of the variable can contain a secret. */
  expected(name: string, what: string, got = JSON.stringify(this.read(name))): void {
    this.wrong.push(`${name}: expected ${what}, got ${got}`);
  }
}

/**
 * Reads a configuration from environment variables.
 *
 * @param read reads each variable by the methods of `Variables`, and notes faults by `expected`
 * @throws {InvalidConfig} with all faults
 */
export function readEnvironment<Config>(
  environment: NodeJS.ProcessEnv,
  read: (variables: Variables) => Config,
): Config {
  const variables = new Variables(environment);
  const config = read(variables);
  if (variables.wrong.length > 0) throw new InvalidConfig(variables.wrong.join('\n'));
  return config;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const HOUR = 3_600_000;
/** Seconds. */
const DAY = 86_400;

/** The configuration that every service has. .env.example describes its variables. Times are in milliseconds. */
export type ServerConfig = Readonly<ReturnType<typeof readServerConfig>>;

export function readServerConfig(variables: Variables) {
  const integer = variables.integer.bind(variables);
  const shared = variables.shared.bind(variables);
  const host = variables.read('HOST') || '127.0.0.1';
  return {
    host,
    /** 0: any free port. */
    port: integer('PORT', 3000, 0, 65_535),
    /** The listener of probes and metrics; undefined: the listener of the service. */
    ops: readOps(variables, host),
    /** The processes that serve on the port. 1: this one. */
    workers: integer('WORKERS', 1, 1, 64),
    /** Which of them this process is; undefined: their primary, or the only one. */
    worker: variables.place,
    /** No generated token, no stub. */
    production: variables.read('NODE_ENV') === 'production',
    corsOrigins: readOrigins(variables),
    mcp: readMcp(variables),
    limits: readLimits(variables),
    maxConnections: shared('MAX_CONNECTIONS', 2000, 1, 1_000_000),
    maxRequests: shared('MAX_REQUESTS', 512, 1, 1_000_000),
    deadline: integer('REQUEST_DEADLINE', 40_000, 1, HOUR),
    uploadTimeout: integer('UPLOAD_TIMEOUT', 30_000, 1, HOUR),
    streams: {
      most: shared('MAX_STREAMS', 1000, 1, 1_000_000),
      itemTimeout: integer('STREAM_ITEM_TIMEOUT', 600_000, 1, DAY * 1000),
      /** 0: none. */
      heartbeat: integer('STREAM_HEARTBEAT', 15_000, 0, HOUR),
    },
    /** The requests that a client may send within a window of time; undefined: no limit. */
    rateLimit: readRateLimit(variables),
    /** Where servers count together, and what becomes of requests while it is away; undefined: each counts for itself. */
    rateLimitStore: readRateLimitStore(variables),
    /** Bytes. */
    bodyLimit: integer('BODY_LIMIT', 102_400, 1, constants.MAX_STRING_LENGTH),
    /** The folder, and the bytes of all files in it together. */
    uploads: {
      folder: variables.read('UPLOAD_FOLDER') || tmpdir(),
      quota: shared('UPLOAD_QUOTA', 2 ** 30, 1, Number.MAX_SAFE_INTEGER),
    },
    /** Whether answers are compressed. */
    compression: readSwitch(variables, 'COMPRESSION', true),
    shutdownDelay: integer('SHUTDOWN_DELAY', 0, 0, HOUR),
    shutdownTimeout: integer('SHUTDOWN_TIMEOUT', 10_000, 1, HOUR),
    logLevel: readLogLevel(variables),
  };
}

/** What may be shown of a URL: the rest may be a password. */
const schemeOf = (url: string) => `${/^[a-z][a-z\d+.-]*(?=:)/i.exec(url)?.[0] ?? ''}:...`;

/**
 * DATABASE_URL, with what other variables say of it: the parameters of a URL are all that services hand on. A message about it
 * does not contain the password.
 */
export function readDatabaseUrl(variables: Variables, fallback: string): string {
  const url = variables.read('DATABASE_URL') || fallback;
  const file = variables.read('DATABASE_PASSWORD_FILE');
  if (!isDatabaseUrl(url)) {
    variables.expected('DATABASE_URL', databaseUrls(), schemeOf(url));
    return url;
  }
  if (file !== '' && !/^postgres(ql)?:/.test(url)) {
    variables.wrong.push(
      'DATABASE_PASSWORD_FILE is set, but DATABASE_URL takes no password: unset one of them',
    );
    return url;
  }
  const timeout = variables.integer('DATABASE_START_TIMEOUT', START_TIMEOUT, 0, HOUR);
  const isUsual = timeout === START_TIMEOUT || url === 'memory:';
  const added = [
    file === '' ? [] : `password_file=${encodeURIComponent(file)}`,
    isUsual ? [] : `start_timeout=${timeout}`,
  ].flat();
  const whole = added.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${added.join('&')}`;
  const wrong = wrongOfUrl(whole);
  if (wrong !== undefined) variables.wrong.push(`DATABASE_URL: ${wrong}`);
  return shareDatabase(variables, whole);
}

/** Connections to PostgreSQL: of all workers if no others are demanded, and of each at least. */
const CONNECTIONS = { all: 8, each: 2 };

/** The URL of a database that all workers can share. That of a worker has its part of the connections to PostgreSQL. */
function shareDatabase(variables: Variables, url: string): string {
  const { workers, place } = variables;
  if (workers > 1 && url === 'memory:')
    variables.expected('DATABASE_URL', `a database that ${workers} workers (WORKERS) can share`, url);
  if (workers === 1 || !/^postgres(ql)?:/.test(url)) return url;
  const given = /[?&]connections=(\d{1,4})(?=&|$)/.exec(url)?.[1];
  const least = CONNECTIONS.each * workers;
  const all = Number(given ?? Math.max(CONNECTIONS.all, least));
  if (all < least)
    variables.expected('DATABASE_URL', `connections=${least} or more for ${workers} workers`, String(all));
  if (!place) return url;
  const own = `connections=${partOf(all, workers, place)}`;
  return given === undefined
    ? `${url}${url.includes('?') ? '&' : '?'}${own}`
    : url.replace(/([?&])connections=\d+(?=&|$)/, `$1${own}`);
}

function readOps(variables: Variables, host: string) {
  const port = variables.integer('OPS_PORT', -1, 0, 65_535);
  return port < 0 ? undefined : { host: variables.read('OPS_HOST') || host, port };
}

function readOrigins(variables: Variables): string[] {
  const origins = variables
    .read('CORS_ORIGINS')
    .split(',')
    .flatMap((origin) => origin.trim() || []);
  if (!origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)) {
    variables.expected('CORS_ORIGINS', 'origins like https://app.example.com');
  }
  return origins;
}

/** MCP and MCP_URL; undefined: `/mcp` is a path like any other. */
function readMcp(variables: Variables) {
  const [mode, url] = [variables.read('MCP'), variables.read('MCP_URL')];
  const { protocol = '', username, search, hash } = URL.canParse(url) ? new URL(url) : {};
  if (url !== '' && !(/^https?:$/.test(protocol) && `${username}${search}${hash}` === ''))
    variables.expected('MCP_URL', 'the public URL of /mcp, like https://api.example.com/mcp');
  else if (url !== '' && mode === '')
    variables.wrong.push('MCP_URL is set, but MCP is not: set it to read or all');
  if (mode === '') return undefined;
  if (url === '' && variables.read('NODE_ENV') === 'production')
    variables.wrong.push(
      'MCP_URL is missing: MCP needs the public URL of /mcp, because NODE_ENV is production',
    );
  if (mode === 'read' || mode === 'all') return { mode, url: url === '' ? undefined : url } as const;
  variables.expected('MCP', 'read or all');
  return undefined;
}

function readLimits(variables: Variables) {
  const limits = {
    headersTimeout: variables.integer('HEADERS_TIMEOUT', 10_000, 1, HOUR),
    requestTimeout: variables.integer('REQUEST_TIMEOUT', 30_000, 1, HOUR),
    keepAliveTimeout: variables.integer('KEEP_ALIVE_TIMEOUT', 65_000, 1, HOUR),
    sendTimeout: variables.integer('SEND_TIMEOUT', 30_000, 1, HOUR),
    /** Bytes. */
    maxHeaderSize: variables.integer('MAX_HEADER_SIZE', 16_384, 1024, 1_048_576),
  };
  if (limits.headersTimeout > limits.requestTimeout) {
    variables.expected('HEADERS_TIMEOUT', 'no more than REQUEST_TIMEOUT', String(limits.headersTimeout));
  }
  return limits;
}

function readRateLimit(variables: Variables): RateLimit | undefined {
  const text = variables.read('RATE_LIMIT');
  if (text === '') return undefined;
  const [, requests = 0, seconds = 0] = (/^(\d{1,9})\/(\d{1,5})s$/.exec(text) ?? []).map(Number);
  if (requests >= 1 && seconds >= 1 && seconds <= DAY)
    return { requests, seconds, byPrimary: variables.place !== undefined };
  variables.expected('RATE_LIMIT', `requests and seconds like 100/60s, at most ${DAY} seconds`);
  return undefined;
}

/** The protocols that the store of the rate limit may have. A message about its URL does not contain the password. */
const STORE_URLS =
  'redis://HOST:PORT, rediss://HOST:PORT (each with /NUMBER of its database, if any) or postgres://HOST/DATABASE';

function readRateLimitStore(variables: Variables) {
  const url = variables.read('RATE_LIMIT_STORE');
  const whenAway = variables.read('RATE_LIMIT_WHEN_AWAY') || 'refuse';
  if (whenAway !== 'refuse' && whenAway !== 'allow') {
    variables.expected('RATE_LIMIT_WHEN_AWAY', 'refuse or allow');
    return undefined;
  }
  if (url === '') return undefined;
  if (variables.read('RATE_LIMIT') === '')
    variables.wrong.push('RATE_LIMIT_STORE needs RATE_LIMIT, such as 100/60s');
  const isPostgres = /^postgres(ql)?:/.test(url);
  const wrong = isPostgres ? wrongOfUrl(url) : undefined;
  if (wrong !== undefined) variables.wrong.push(`RATE_LIMIT_STORE: ${wrong}`);
  else if (isPostgres ? !isDatabaseUrl(url) : !isRedisUrl(url))
    variables.expected('RATE_LIMIT_STORE', STORE_URLS, schemeOf(url));
  return { url, whenAway } as const;
}

function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password, pathname, search, hash } = new URL(text);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return hostname !== '' && /^(\/\d{0,5})?$/.test(pathname) && search + hash === '';
}

function readSwitch(variables: Variables, name: string, fallback: boolean): boolean {
  const text = variables.read(name);
  if (text !== '' && text !== 'true' && text !== 'false') variables.expected(name, 'true or false');
  return text === '' ? fallback : text === 'true';
}

function readLogLevel(variables: Variables): string {
  const level = variables.read('LOG_LEVEL') || 'info';
  if (!LOG_LEVELS.includes(level)) variables.expected('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  return level;
}
