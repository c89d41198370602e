import { readFileSync } from 'node:fs';

/** What the server is told by its environment; .env.example describes every variable. */
export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Undefined: none are configured, which production does not allow. */
  readonly tokens: readonly string[] | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly logLevel: string;
}

/** Everything that is wrong with the environment, a sentence each. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig';
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
/** RFC 6750 section 2.1. */
const TOKEN = /^[\w.~+/-]+=*$/;

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

  const list = (name: string, text: string, separator: RegExp): string[] => {
    const tokens = text.split(separator).flatMap((token) => token.trim() || []);
    const bad = tokens.findIndex((token) => !TOKEN.test(token));
    // A token is a secret: it is not shown.
    if (bad >= 0)
      expected(name, 'bearer tokens (letters, digits and -._~+/)', `something else as number ${bad + 1}`);
    else if (tokens.length === 0) expected(name, 'at least one token', 'none');
    return tokens;
  };

  const tokens = (): string[] | undefined => {
    const file = read('API_TOKENS_FILE');
    if (file !== '' && read('API_TOKENS') !== '') expected('API_TOKENS_FILE', 'nothing beside API_TOKENS');
    if (file === '')
      return read('API_TOKENS') === '' ? undefined : list('API_TOKENS', read('API_TOKENS'), /,/);
    try {
      return list('API_TOKENS_FILE', readFileSync(file, 'utf8'), /\r?\n/);
    } catch (error) {
      expected(
        'API_TOKENS_FILE',
        'a file that can be read',
        error instanceof Error ? error.message : String(error),
      );
      return [];
    }
  };

  const config = {
    host: read('HOST') || '127.0.0.1',
    port: integer('PORT', 3000, 0, 65_535),
    databaseUrl: read('DATABASE_URL') || 'sqlite:data/plants.db',
    tokens: tokens(),
    bodyLimit: integer('BODY_LIMIT', 102_400, 1, 1_073_741_824),
    logLevel: read('LOG_LEVEL') || 'info',
  };
  if (!LOG_LEVELS.includes(config.logLevel)) expected('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  if (!/^(memory:$|sqlite:.|postgres(ql)?:\/\/.)/.test(config.databaseUrl)) {
    const got = `${config.databaseUrl.split(':')[0] ?? ''}:...`; // the rest may be a password
    expected('DATABASE_URL', 'memory:, sqlite:PATH or postgres://...', got);
  }
  if (!config.tokens && environment['NODE_ENV'] === 'production') {
    expected('API_TOKENS or API_TOKENS_FILE', 'tokens, since NODE_ENV is production', 'none');
  }
  if (wrong.length > 0) throw new InvalidConfig(wrong.join('\n'));
  return config;
}
