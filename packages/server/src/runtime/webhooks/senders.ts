import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallbackContext,
  type Extensions,
  type Logger,
  Problem,
  type Sendable,
  type SentRequest,
  UndocumentedRequest,
  type WrittenRequest,
} from '../../contract';
import { attemptDelivery, reasonOf, RefusedReceiver } from './delivery';
import { createLog } from '../observe/log';
import { watchSecrets } from '../credentials/secret-source';
import { type SendersConfig, signatureOf, signingKey } from './sender-config';
import { takeTurns } from './turns';

/** A request that conforms to the document. It may be kept, as JSON if its body is a text, and sent later. */
export interface SentMessage extends WrittenRequest {
  /** Identifies it to its receiver: that of all attempts. */
  readonly id: string;
  readonly name: string;
}

/** What became of a message. */
export interface Delivery {
  readonly id: string;
  /** Whether the receiver has answered with a status of success. */
  readonly delivered: boolean;
  /** Whether the receiver wants nothing any more: its last answer was 410. */
  readonly gone: boolean;
  readonly attempts: number;
  /** That of the last answer; undefined: there was none. */
  readonly status: number | undefined;
  /** Why it is not delivered. */
  readonly reason: string | undefined;
}

/** How a message is sent. */
export interface SendOptions {
  /** Identifies the message to its receiver; a UUID by default. */
  readonly id?: string;
  /** Those of the receiver, such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`; by default those of the configuration. */
  readonly secrets?: readonly string[];
}

/** Sends the webhooks and callbacks of a document. */
export interface Senders<Webhooks> {
  /**
   * Judges a request. Nothing is sent.
   *
   * @throws {UndocumentedRequest}
   * @throws {TypeError} if no header can carry the id
   */
  write<Name extends keyof Webhooks & string>(
    name: Name,
    request: SentRequest<Webhooks, Name>,
    options?: Pick<SendOptions, 'id'>,
  ): SentMessage;
  /**
   * Sends a message until its receiver has it, within bounds. The promise never rejects. Do not wait for it in a handler: that
   * may take as long as all attempts.
   *
   * @throws {Problem} `unavailable`, at once, if too many bytes wait, or the server stops
   * @throws {TypeError} at once, if there is no secret that signs
   */
  deliver(message: SentMessage, options?: Pick<SendOptions, 'secrets'>): Promise<Delivery>;
  /** Writes a request and delivers it. */
  send<Name extends keyof Webhooks & string>(
    name: Name,
    request: SentRequest<Webhooks, Name>,
    options?: SendOptions,
  ): Promise<Delivery>;
  /**
   * The URL of a callback, from the exchange that it belongs to. Keep it with what the client has subscribed to.
   *
   * @throws {NoCallbackUrl} if the exchange lacks a value
   */
  callbackUrl(name: keyof Webhooks & string, context: CallbackContext): string;
  /** Ends: what is under way has some seconds, and each message that is not delivered is logged. */
  close(): Promise<void>;
}

/** What senders are made of, beside their configuration. */
export interface SendersParts extends Extensions {
  /** The file of the published contract, generated/openapi.json. */
  readonly document: string;
  readonly log?: Pick<Logger, 'warn' | 'error'>;
}

/** Attempts of one message. */
const MOST_ATTEMPTS = 10;
/** Milliseconds that messages have when the server stops: fewer than CLOSE_TIMEOUT. */
const LAST_TIME = 5000;
/** Bytes that a message takes beside its URL, headers and body. */
const OVERHEAD = 1024;

/** Milliseconds before the next attempt, a half of them by chance: receivers that fail together are not asked together. */
export const backOff = (first: number, attempts: number, random = Math.random()): number =>
  (first * 4 ** (attempts - 1) * (1 + random)) / 2;

/**
 * Opens senders of what the document sends. Those that are opened again with one configuration share what is compiled: contract tests
 * open the dependencies of a service a thousand times.
 *
 * @typeParam Webhooks those of generated/openapi.d.ts
 * @throws {InvalidContract} with all findings, each with its JSON pointer
 */
