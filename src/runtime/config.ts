import { constants } from 'node:buffer';
import { databaseUrls, isDatabaseUrl } from '../database';
import type { Variables } from './environment';
import type { RateLimit } from './rate-limit';

interface Address {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** The configuration that every service has. .env.example describes its variables. Times are in milliseconds. */
export interface ServerConfig extends Address {
  /** The listener of probes and metrics; undefined: the listener of the service. */
  readonly ops: Address | undefined;
  /** NODE_ENV is `production`: no generated token, no stub. */
  readonly production: boolean;
  readonly corsOrigins: string[];
  readonly limits: {
    readonly headersTimeout: number;
    readonly requestTimeout: number;
    readonly keepAliveTimeout: number;
    readonly sendTimeout: number;
    /** Bytes. */
    readonly maxHeaderSize: number;
  };
  readonly maxConnections: number;
  readonly maxRequests: number;
  readonly deadline: number;
  /** The requests that a client may send within a window of time; undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly shutdownTimeout: number;
  readonly logLevel: string;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const HOUR = 3_600_000;
/** Seconds. */
const DAY = 86_400;

export function readServerConfig(variables: Variables): ServerConfig {
  const integer = variables.integer.bind(variables);
  const host = variables.read('HOST') || '127.0.0.1';
  return {
    host,
    port: integer('PORT', 3000, 0, 65_535),
    ops: readOps(variables, host),
    production: variables.read('NODE_ENV') === 'production',
    corsOrigins: readOrigins(variables),
    limits: readLimits(variables),
    maxConnections: integer('MAX_CONNECTIONS', 2000, 1, 1_000_000),
    maxRequests: integer('MAX_REQUESTS', 512, 1, 1_000_000),
    deadline: integer('REQUEST_DEADLINE', 40_000, 1, HOUR),
    rateLimit: readRateLimit(variables),
    bodyLimit: integer('BODY_LIMIT', 102_400, 1, constants.MAX_STRING_LENGTH),
    shutdownTimeout: integer('SHUTDOWN_TIMEOUT', 10_000, 1, HOUR),
    logLevel: readLogLevel(variables),
  };
}

/** DATABASE_URL. A message about it does not contain the password. */
export function readDatabaseUrl(variables: Variables, fallback: string): string {
  const url = variables.read('DATABASE_URL') || fallback;
  if (!isDatabaseUrl(url)) {
    const got = `${url.split(':')[0] ?? ''}:...`;
    variables.expected('DATABASE_URL', databaseUrls(), got);
  }
  return url;
}

function readOps(variables: Variables, host: string): ServerConfig['ops'] {
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

function readLimits(variables: Variables): ServerConfig['limits'] {
  const limits = {
    headersTimeout: variables.integer('HEADERS_TIMEOUT', 10_000, 1, HOUR),
    requestTimeout: variables.integer('REQUEST_TIMEOUT', 30_000, 1, HOUR),
    keepAliveTimeout: variables.integer('KEEP_ALIVE_TIMEOUT', 65_000, 1, HOUR),
    sendTimeout: variables.integer('SEND_TIMEOUT', 30_000, 1, HOUR),
    maxHeaderSize: variables.integer('MAX_HEADER_SIZE', 16_384, 1024, 1_048_576),
  };
  if (limits.headersTimeout > limits.requestTimeout) {
    variables.expected('HEADERS_TIMEOUT', 'no more than REQUEST_TIMEOUT', String(limits.headersTimeout));
  }
  return limits;
}

function readRateLimit(variables: Variables): ServerConfig['rateLimit'] {
  const text = variables.read('RATE_LIMIT');
  if (text === '') return undefined;
  const [, requests = 0, seconds = 0] = (/^(\d{1,9})\/(\d{1,5})s$/.exec(text) ?? []).map(Number);
  if (requests >= 1 && seconds >= 1 && seconds <= DAY) return { requests, seconds };
  variables.expected('RATE_LIMIT', `requests and seconds like 100/60s, at most ${DAY} seconds`);
  return undefined;
}

function readLogLevel(variables: Variables): string {
  const level = variables.read('LOG_LEVEL') || 'info';
  if (!LOG_LEVELS.includes(level)) variables.expected('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  return level;
}
