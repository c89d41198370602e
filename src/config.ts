import { constants } from 'node:buffer';
import { verifiers } from './auth';
import { type CredentialsConfig, readCredentials } from './operational/credentials';
import { InvalidConfig, Variables } from './operational/environment';

/** The configuration of the server, read from its environment (see .env.example). Times are in milliseconds. */
export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The listener of probes and metrics; undefined: the listener of the service. */
  readonly ops: { readonly host: string; readonly port: number } | undefined;
  readonly databaseUrl: string;
  readonly credentials: CredentialsConfig<typeof verifiers>;
  /** NODE_ENV is `production`: no generated token, no stub. */
  readonly production: boolean;
  readonly corsOrigins: string[];
  readonly limits: {
    readonly headersTimeout: number;
    readonly requestTimeout: number;
    readonly keepAliveTimeout: number;
    /** Bytes. */
    readonly maxHeaderSize: number;
  };
  readonly maxConnections: number;
  readonly maxRequests: number;
  readonly deadline: number;
  /** The requests that a client may send within a window of time; undefined: no limit. */
  readonly rateLimit: { readonly requests: number; readonly seconds: number } | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly shutdownTimeout: number;
  readonly logLevel: string;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const HOUR = 3_600_000;
/** Seconds. */
const DAY = 86_400;

/** @throws {InvalidConfig} */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const variables = new Variables(environment);
  const { wrong } = variables;
  const read = (name: string) => environment[name]?.trim() ?? '';
  const expected = (name: string, what: string, got = JSON.stringify(read(name))) => {
    wrong.push(`${name}: expected ${what}, got ${got}`);
  };

  const integer = (name: string, fallback: number, least: number, most: number): number => {
    const text = read(name);
    if (text === '') return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    expected(name, `an integer from ${least} to ${most}`);
    return fallback;
  };

  const corsOrigins = read('CORS_ORIGINS')
    .split(',')
    .flatMap((origin) => origin.trim() || []);
  if (!corsOrigins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)) {
    expected('CORS_ORIGINS', 'origins like https://app.example.com');
  }
  const rateLimit = (): Config['rateLimit'] => {
    const text = read('RATE_LIMIT');
    if (text === '') return undefined;
    const [, requests = 0, seconds = 0] = (/^(\d{1,9})\/(\d{1,5})s$/.exec(text) ?? []).map(Number);
    if (requests >= 1 && seconds >= 1 && seconds <= DAY) return { requests, seconds };
    expected('RATE_LIMIT', `requests and seconds like 100/60s, at most ${DAY} seconds`);
    return undefined;
  };
  const ops = () => {
    const port = integer('OPS_PORT', -1, 0, 65_535);
    return port < 0 ? undefined : { host: read('OPS_HOST') || read('HOST') || '127.0.0.1', port };
  };
  const production = read('NODE_ENV') === 'production';
  const config = {
    host: read('HOST') || '127.0.0.1',
    port: integer('PORT', 3000, 0, 65_535),
    ops: ops(),
    databaseUrl: read('DATABASE_URL') || 'sqlite:data/plants.db',
    production,
    corsOrigins,
    limits: {
      headersTimeout: integer('HEADERS_TIMEOUT', 10_000, 1, HOUR),
      requestTimeout: integer('REQUEST_TIMEOUT', 30_000, 1, HOUR),
      keepAliveTimeout: integer('KEEP_ALIVE_TIMEOUT', 65_000, 1, HOUR),
      maxHeaderSize: integer('MAX_HEADER_SIZE', 16_384, 1024, 1_048_576),
    },
    maxConnections: integer('MAX_CONNECTIONS', 2000, 1, 1_000_000),
    maxRequests: integer('MAX_REQUESTS', 512, 1, 1_000_000),
    deadline: integer('REQUEST_DEADLINE', 40_000, 1, HOUR),
    rateLimit: rateLimit(),
    bodyLimit: integer('BODY_LIMIT', 102_400, 1, constants.MAX_STRING_LENGTH),
    shutdownTimeout: integer('SHUTDOWN_TIMEOUT', 10_000, 1, HOUR),
    logLevel: read('LOG_LEVEL') || 'info',
  };
  if (config.limits.headersTimeout > config.limits.requestTimeout) {
    expected('HEADERS_TIMEOUT', 'no more than REQUEST_TIMEOUT', String(config.limits.headersTimeout));
  }
  if (!LOG_LEVELS.includes(config.logLevel)) expected('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  if (!/^(memory:$|sqlite:.|postgres(ql)?:\/\/.)/.test(config.databaseUrl)) {
    const got = `${config.databaseUrl.split(':')[0] ?? ''}:...`; // the rest can contain a password
    expected('DATABASE_URL', 'memory:, sqlite:PATH or postgres://...', got);
  }
  // Last: in production it expects secrets, but names no absent ones beside other faults.
  const credentials = readCredentials(verifiers, variables, production);
  if (wrong.length > 0) throw new InvalidConfig(wrong.join('\n'));
  return { ...config, credentials };
}
