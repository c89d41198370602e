import { constants } from 'node:buffer';
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** The configuration of the server, read from its environment (see .env.example). Times are in milliseconds. */
export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The listener of probes and metrics; undefined: the listener of the service. */
  readonly ops: { readonly host: string; readonly port: number } | undefined;
  readonly databaseUrl: string;
  /** The bearer tokens; undefined: none are configured, which production does not allow. */
  readonly tokens: readonly string[] | undefined;
  /** NODE_ENV is `production`: no generated token, no stub. */
  readonly production: boolean;
  /** The file that the tokens were read from, if any. */
  readonly tokensFile: string | undefined;
  /** The issuer of JWTs for this service, if any. */
  readonly jwt: { readonly jwksUrl: URL; readonly issuer: string; readonly audience: string } | undefined;
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

/** Everything that is wrong with the environment, one sentence a line. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig';
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
/** RFC 6750 section 2.1. */
const TOKEN = /^[\w.~+/-]+=*$/;
const HOUR = 3_600_000;
/** Seconds. */
const DAY = 86_400;
/** Milliseconds between two reads of the tokens file. */
const TOKENS_INTERVAL = 500;

/** @throws {InvalidConfig} */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const wrong: string[] = [];
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

  const tokens = (): string[] | undefined => {
    const [text, file] = [read('API_TOKENS'), read('API_TOKENS_FILE')];
    if (file !== '' && text !== '') expected('API_TOKENS_FILE', 'nothing beside API_TOKENS');
    try {
      if (file !== '') return readTokensFile(file);
      if (text !== '') return parseTokens('API_TOKENS', text.split(','));
    } catch (error) {
      wrong.push((error as InvalidConfig).message);
    }
    return undefined;
  };

  const jwt = (): Config['jwt'] => {
    const names = ['AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE'] as const;
    const missing = names.filter((name) => read(name) === '');
    if (missing.length === names.length) return undefined;
    for (const name of missing) expected(name, `a value, since ${names.join(', ')} belong together`, 'none');
    const [url, issuer, audience] = names.map(read);
    const jwksUrl = URL.canParse(url ?? '') ? new URL(url ?? '') : undefined;
    // An attacker on the network can replace keys that are fetched without TLS.
    const safe =
      jwksUrl?.protocol === 'https:' ||
      (jwksUrl?.protocol === 'http:' && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(jwksUrl.hostname));
    // fetch() rejects URLs with credentials, and they must not reach the log.
    const plain = jwksUrl?.username === '' && jwksUrl.password === '';
    if (jwksUrl && issuer !== undefined && audience !== undefined && safe && plain)
      return { jwksUrl, issuer, audience };
    if (jwksUrl && !plain) expected('AUTH_JWKS_URL', 'a URL without user and password', 'one with them');
    else if (url !== '') expected('AUTH_JWKS_URL', 'an https:// URL (http:// on this machine only)');
    return undefined;
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
  const config: Config = {
    host: read('HOST') || '127.0.0.1',
    port: integer('PORT', 3000, 0, 65_535),
    ops: ops(),
    databaseUrl: read('DATABASE_URL') || 'sqlite:data/plants.db',
    tokens: tokens(),
    production: read('NODE_ENV') === 'production',
    tokensFile: read('API_TOKENS_FILE') || undefined,
    jwt: jwt(),
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
  if (!config.tokens && !config.jwt && wrong.length === 0 && config.production) {
    expected('API_TOKENS or API_TOKENS_FILE', 'tokens, since NODE_ENV is production', 'none');
  }
  if (wrong.length > 0) throw new InvalidConfig(wrong.join('\n'));
  return config;
}

/**
 * Reads bearer tokens from a file, one a line. A last line without a line break may be incomplete: the function accepts
 * it if the file is unchanged after TOKENS_INTERVAL, and blocks the process meanwhile.
 *
 * @throws {InvalidConfig}
 */
function readTokensFile(path: string): string[] {
  const text = readText(path);
  if (isFinished(text)) return parseTokens('API_TOKENS_FILE', text.split('\n'));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TOKENS_INTERVAL);
  if (readText(path) === text) return parseTokens('API_TOKENS_FILE', text.split('\n'));
  throw new InvalidConfig('API_TOKENS_FILE: expected a complete file, got one that is being written');
}

/** @throws {InvalidConfig} */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidConfig(`API_TOKENS_FILE: expected a file that can be read, got ${reason}`);
  }
}

const UNFINISHED =
  'API_TOKENS_FILE: expected a line break after the last token, which marks a complete file, got none';

/** Whether the last line is complete. */
const isFinished = (text: string) => text.slice(text.lastIndexOf('\n') + 1).trim() === '';

/**
 * Calls `onChange` when the content of the file changes, with its tokens or with the error. Does not keep the process
 * alive. Two consecutive reads must find the same content, and it must end with a line break: an incomplete token is
 * never accepted. To replace the file safely, write another file and rename it.
 *
 * @param tokens the tokens of the last read, which may be older than this call
 */
export function watchTokensFile(
  path: string,
  tokens: readonly string[],
  onChange: (change: string[] | InvalidConfig) => void,
): void {
  // Keeps digests only, so that no token stays in memory.
  const digestOf = (content: readonly string[] | InvalidConfig) => hash('sha256', String(content));
  let accepted = digestOf(tokens);
  let reported = accepted;
  let seen = '';
  const read = (): string[] | InvalidConfig => {
    try {
      const text = readText(path);
      const found = parseTokens('API_TOKENS_FILE', text.split('\n'));
      return isFinished(text) || digestOf(found) === accepted ? found : new InvalidConfig(UNFINISHED);
    } catch (error) {
      return error as InvalidConfig;
    }
  };
  const look = () => {
    const content = read();
    const digest = digestOf(content);
    const sight = `${digest} ${statSync(path, { throwIfNoEntry: false })?.mtimeMs}`;
    const stable = sight === seen;
    seen = sight;
    if (!stable || digest === reported) return;
    reported = digest;
    if (Array.isArray(content)) accepted = digest;
    onChange(content);
  };
  // Polls: Kubernetes replaces a secret through a symbolic link in a parent folder, which fs.watch does not report.
  setInterval(look, TOKENS_INTERVAL).unref();
}

/** @throws {InvalidConfig} The message does not contain the tokens: they are secrets. */
function parseTokens(name: string, texts: readonly string[]): string[] {
  const tokens = texts.flatMap((text) => text.trim() || []);
  if (tokens.length === 0) throw new InvalidConfig(`${name}: expected at least one token, got none`);
  const bad = tokens.findIndex((token) => !TOKEN.test(token));
  if (bad < 0) return tokens;
  throw new InvalidConfig(
    `${name}: expected bearer tokens (letters, digits and -._~+/), got something else at position ${bad + 1}`,
  );
}
