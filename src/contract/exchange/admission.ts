/**
 * What bounds the requests under way. A request passes three stages, each with bounds of its own, so that clients that
 * wait in one stage keep nobody out of another:
 *
 * - *Credentials.* Until they are accepted the client is anonymous. At most `maxRequests` verifications wait; one more
 *   gives up the oldest. A verification that ends within the same turn of the event loop never waits, so known tokens pass
 *   while the keys for unknown ones cannot be fetched.
 * - *Body.* At most `maxRequests` x `bodyLimit` bytes of bodies are held; one more gives up the oldest body. A slow body
 *   costs the bytes that have arrived, and its connection.
 * - *Handler.* `maxRequests` places, taken once the body is there. Without a free place a request is refused: before its
 *   body is read, or before its handler is called.
 *
 * Bodies and handlers of anonymous requests (of operations without credentials) are counted apart from the others.
 *
 * A request gives back all of it when it is answered, when its client leaves, and at its deadline. A handler cannot be
 * stopped from outside: its signal is aborted, and its place is free whether it stops or not.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from './logger';
import type { ServedOperation } from './served-operation';
import type { Stage } from './stages';
import { type Headers, Problem } from '../problem';
import type { Principals } from '../security/requirements';

/** One request under way. */
export class Exchange {
  readonly started = performance.now();
  stage: Stage = 'route';
  /** Undefined until it is found. */
  served: ServedOperation | undefined;
  /** The path of the document that it matches. */
  route: string | undefined;
  /** Of the hook afterAuthentication. */
  headers: Headers | undefined;
  log: Logger | undefined;
  /** What the handler returned as the body. */
  body: unknown;
  /** Why the request was given up. */
  reason: Error | undefined;
  pool: Pool | undefined;
  /** Bytes of the body that are held. */
  bytes = 0;
  handling = false;
  private controller: AbortController | undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly requestId: string,
  ) {}

  /** Made when a handler first asks for it: most never do, and it costs some microseconds. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  abandon(reason: Error): void {
    this.reason = reason;
    this.controller?.abort(reason);
  }
}

/** What requests of one kind hold. */
interface Pool {
  handlers: number;
  bytes: number;
  /** Whose bodies are being read, the oldest first. */
  readonly reading: Set<Exchange>;
}

export interface Bounds {
  readonly maxRequests: number;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Milliseconds from the head of a request to its answer. */
  readonly deadline: number;
}

/** Ends a request before its time, with this problem; without one, because the client has left. */
type GiveUp = (exchange: Exchange, problem: Problem | undefined) => void;

const overloaded = (message: string) =>
  new Problem('unavailable', `${message}: try again later`, { 'Retry-After': '1' });

export class Admission {
  /** The oldest first. */
  private readonly underWay = new Set<Exchange>();
  private readonly verifying = new Set<Exchange>();
  private readonly authenticated: Pool = { handlers: 0, bytes: 0, reading: new Set() };
  private readonly anonymous: Pool = { handlers: 0, bytes: 0, reading: new Set() };
  private readonly sockets = new WeakSet<Socket>();
  private timer: NodeJS.Timeout | undefined;
  private trimming = false;

  constructor(
    private readonly bounds: Bounds,
    private readonly giveUp: GiveUp,
  ) {}

  open(request: IncomingMessage, response: ServerResponse, requestId: string): Exchange {
    const { socket } = request;
    if (!this.sockets.has(socket)) {
      this.sockets.add(socket);
      // Not the response's: that of a pipelined request, which waits for its turn, never closes.
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

  /** Gives back all that a request holds; false if it has ended already. */
  close(exchange: Exchange): boolean {
    if (!this.underWay.delete(exchange)) return false;
    this.verifying.delete(exchange);
    this.forget(exchange);
    if (exchange.handling && exchange.pool) exchange.pool.handlers--;
    return true;
  }

  /** The credentials of a request are about to be verified. */
  verify(exchange: Exchange): void {
    this.verifying.add(exchange);
    if (this.verifying.size <= this.bounds.maxRequests || this.trimming) return;
    this.trimming = true;
    setImmediate(() => {
      this.trimming = false;
      for (const oldest of this.verifying) {
        if (this.verifying.size <= this.bounds.maxRequests) break;
        this.giveUp(oldest, overloaded('too many credentials wait for their verification'));
      }
    });
  }

  /**
   * The credentials of a request have been accepted.
   *
   * @throws {Problem} `unavailable` if all places are taken
   */
  verified(exchange: Exchange, principals: Principals): void {
    this.assertUnderWay(exchange);
    this.verifying.delete(exchange);
    const anonymous = Object.keys(principals).length === 0;
    exchange.pool = anonymous ? this.anonymous : this.authenticated;
    this.assertRoom(exchange.pool);
  }

  /** So many more bytes of a body have come; false if the request has been given up, and they are not to be kept. */
  hold(exchange: Exchange, bytes: number): boolean {
    const { pool } = exchange;
    if (!pool || !this.underWay.has(exchange)) return false;
    pool.reading.add(exchange);
    pool.bytes += bytes;
    exchange.bytes += bytes;
    const most = this.bounds.maxRequests * this.bounds.bodyLimit;
    for (const oldest of pool.reading) {
      if (pool.bytes <= most) break;
      this.giveUp(oldest, overloaded('too many bodies are being received'));
    }
    return this.underWay.has(exchange);
  }

  /**
   * The body of a request is there: takes a place for its handler.
   *
   * @throws {Problem} `unavailable` if there is none
   */
  enter(exchange: Exchange): void {
    this.assertUnderWay(exchange);
    const { pool } = exchange;
    if (!pool) throw new Error('expected the credentials to be accepted first');
    this.forget(exchange);
    this.assertRoom(pool);
    pool.handlers++;
    exchange.handling = true;
  }

  /** A request that was given up meanwhile goes no further. */
  assertUnderWay(exchange: Exchange): void {
    if (!this.underWay.has(exchange)) throw exchange.reason ?? new Error('the request has ended');
  }

  private assertRoom({ handlers }: Pool): void {
    const { maxRequests } = this.bounds;
    if (handlers >= maxRequests) throw overloaded(`${maxRequests} requests are under way already`);
  }

  private forget(exchange: Exchange): void {
    if (exchange.bytes === 0 || !exchange.pool) return;
    exchange.pool.reading.delete(exchange);
    exchange.pool.bytes -= exchange.bytes;
    exchange.bytes = 0;
  }

  /** One timer for all requests: they have the same deadline, so the oldest expires first. */
  private expireIn(milliseconds: number): NodeJS.Timeout {
    const expire = () => {
      this.timer = undefined;
      for (const exchange of this.underWay) {
        const left = exchange.started + this.bounds.deadline - performance.now();
        if (left > 0) {
          this.timer ??= this.expireIn(left);
          return;
        }
        const message = `the request was not answered within ${this.bounds.deadline} ms`;
        this.giveUp(exchange, new Problem('unavailable', message, { 'Retry-After': '1' }));
      }
    };
    return setTimeout(expire, Math.ceil(milliseconds)).unref();
  }
}
