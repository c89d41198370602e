import { hash, timingSafeEqual } from 'node:crypto';
import { isObject } from '../../contract/tools';
import { InvalidConfig } from '../config';

/** The holder of accepted credentials. */
export interface Client {
  /**
   * For a token or an API key: the first 8 hexadecimal digits of its SHA-256 digest, which identify a client in the log and
   * do not reveal the secret. For a user: its name. For a JWT: its subject.
   */
  readonly id: string;
  /** The scopes of a token, an API key or a JWT. A user has none. */
  readonly scopes: readonly string[];
}

/** The first of the principals that has an id, with its scheme. */
const named = (
  principals: Readonly<Record<string, unknown>>,
): readonly [scheme: string, id: string] | undefined =>
  Object.entries(principals)
    .map(([scheme, principal]) => [scheme, isObject(principal) ? principal['id'] : undefined] as const)
    .find((one): one is readonly [string, string] => typeof one[1] === 'string');

/** The id of the authenticated client; undefined for an anonymous request. */
export const clientOf = (principals: Readonly<Record<string, unknown>>): string | undefined =>
  named(principals)?.[1];

/** The name of a client among those of all schemes: a user may have the id of a token. Undefined for an anonymous request. */
export const clientKeyOf = (principals: Readonly<Record<string, unknown>>): string | undefined =>
  named(principals)?.join(' ');

/** A secret of a variable or a file. */
export interface Secret {
  /** SHA-256. */
  readonly digest: Buffer;
  /** The holder, if others present the secret. */
  readonly client?: Client;
}

export type AcceptedSecret = Required<Secret>;

/** The form of one secret in a variable or a file. */
export interface SecretForm<S extends Secret = AcceptedSecret> {
  /** Its names in messages. */
  readonly one: string;
  readonly many: string;
  readonly form: string;
  /** Returns undefined if the text has another form. */
  readonly read: (text: string) => S | undefined;
}

/** By way of a text of 32 characters: Node takes three times as long to return the digest as a buffer. */
export const digestOf = (secret: string) => Buffer.from(hash('sha256', secret, 'binary'), 'latin1');

/** RFC 6750 section 2.1, then the scopes (RFC 6749 section 3.3) after a colon. */
const TOKEN = /^([\w.~+/-]+=*)(?::([!#-[\]-~]+(?: [!#-[\]-~]+)*))?$/;

function readToken(text: string): AcceptedSecret | undefined {
  const [, token, scopes] = TOKEN.exec(text) ?? [];
  if (token === undefined) return undefined;
  const digest = digestOf(token);
  return { digest, client: { id: digest.toString('hex', 0, 4), scopes: scopes?.split(' ') ?? [] } };
}

/** RFC 7617 section 2: no control characters, and no colon in the name. */
const USER = /^([^:\p{Cc}]+):\P{Cc}+$/u;
const USER_ALONE = /^([^:\p{Cc}]+):$/u;

const readUser =
  (...forms: readonly RegExp[]) =>
  (text: string): AcceptedSecret | undefined => {
    const id = forms.map((form) => form.exec(text)?.[1]).find((name) => name !== undefined);
    return id === undefined ? undefined : { digest: digestOf(text), client: { id, scopes: [] } };
  };

const CHARACTERS = '(letters, digits and -._~+/)';

export const BEARER_TOKENS: SecretForm = {
  one: 'token',
  many: 'tokens',
  form: `bearer tokens ${CHARACTERS}`,
  read: readToken,
};
export const API_KEYS: SecretForm = {
  one: 'API key',
  many: 'API keys',
  form: `API keys ${CHARACTERS}`,
  read: readToken,
};
export const BASIC_USERS: SecretForm = {
  one: 'user',
  many: 'users',
  form: 'users like name:password (without a password only if src/auth.ts has emptyPasswords: true)',
  read: readUser(USER),
};
/** Users of whom some have no password: clients such as Stripe's send an API key as the name. */
export const BASIC_NAMES: SecretForm = {
  ...BASIC_USERS,
  form: 'users like name:password or name:',
  read: readUser(USER, USER_ALONE),
};

/** The accepted secrets of one variable. Keeps only their digests, and compares them in constant time. */
export class AcceptedSecrets {
  constructor(private secrets: readonly AcceptedSecret[]) {}

  /** Returns the holder of a secret, or false if the secret is not accepted. */
  readonly verify = (secret: string): Client | false => {
    const presented = digestOf(secret);
    let match: Client | undefined;
    // Compares with every secret, so that the time does not depend on which one matches.
    for (const { digest, client } of this.secrets) if (timingSafeEqual(digest, presented)) match = client;
    return match ?? false;
  };

  replace(secrets: readonly AcceptedSecret[]): void {
    this.secrets = secrets;
  }
}

/**
 * Reads secrets in their form, and skips blank texts.
 *
 * @param variable the environment variable, for messages
 * @throws {InvalidConfig} The message does not contain the secrets.
 */
export function parseSecrets<S extends Secret>(
  variable: string,
  { one, form, read }: SecretForm<S>,
  texts: readonly string[],
): S[] {
  const given = texts.flatMap((text) => text.trim() || []);
  if (given.length === 0) throw new InvalidConfig(`${variable}: expected at least one ${one}`);
  return given.map((text, i) => {
    const secret = read(text);
    if (secret) return secret;
    throw new InvalidConfig(`${variable}: expected ${form} at position ${i + 1}`);
  });
}
