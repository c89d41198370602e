/** The configuration of what the server sends, and its signatures by Standard Webhooks (https://www.standardwebhooks.com). */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Variables } from '../config';
import { readSecrets, type SecretSource } from '../credentials/secret-source';
import { digestOf, type Secret, type SecretForm } from '../credentials/secrets';
import { type CompileSent, sentCompiler } from './sent';

interface SigningSecret extends Secret {
  readonly key: KeyObject;
}

/** How requests are sent. Times are in milliseconds. */
export interface SendersConfig {
  readonly source: SecretSource<SigningSecret>;
  /** Hosts, with a port or of any, that may have any address and no TLS. */
  readonly trusted: readonly string[];
  /** That one attempt may take, with its answer. */
  readonly timeout: number;
  /** From the first attempt to the begin of the last one. */
  readonly retryTime: number;
  /** About the time before the second attempt. Each further one takes four times as long to come. */
  readonly retryDelay: number;
  /** The attempts at the same time. A quarter of them may be to one host. */
  readonly concurrency: number;
  /** The bytes of all requests that are not delivered yet. */
  readonly queue: number;
  /** Holds what is compiled, for all senders that are opened with this configuration. */
  readonly compile: CompileSent;
}

/** 24 to 64 bytes. */
const SECRET = /^whsec_([A-Za-z\d+/]{32,86}={0,2})$/;

const FORM: SecretForm<SigningSecret> = {
  one: 'secret',
  many: 'secrets of webhooks',
  form: 'secrets like whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, of 24 to 64 bytes in base64',
  read(text) {
    const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? '', 'base64');
    if (bytes.length < 24 || bytes.length > 64) return undefined;
    return { digest: digestOf(text), key: createSecretKey(bytes) };
  },
};

/** @throws {TypeError} for a text that is no secret; the message does not contain it */
export function signingKey(text: string): KeyObject {
  const secret = FORM.read(text);
  if (secret) return secret.key;
  throw new TypeError(`expected ${FORM.form}`);
}

const DAY = 86_400_000;

/**
 * Reads `${prefix}_SECRETS` or `${prefix}_SECRETS_FILE`, `${prefix}_TRUSTED_HOSTS`, `${prefix}_TIMEOUT`, `${prefix}_RETRY_TIME`,
 * `${prefix}_CONCURRENCY` and `${prefix}_QUEUE`. Notes faults in `variables`. Every secret signs: to rotate, add the new one,
 * and remove the old one when all receivers know the new one.
 */
export const readSenders = (variables: Variables, prefix: string): SendersConfig => ({
  source: readSecrets(variables, `${prefix}_SECRETS`, FORM),
  trusted: readHosts(variables, `${prefix}_TRUSTED_HOSTS`),
  timeout: variables.integer(`${prefix}_TIMEOUT`, 15_000, 1, 600_000),
  retryTime: variables.integer(`${prefix}_RETRY_TIME`, 3_600_000, 0, DAY),
  retryDelay: 5000,
  concurrency: variables.shared(`${prefix}_CONCURRENCY`, 16, 1, 10_000),
  queue: variables.shared(`${prefix}_QUEUE`, 2 ** 24, 1, 2 ** 40),
  compile: sentCompiler(),
});

function readHosts(variables: Variables, name: string): string[] {
  const hosts = variables
    .read(name)
    .split(',')
    .flatMap((host) => host.trim() || []);
  // Without the port of https, a host of both schemes has one form.
  const isHost = (host: string) =>
    URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host;
  if (!hosts.every(isHost)) variables.expected(name, 'hosts like hooks.example.com or 127.0.0.1:4000');
  return hosts;
}

/** The header fields of an attempt. The time is that of the attempt, so that a receiver can refuse old ones. */
export function signatureOf(
  id: string,
  body: string | Uint8Array,
  keys: readonly KeyObject[],
  now = Date.now(),
): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  const signatures = keys.map((key) => {
    const hmac = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
