import { connect, isIP, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { connect as connectTls } from 'node:tls';
import type { Address } from './address';
import { encodePieces, encodeRequest, type Outcome, type RawRequest } from './message';
import { createResponseReader, type OnContent } from './response-reader';

/** Milliseconds until a response is complete. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** Milliseconds after the head of a stream. */
const LISTEN_MS = 2500;

interface SendOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the response is complete; the time-out of the address applies too. */
  readonly patience?: number;
  /** Milliseconds for which a stream is read after its head, unless it ends: 2,500 by default. */
  readonly listening?: number;
  /** Receives the content while it arrives, in the place of the outcome. */
  readonly onContent?: OnContent;
}

/**
 * Sends a request on a new connection and reads the response. Its time, its bytes and the work for them are bounded: of a
 * stream, and of a file that takes longer, the outcome has the start.
 */
export function send(
  address: Address,
  request: RawRequest,
  { signal, patience = Infinity, listening = LISTEN_MS, onContent }: SendOptions = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = open(address);
    const reader = createResponseReader(request.method, onContent);
    const timeout = Math.round(Math.min(address.timeout ?? RESPONSE_TIMEOUT_MS, patience));
    let listener: NodeJS.Timeout | undefined;
    let latest = performance.now();
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer);
      clearTimeout(listener);
      signal?.removeEventListener('abort', abort);
      socket.off('data', take).off('close', close).destroy();
      resolve(outcome);
    };
    const giveUp = (reason: string): void => {
      finish(reader.lacking(reason));
    };
    const take = (bytes: Buffer): void => {
      latest = performance.now();
      const outcome = reader.take(bytes);
      if (outcome) finish(outcome);
      else if (reader.isStream() && !onContent) listener ??= setTimeout(leave, listening, listening);
    };
    /** Ends the exchange; a content whose start says enough is no failure. */
    const leave = (ms: number): void => {
      const start = onContent ? undefined : reader.leave(`it waited ${ms} ms`);
      if (start) finish(start);
      else giveUp(`the time-out of ${ms} ms is over`);
    };
    const close = (): void => {
      finish(reader.end());
    };
    const abort = (): void => {
      giveUp('the run was interrupted');
    };
    const timer = setTimeout(() => {
      // A file that is slow is on its way; one that has stopped is not.
      const isMoving = performance.now() - latest < timeout / 4;
      if (reader.isStream() || isMoving) leave(timeout);
      else giveUp(`the time-out of ${timeout} ms is over`);
    }, timeout);
    signal?.addEventListener('abort', abort);
    // A server may respond and close before it has read the request.
    socket
      .on('data', take)
      .on('error', (error) => {
        giveUp(reasonOf(error));
      })
      .on('close', close);
    socket.write(encodeRequest(addressed(address, request)));
    if (request.pieces) pipeline(encodePieces(request.pieces), socket, { end: false }).catch(() => undefined); // the outcome says why
  });
}

/** Sends the head and the first half of the body of a request, and closes the connection. */
export const interrupt = (address: Address, request: RawRequest): Promise<void> =>
  new Promise((resolve) => {
    const { body = Buffer.alloc(0) } = request;
    const bytes = encodeRequest(addressed(address, { ...request, sending: 'whole' }));
    const socket = open(address);
    socket
      .setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy())
      .on('error', () => undefined) // the request that follows says why
      .on('close', () => {
        resolve();
      })
      .write(bytes.subarray(0, bytes.length - Math.ceil(body.length / 2)), () => socket.destroy());
  });

/** Why a connection failed, without the words of a library. */
function reasonOf({ code = 'an unknown error' }: NodeJS.ErrnoException): string {
  if (/CERT|SSL|TLS|SIGN|ISSUER|VERIFY/.test(code)) return `TLS failed: ${code}`;
  return REASONS.get(code) ?? code;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed while the request was sent'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['ENOENT', 'there is no such socket'],
  ['ENOTFOUND', 'there is no such host'],
]);

/** Opens a connection. */
function open({ host, port, socketPath, tls }: Address): Socket {
  const place = socketPath === undefined ? { host, port } : { path: socketPath };
  if (!tls) return connect({ ...place, noDelay: true });
  return connectTls({
    ...place,
    ...(isIP(host) === 0 && { servername: host }),
    ca: tls.ca,
    rejectUnauthorized: tls.insecure !== true,
  });
}

/** What curl sends too, and many servers expect (RFC 9110 section 10.1.5). */
const USUAL_HEADERS = [['User-Agent', 'contract-first'] as const, ['Accept', '*/*'] as const];

/** The request with the prefix of the address, its Host and the usual headers. */
function addressed({ prefix = '', authority }: Address, request: RawRequest): RawRequest {
  const present = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const usual = authority === undefined ? [] : [['Host', authority] as const, ...USUAL_HEADERS];
  const headers = [...usual.filter(([name]) => !present.has(name.toLowerCase())), ...request.headers];
  return { ...request, headers, target: prefix + request.target };
}

/** Milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;

/**
 * Opens a connection and closes it.
 *
 * @throws {Error} if nobody accepts it
 */
export async function assertListening(address: Address): Promise<void> {
  const reason = await new Promise<string | undefined>((resolve) => {
    const socket = open(address);
    const timer = setTimeout(() => {
      resolve(`no connection within ${CONNECT_TIMEOUT_MS} ms`);
      socket.destroy();
    }, CONNECT_TIMEOUT_MS);
    socket.once(address.tls ? 'secureConnect' : 'connect', () => {
      resolve(undefined);
      socket.destroy();
    });
    socket.on('error', (error) => {
      resolve(reasonOf(error));
    });
    socket.on('close', () => {
      clearTimeout(timer);
    });
  });
  if (reason !== undefined)
    throw new Error(`expected a server at ${printAddress(address)}, got none: ${reason}`);
}

/** The address as a URL. */
export function printAddress({ host, port, socketPath, tls, authority, prefix = '' }: Address): string {
  if (socketPath !== undefined) return `unix:${socketPath}${prefix === '' ? '' : `:${prefix}`}`;
  return `${tls ? 'https' : 'http'}://${authority ?? `${host}:${port}`}${prefix}`;
}
