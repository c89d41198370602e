/**
 * Bounds the requests in progress. A request passes three phases with separate bounds, so that clients that wait in one
 * phase do not block the others:
 *
 * - *Credentials.* At most `maxRequests` verifications are pending; one more gives up the oldest. A verification that ends
 *   at once, or within the same turn of the event loop, is never pending. So cached tokens pass while the keys for others cannot be
 *   fetched. Credentials that were accepted before have a bound of their own: a flood of others does not give them up. Beyond it
 *   the most frequent credentials give way.
 * - *Body.* At most `maxRequests` x `bodyLimit` bytes of bodies are buffered; more bytes give up the oldest body. A slow
 *   body costs the bytes that have arrived, and its connection. Long bodies have a bound of their own, of as many bytes or
 *   those of one body that is read as a whole. Their bytes count until their exchange ends.
 * - *Handler.* At most `maxRequests` handlers run. Beyond that a request is rejected before the server reads its body, and
 *   again before the server calls its handler.
 *
 * Anonymous requests (of operations without credentials) have separate bounds for bodies, handlers and streams.
 *
 * A request releases its resources when it is answered, when its client disconnects, and at its deadline. The deadline of a
 * long body begins anew with each of its pieces, and at its end. JavaScript cannot
 * stop a handler: the signal is aborted, and the handler is no longer counted, even if it still runs. A handler whose response
 * is a stream gives its place to others: at most `streams` streams are open.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem';
import { RememberedSecrets } from '../security/remembered-secrets';
import { namesOf, type Principals } from '../security/requirements';
import { type Bodies, Exchange, type Pool } from './exchange';

export interface Bounds {
  readonly maxRequests: number;
  readonly streams: number;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Milliseconds from the head of a request to its response. */
  readonly deadline: number;
}

/** Ends a request early with a problem, or without one if the client disconnected. */
type GiveUp = (exchange: Exchange, problem: Problem | undefined) => void;

const overloaded = (message: string) =>
  new Problem('unavailable', `${message}: try again later`, { 'Retry-After': '1' });

const noBodies = (): Bodies => ({ bytes: 0, reading: new Set() });
const emptyPool = (): Pool => ({ handlers: 0, streams: 0, short: noBodies(), long: noBodies() });

/** Counts the requests in progress, and gives up or rejects those beyond the bounds. */
export class Admission {
  /** In the order of their deadlines. */
  private readonly underWay = new Set<Exchange>();
  private readonly verifying = new Set<Exchange>();
  /** Those of `verifying` that were found to have credentials that were accepted before, with these. */
  private readonly verifyingAgain = new Map<Exchange, string>();
  private readonly accepted = new RememberedSecrets();
  private readonly authenticated = emptyPool();
  private readonly anonymous = emptyPool();
  private readonly sockets = new WeakSet<Socket>();
  private timer: NodeJS.Timeout | undefined;
  private trimming = false;

  constructor(
    private readonly bounds: Bounds,
    private readonly giveUp: GiveUp,
  ) {}

  /** Adds a request. It is given up at its deadline, and when its connection closes. */
  open(request: IncomingMessage, response: ServerResponse, requestId: string): Exchange {
    const { socket } = request;
    if (!this.sockets.has(socket)) {
      this.sockets.add(socket);
      // The socket emits `close`. The response of a pipelined request that waits for its turn does not.
      socket.on('close', () => {
        for (const exchange of this.underWay) {
          if (exchange.request.socket === socket) this.giveUp(exchange, undefined);
        }
      });
    }
    const exchange = new Exchange(request, response, requestId);
    this.underWay.add(exchange);
    this.timer ??= this.expireIn(this.bounds.deadline);
    return exchange;
  }

  /** Releases all resources of a request. Returns false if it has already ended. */
  close(exchange: Exchange): boolean {
    if (!this.underWay.delete(exchange)) return false;
    this.endVerification(exchange);
    this.releaseBody(exchange);
    if (exchange.handling && exchange.pool) exchange.pool.handlers--;
    return true;
  }

  /**
   * Called before a stream is answered.
   *
   * @throws {Problem} `unavailable` if `streams` are open already
   */
  assertPlace({ pool }: Exchange): void {
    const { streams } = this.bounds;
    if (pool && pool.streams >= streams) throw overloaded(`${streams} streams are already open`);
  }

  /** Counts a stream until it has ended. The handler of its request has returned. */
  async during({ pool }: Exchange, stream: Promise<void>): Promise<void> {
    if (pool) pool.streams++;
    try {
      await stream;
    } finally {
      if (pool) pool.streams--;
    }
  }

  /** Counts a verification of credentials that has to wait. */
  verify(exchange: Exchange): void {
    this.verifying.add(exchange);
    if (this.verifying.size <= this.bounds.maxRequests || this.trimming) return;
    this.trimming = true;
    setImmediate(() => {
      this.trimming = false;
      for (const oldest of this.verifying) {
        if (this.verifying.size <= this.bounds.maxRequests) break;
        const known = this.acceptedBefore(oldest);
        if (known === undefined) this.giveUpVerification(oldest);
        else {
          this.verifying.delete(oldest);
          this.verifyingAgain.set(oldest, known);
        }
      }
      while (this.verifyingAgain.size > this.bounds.maxRequests) this.giveUpMostFrequent();
    });
  }

  /** The credentials of a request that were accepted before. */
  private acceptedBefore({ served, request }: Exchange): string | undefined {
    return [...(served?.credentialsOf(request).values() ?? [])].find((secret) => this.accepted.has(secret));
  }

