import { createSecretKey, type KeyObject } from 'node:crypto';
import { SCOPE, type StrategyOf, type TokenOptions, TokenStrategy } from '../../contract';
import type { InvalidConfig, Variables } from '../config';
import { loadJose } from './jose';
import { verifyJwt } from './jwt';
import { readSecrets, type SecretSource, watchSecrets } from './secret-source';
import { type Client, digestOf, type Secret, type SecretForm } from './secrets';
import { madeUp, type Place } from '../process/place';

interface SigningSecret extends Secret {
  readonly key: KeyObject;
}

/** The secrets of signed tokens, and how long a token is valid. */
export interface SignedTokensConfig {
  readonly source: SecretSource<SigningSecret>;
  /** Seconds. */
  readonly lifetime: number;
  /** That of a worker, whose made-up secret is that of the others. */
  readonly place?: Place | undefined;
}

/** RFC 7518 section 3.2 demands 256 bits of HS256: characters, if each has one byte. */
const LEAST = 32;
/** Seconds. */
const DAY = 86_400;
const YEAR = 365 * DAY;

function signingSecrets(least: number): SecretForm<SigningSecret> {
  const SECRET = new RegExp(`^[!-+\\--~]{${least},}$`);
  return {
    one: 'secret',
    many: 'secrets of signed tokens',
    form: `secrets of ${least === 1 ? '' : `at least ${least} `}visible ASCII characters without commas`,
    read: (text) =>
      SECRET.test(text) ? { digest: digestOf(text), key: createSecretKey(text, 'utf8') } : undefined,
  };
}

/**
 * Reads the variables `${prefix}_SECRETS` or `${prefix}_SECRETS_FILE`, and `${prefix}_LIFETIME` (seconds; a day). Notes faults
 * in `variables`. The first secret signs, all verify: to rotate, put a new one before the old ones. If NODE_ENV is
 * `production`, no secret and one of fewer than 32 characters are faults; otherwise `signedTokens` makes one up.
 */
export function readSignedTokens(variables: Variables, prefix: string): SignedTokensConfig {
  const production = variables.read('NODE_ENV') === 'production';
  const form = signingSecrets(production ? LEAST : 1);
  const secrets = `${prefix}_SECRETS`;
  const isSet = [secrets, `${secrets}_FILE`].some((name) => variables.read(name) !== '');
  if (production && !isSet)
    variables.wrong.push(
      `${secrets} or ${secrets}_FILE is missing: expected ${form.form}, because NODE_ENV is production`,
    );
  return {
    source: readSecrets(variables, secrets, form),
    lifetime: variables.integer(`${prefix}_LIFETIME`, DAY, 1, YEAR),
    place: variables.place,
  };
}

/** The variables of a configuration that have no secret yet, which signs tokens or webhooks. */
export const madeUpSecrets = (config: object): string[] =>
  Object.values(config).flatMap((value: unknown) =>
    isSigning(value) && !value.source.secrets ? value.source.variable : [],
  );

const isSigning = (value: unknown): value is Pick<SignedTokensConfig, 'source'> =>
  typeof value === 'object' &&
  value !== null &&
  'source' in value &&
  ('lifetime' in value || 'retryTime' in value);

/** Issues and verifies the tokens of users who have logged in: JWTs (RFC 7519) that are signed by a secret (HS256). */
export interface SignedTokens {
  /** How long a token is valid by default, in seconds. */
  readonly lifetime: number;
  /**
   * Issues a token.
   *
   * @param subject the user, who is the `id` of the principal
   * @throws {TypeError} if the subject is empty or has half of a surrogate pair, or a scope is none (RFC 6749 section 3.3)
   * @throws {RangeError} if `expiresIn` is not an integer from 1 to 31,536,000
   */
  issue(
    subject: string,
    options?: {
      readonly scopes?: readonly string[];
      /** Seconds; that of the configuration by default. */
      readonly expiresIn?: number;
    },
  ): Promise<string>;
  /** The subject and the scopes of a token; false if no secret has signed it, or it has expired. */
  verify(token: string): Promise<Client | false>;
}

const OPTIONS = { algorithms: ['HS256'] };

/**
 * @param report receives a sentence when the file of secrets has been read again, or cannot be used; stderr by default
 */
export function signedTokens(
  { source, lifetime, place }: SignedTokensConfig,
  report: (change: string | InvalidConfig) => void = toStderr,
): SignedTokens {
  let keys = source.secrets?.map(({ key }) => key) ?? [
    createSecretKey(madeUp(place, source.variable, LEAST)),
  ];
  watchSecrets(source, (change) => {
    if (!(change instanceof Error)) keys = change.map(({ key }) => key);
    report(change instanceof Error ? change : `the ${source.form.many} have been replaced`);
  });
  return {
    lifetime,
    async issue(subject, { scopes = [], expiresIn = lifetime } = {}) {
      if (subject === '' || !subject.isWellFormed())
        throw new TypeError('expected a subject that is not empty and has no half of a surrogate pair');
      if (!scopes.every((scope) => SCOPE.test(scope)))
        throw new TypeError(
          `expected scopes without spaces (RFC 6749 section 3.3), got ${JSON.stringify(scopes)}`,
        );
      if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > YEAR)
        throw new RangeError(
          `expected expiresIn to be an integer from 1 to ${YEAR} (seconds), got ${expiresIn}`,
        );
      const [key] = keys;
      if (!key) throw new Error('there is no secret to sign tokens with');
      const { SignJWT } = await loadJose();
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT(scopes.length > 0 ? { scope: scopes.join(' ') } : {})
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(subject)
        .setIssuedAt(now)
        .setExpirationTime(now + expiresIn)
        .sign(key);
    },
    async verify(token) {
      for (const key of keys) {
        const client = await verifyJwt(token, key, OPTIONS);
        if (client) return client;
      }
      return false;
    },
  };
}

const toStderr = (change: string | InvalidConfig): void => {
  console.error(change instanceof Error ? change.message : change);
};

/**
 * Creates a passport strategy for signed tokens: bearer tokens, or API keys with a prefix such as `Token`.
 *
 * @throws {TypeError} if the prefix is no word, or no header can carry the challenge
 */
export const signedTokenStrategy = (tokens: SignedTokens, options?: TokenOptions): StrategyOf<Client> =>
  new TokenStrategy((token) => tokens.verify(token), options);
