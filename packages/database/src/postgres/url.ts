/** A server of a URL. */
export interface Server {
  /** `a:5432`. */
  readonly name: string;
  /** With the parameters of the driver. */
  readonly url: string;
}

/** What a database URL says. Times are in milliseconds. */
export interface Target {
  /** Which database it is, without a password. */
  readonly subject: string;
  /** In the order in which they are tried. */
  readonly servers: readonly Server[];
  readonly attributes: Attributes;
  /** For each server. */
  readonly connectTimeout: number;
  /** Of this process. */
  readonly connections: number;
  /** In which the database must have become usable when it is opened. */
  readonly startTimeout: number;
  /** Holds the password, which is read for each new connection. */
  readonly passwordFile: string | undefined;
  /** Settings of the session, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Which servers are taken, as libpq has it (https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS). */
type Attributes = (typeof ATTRIBUTES)[number];
/** libpq knows read-only, standby and prefer-standby too. A store writes, if only its readiness checks. */
const ATTRIBUTES = ['read-write', 'primary', 'any'] as const;

interface Expected {
  readonly is: (text: string) => boolean;
  readonly what: string;
}

const oneOf = (...values: readonly string[]): Expected => ({
  is: (text) => values.includes(text),
  what: `one of ${values.join(', ')}`,
});
const integer = (least: number, most: number): Expected => ({
  is: (text) => /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most,
  what: `an integer from ${least} to ${most}`,
});
const TEXT: Expected = { is: (text) => text !== '', what: 'a text' };

const HOUR = 3_600_000;

/** Parameters of ours, which the driver does not get. */
const OWN: ReadonlyMap<string, Expected> = new Map(
  Object.entries({
    target_session_attrs: { ...oneOf(...ATTRIBUTES), what: `${ATTRIBUTES.join(', ')}: the server writes` },
    /** Seconds, as libpq has it. */
    connect_timeout: integer(1, 60),
    password_file: TEXT,
    /** One of them is for the watch over the others. */
    connections: integer(2, 1000),
    start_timeout: integer(0, HOUR),
    statement_timeout: integer(1, HOUR),
    lock_timeout: integer(1, HOUR),
    idle_in_transaction_session_timeout: integer(1, HOUR),
  }),
);
/** Of those: settings of the session. */
const SETTINGS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Those of the driver (https://node-postgres.com/apis/client, https://node-postgres.com/features/ssl). */
const OF_DRIVER: ReadonlyMap<string, Expected> = new Map(
  Object.entries({
    user: TEXT,
    password: TEXT,
    host: { is: (text) => /^[^,]+$/.test(text), what: 'one host' },
    port: integer(1, 65_535),
    options: TEXT,
    application_name: TEXT,
    fallback_application_name: TEXT,
    client_encoding: { is: (text) => /^(utf-?8|auto)$/i.test(text), what: 'UTF8' },
    query_timeout: integer(1, HOUR),
    ssl: oneOf('true', '1', '0', 'no-verify'),
    sslmode: oneOf('disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'),
    sslcert: TEXT,
    sslkey: TEXT,
    sslrootcert: TEXT,
    sslnegotiation: oneOf('postgres', 'direct'),
    uselibpqcompat: oneOf('true', 'false'),
  }),
);
const KNOWN = new Map([...OF_DRIVER, ...OWN]);

const FORM =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^/?#]*@)?(?<hosts>[^/?#@]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/s;
const HOST = /^(\[[\da-f:.]+\]|[^:[\]\s]*)(?::(\d{1,5}))?$/i;
const WRONG =
  'expected postgres://user:password@host:port/database, with %XX for what is special in a password and several hosts as a:5432,b:5433, got another URL';

/** @throws {Error} that says what is wrong, and repeats nothing that may be a part of a password */
export function readUrl(url: string): Target {
  const whole = url.replace(/%(?![\da-f]{2})/gi, '%25'); // else the driver takes every "%" for itself
  const { scheme = '', user = '', hosts = '', path = '', query = '' } = FORM.exec(whole)?.groups ?? {};
  // An "@" further on is that of a user whose password has a "/" or a "?", and a "=" that of a parameter.
  const isCut = /[@=]/.test(hosts + path) || (user === '' && query.includes('@'));
  if (scheme === '' || isCut || !isDecodable(user + hosts + path)) throw new Error(WRONG);
  const parameters = new URLSearchParams(query);
  const isSecret = query.includes('@') || parameters.has('password');
  const names = [...parameters.keys()];
  const check = (name: string, is: boolean, what: string) => {
    if (!is) throw new Error(`the parameter ${name} of the URL: expected ${what}`);
  };
  for (const [name, value] of parameters) {
    const expected = KNOWN.get(name);
    const shown = expected || (/^\w{1,63}$/.test(name) && !isSecret) ? name : 'without a name';
    check(shown, expected !== undefined, `one of ${[...KNOWN.keys()].join(', ')}`);
    check(shown, names.indexOf(name) === names.lastIndexOf(name), 'it once');
    if (expected) check(shown, expected.is(value), expected.what);
  }
  const own = new Map([...OWN.keys()].map((name) => [name, parameters.get(name) ?? undefined]));
  for (const name of own.keys()) parameters.delete(name);
  const passwordFile = own.get('password_file');
  if (passwordFile !== undefined && (/:./.test(user) || parameters.has('password')))
    throw new Error('expected no password beside DATABASE_PASSWORD_FILE (password_file), got both');
  const number = (name: string, fallback: number) => Number(own.get(name) ?? fallback);
  const taken = {
    attributes: ATTRIBUTES.find((one) => one === own.get('target_session_attrs')) ?? 'read-write',
    connectTimeout: number('connect_timeout', 3) * 1000,
    connections: number('connections', 8),
    startTimeout: number('start_timeout', 60_000),
    passwordFile,
    settings: Object.fromEntries(
      SETTINGS.flatMap((name) => {
        const value = own.get(name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    ),
  };
  const servers = hostsOf(hosts).map((name) => {
    // No URL has a user and no host.
    const at = new URL(`${scheme}${user}${name || (user === '' ? '' : 'localhost')}${path}`);
    at.search = parameters.toString();
    return { name, url: at.href };
  });
  // They override the only host, for a folder of sockets.
  if (servers.length > 1 && ['host', 'port'].some((name) => parameters.has(name))) throw new Error(WRONG);
  return { ...taken, servers, subject: `PostgreSQL at ${servers.map(({ name }) => name).join(',')}${path}` };
}

/** Whether all %XX of a text are UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Each with its port if it has one. */
function hostsOf(text: string): string[] {
  const hosts = text.split(',');
  const isHost = (host: string) => {
    const [, name = '', port = '1'] = HOST.exec(host) ?? [];
    const isNamed = name === '' ? text === '' : URL.canParse(`postgres://${name}`);
    return isNamed && Number(port) >= 1 && Number(port) <= 65_535;
  };
  if (!hosts.every(isHost)) throw new Error(WRONG);
  return hosts;
}