  /** Gives up the oldest request with the most frequent credentials: nobody who is known shuts out others who are. */
  private giveUpMostFrequent(): void {
    const byCredentials = Map.groupBy(this.verifyingAgain.keys(), (one) => this.verifyingAgain.get(one));
    const [[oldest] = []] = [...byCredentials.values()].sort((a, b) => b.length - a.length);
    if (!oldest) return;
    this.verifyingAgain.delete(oldest);
    this.giveUpVerification(oldest);
  }

  private giveUpVerification(exchange: Exchange): void {
    this.giveUp(exchange, overloaded('too many credentials are waiting for verification'));
  }

  /** Returns whether one had to wait. */
  private endVerification(exchange: Exchange): boolean {
    return this.verifying.delete(exchange) || this.verifyingAgain.delete(exchange);
  }

  /**
   * Ends the verification of credentials that are accepted.
   *
   * @throws {Problem} `unavailable` if `maxRequests` handlers run already
   */
  verified(exchange: Exchange, principals: Principals): void {
    this.assertUnderWay(exchange);
    if (this.endVerification(exchange)) {
      const given = exchange.served?.credentialsOf(exchange.request).get(namesOf(Object.keys(principals)));
      if (given !== undefined) this.accepted.add(given);
    }
    exchange.principals = principals;
    const anonymous = Object.keys(principals).length === 0;
    exchange.pool = anonymous ? this.anonymous : this.authenticated;
    this.assertCapacity(exchange.pool);
  }

  /** Ends the verification of credentials that are rejected. */
  rejected(exchange: Exchange): void {
    this.assertUnderWay(exchange);
    this.forget(exchange);
    this.endVerification(exchange);
  }

  /** Forgets that the credentials of a request were accepted before: they are rejected now. */
  forget(exchange: Exchange): void {
    const known = this.verifyingAgain.get(exchange);
    if (known !== undefined) this.accepted.delete(known);
  }

  /**
   * Counts more bytes of a body, or fewer, unless its handler runs, which then decides how many it holds. Returns false if the
   * request was given up: the caller must discard its body.
   */
  hold(exchange: Exchange, bytes: number): boolean {
    if (exchange.received) this.postpone(exchange);
    if (exchange.handling) return exchange.reason === undefined;
    const bodies = bodiesOf(exchange);
    if (!bodies || !this.underWay.has(exchange)) return false;
    bodies.reading.add(exchange);
    bodies.bytes += bytes;
    exchange.bytes += bytes;
    const most = Math.max(this.bounds.maxRequests * this.bounds.bodyLimit, exchange.whole);
    if (exchange.bytes > most)
      this.giveUp(exchange, new Problem('tooLarge', `the body needs more than ${most} bytes of memory`));
    for (const oldest of bodies.reading) {
      if (bodies.bytes <= most) break;
      this.giveUp(oldest, overloaded('too many bodies are being received'));
    }
    return this.underWay.has(exchange);
  }

  /** Begins the deadline of a request anew. */
  private postpone(exchange: Exchange): void {
    if (!this.underWay.delete(exchange)) return;
    exchange.since = performance.now();
    this.underWay.add(exchange);
  }

  /**
   * Counts a handler that begins. The body of its request is complete.
   *
   * @throws {Problem} `unavailable` if `maxRequests` handlers run already
   */
  enter(exchange: Exchange): void {
    this.assertUnderWay(exchange);
    const { pool } = exchange;
    if (!pool) throw new Error('expected the credentials to be accepted first');
    if (exchange.received) {
      this.postpone(exchange);
      pool.long.reading.delete(exchange);
    } else this.releaseBody(exchange);
    this.assertCapacity(pool);
    pool.handlers++;
    exchange.handling = true;
  }

  /** @throws the reason for which the request was abandoned, if it was */
  assertUnderWay(exchange: Exchange): void {
    if (!this.underWay.has(exchange)) throw exchange.reason ?? new Error('the request has ended');
  }

  private assertCapacity({ handlers }: Pool): void {
    const { maxRequests } = this.bounds;
    if (handlers >= maxRequests) throw overloaded(`${maxRequests} requests are already in progress`);
  }

  private releaseBody(exchange: Exchange): void {
    const bodies = bodiesOf(exchange);
    if (!bodies?.reading.delete(exchange) && exchange.bytes === 0) return;
    if (bodies) bodies.bytes -= exchange.bytes;
    exchange.bytes = 0;
  }

  /**
   * Starts the one timer of all requests. They have the same deadline, so the first expires first. The timer does not keep
   * a service in memory that is no longer in use. A request does, by its socket.
   */
  private expireIn(milliseconds: number): NodeJS.Timeout {
    const self = new WeakRef(this);
    return setTimeout(() => self.deref()?.expire(), Math.ceil(milliseconds)).unref();
  }

  private expire(): void {
    this.timer = undefined;
    for (const exchange of this.underWay) {
      const left = exchange.since + this.bounds.deadline - performance.now();
      if (left > 0) {
        this.timer ??= this.expireIn(left);
        return;
      }
      const message = `the request was not answered within ${this.bounds.deadline} ms`;
      this.giveUp(exchange, new Problem('unavailable', message, { 'Retry-After': '1' }));
    }
  }
}

const bodiesOf = ({ pool, received }: Exchange): Bodies | undefined => pool?.[received ? 'long' : 'short'];