export function openSenders<Webhooks>(
  config: SendersConfig,
  { document, log = createLog('info'), ...extensions }: SendersParts,
): Senders<Webhooks> {
  const { source, trusted, timeout, retryTime, retryDelay, concurrency, queue } = config;
  const sendables = config.compile(document, extensions);
  const takeTurn = takeTurns(concurrency, Math.ceil(concurrency / 4));
  /** Those that end the attempts under way. */
  const underWay = new Set<AbortController>();
  /** What ends the wait for the next attempt, of each message that is not delivered yet. */
  const pending = new Map<Promise<Delivery>, AbortController>();
  let keys = source.secrets?.map(({ key }) => key) ?? [];
  let [held, closing, isOver] = [0, false, false];
  watchSecrets(source, (change) => {
    if (change instanceof Error) log.error(change.message);
    else keys = change.map(({ key }) => key);
  });

  function sendableOf(name: string): Sendable {
    const sendable = sendables.get(name);
    if (sendable) return sendable;
    throw new UndocumentedRequest(`${name} is not sent: the document has no such webhook or callback`);
  }

  /** Attempts to deliver a message once. `wait`: the milliseconds before another attempt, at least. */
  async function attempt(message: SentMessage, own: typeof keys | undefined, attempts: number) {
    const failed = { id: message.id, attempts, delivered: false, gone: false, status: undefined };
    const ending = new AbortController();
    const timer = setTimeout(() => {
      ending.abort();
    }, timeout);
    underWay.add(ending);
    if (isOver) ending.abort();
    try {
      const headers = signatureOf(message.id, message.body ?? '', own ?? keys);
      const { status, retryAfter } = await attemptDelivery(message, headers, trusted, ending.signal);
      const delivered = status >= 200 && status < 300;
      const reason = delivered ? undefined : `the response was ${status}`;
      return {
        delivery: { ...failed, delivered, gone: status === 410, status, reason },
        wait: retryAfter,
      };
    } catch (error) {
      const wait = error instanceof RefusedReceiver ? Infinity : 0;
      return { delivery: { ...failed, reason: reasonOf(error) }, wait };
    } finally {
      clearTimeout(timer);
      underWay.delete(ending);
    }
  }

  async function deliver(
    message: SentMessage,
    own: typeof keys | undefined,
    stop: AbortSignal,
  ): Promise<Delivery> {
    const host = URL.canParse(message.url) ? new URL(message.url).host : '';
    const began = performance.now();
    const about = { webhook: message.name, messageId: message.id, host };
    for (let attempts = 1; ; attempts++) {
      const { delivery, wait } = await new Promise<Awaited<ReturnType<typeof attempt>>>((done) => {
        takeTurn(host, () => attempt(message, own, attempts).then(done));
      });
      const { delivered, gone, reason } = delivery;
      if (delivered) return delivery;
      const next = Math.max(wait, backOff(retryDelay, attempts));
      const isLast = gone || attempts === MOST_ATTEMPTS || performance.now() - began + next > retryTime;
      if (!isLast && !closing) {
        log.warn({ ...about, attempts, reason, next: Math.round(next) }, 'a webhook will be sent again');
        await sleep(next, undefined, { signal: stop, ref: false }).catch(() => undefined);
      }
      if (!isLast && !closing) continue;
      const why = isLast ? reason : STOPPED;
      log.error({ ...about, attempts, reason: why }, 'a webhook was not delivered');
      return { ...delivery, reason: why };
    }
  }

  const senders: Senders<Webhooks> = {
    write(name, request, { id = randomUUID() } = {}) {
      if (!/^[!-~]{1,256}$/.test(id))
        throw new TypeError(`${name} is not sent: expected an id of 1 to 256 visible ASCII characters`);
      try {
        return { id, name, ...sendableOf(name).write(request) };
      } catch (error) {
        if (error instanceof UndocumentedRequest) log.error(error.message);
        throw error;
      }
    },
    deliver(message, { secrets } = {}) {
      sendableOf(message.name);
      const own = secrets?.map(signingKey);
      if ((own ?? keys).length === 0)
        throw new TypeError(`${message.name} is not sent: there is no secret in ${source.variable}`);
      const { url, headers, body = '' } = message;
      const bytes = OVERHEAD + url.length + Object.entries(headers).join('').length + Buffer.byteLength(body);
      if (closing || held + bytes > queue)
        throw new Problem('unavailable', `${message.name} is not sent: ${closing ? STOPPED : FULL}`, {
          'Retry-After': '1',
        });
      held += bytes;
      const stop = new AbortController();
      const delivering = deliver(message, own, stop.signal).finally(() => {
        held -= bytes;
        pending.delete(delivering);
      });
      pending.set(delivering, stop);
      return delivering;
    },
    send: (name, request, { id, ...options } = {}) =>
      senders.deliver(senders.write(name, request, id === undefined ? {} : { id }), options),
    callbackUrl: (name, context) => sendableOf(name).urlOf(context),
    async close() {
      closing = true;
      for (const stop of pending.values()) stop.abort();
      const timer = setTimeout(() => {
        isOver = true;
        for (const attempt of underWay) attempt.abort();
      }, LAST_TIME);
      await Promise.all(pending.keys());
      clearTimeout(timer);
    },
  };
  return senders;
}

const STOPPED = 'the server is stopping';
const FULL = 'too many others are waiting';
