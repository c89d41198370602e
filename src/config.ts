import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import {
  InvalidConfig,
  readDatabaseUrl,
  readEnvironment,
  readServerConfig,
  type ServerConfig,
  type Variables,
} from './operational';

/** The configuration of the server, read from its environment (see .env.example). */
export interface Config extends ServerConfig {
  readonly databaseUrl: string;
  /** The bearer tokens; undefined: none are configured, which production does not allow. */
  readonly tokens: readonly string[] | undefined;
  /** The file that the tokens were read from, if any. */
  readonly tokensFile: string | undefined;
  /** The issuer of JWTs for this service, if any. */
  readonly jwt: { readonly jwksUrl: URL; readonly issuer: string; readonly audience: string } | undefined;
}

/** RFC 6750 section 2.1. */
const TOKEN = /^[\w.~+/-]+=*$/;
/** Milliseconds between two reads of the tokens file. */
const TOKENS_INTERVAL = 500;

/** @throws {InvalidConfig} */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  readEnvironment(environment, (variables) => {
    const config = {
      ...readServerConfig(variables),
      databaseUrl: readDatabaseUrl(variables, 'sqlite:data/plants.db'),
      tokens: readTokens(variables),
      tokensFile: variables.read('API_TOKENS_FILE') || undefined,
      jwt: readJwt(variables),
    };
    if (!config.tokens && !config.jwt && variables.wrong.length === 0 && config.production) {
      variables.expected('API_TOKENS or API_TOKENS_FILE', 'tokens, since NODE_ENV is production', 'none');
    }
    return config;
  });

function readTokens(variables: Variables): string[] | undefined {
  const [text, file] = [variables.read('API_TOKENS'), variables.read('API_TOKENS_FILE')];
  if (file !== '' && text !== '') variables.expected('API_TOKENS_FILE', 'nothing beside API_TOKENS');
  try {
    if (file !== '') return readTokensFile(file);
    if (text !== '') return parseTokens('API_TOKENS', text.split(','));
  } catch (error) {
    variables.wrong.push((error as InvalidConfig).message);
  }
  return undefined;
}

function readJwt(variables: Variables): Config['jwt'] {
  const read = (name: string) => variables.read(name);
  const names = ['AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE'] as const;
  const missing = names.filter((name) => read(name) === '');
  if (missing.length === names.length) return undefined;
  for (const name of missing)
    variables.expected(name, `a value, since ${names.join(', ')} belong together`, 'none');
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
  if (jwksUrl && !plain)
    variables.expected('AUTH_JWKS_URL', 'a URL without user and password', 'one with them');
  else if (url !== '') variables.expected('AUTH_JWKS_URL', 'an https:// URL (http:// on this machine only)');
  return undefined;
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
