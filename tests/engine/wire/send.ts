import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Address } from './address';
import { encodeRequest, type Outcome, type RawRequest, readResponse } from './message';

/** Milliseconds until a response is complete. */
const RESPONSE_TIMEOUT_MS = 3000;

/** Milliseconds for a response to a request whose body is withheld: shorter than the body timeout of a server. */
const WITHHELD_TIMEOUT_MS = 1500;

/** Bytes. */
const MAX_RESPONSE_BYTES = 10_000_000;

/** Sends a request on a new connection and reads the response. Time and size are bounded. */
export function send(address: Address, request: RawRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let size = 0;
    const socket = open(address);
    const timeout =
      request.sending === 'withheld' ? WITHHELD_TIMEOUT_MS : (address.timeout ?? RESPONSE_TIMEOUT_MS);
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer);
      socket.off('close', close);
      socket.destroy();
      resolve(outcome);
    };
    const read = (closed: boolean): Outcome | undefined =>
      readResponse(Buffer.concat(received), request.method, closed);
    const end = (noResponse: string, closed: boolean): void => {
      finish(read(closed) ?? { noResponse });
    };
    const close = (): void => {
      end('the connection was closed without a response', true);
    };
    const timer = setTimeout(() => {
      end(`no response within ${timeout} ms`, false);
    }, timeout);
    socket.on('data', (chunk) => {
      received.push(chunk);
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) {
        end(`a response of more than ${MAX_RESPONSE_BYTES} bytes`, false);
        return;
      }
      const response = read(false);
      if (response) finish(response);
    });
    // A server may respond and close before it has read the request.
    socket.on('error', (error) => {
      end(`no response: ${error.message}`, true);
    });
    socket.on('close', close);
    socket.write(encodeRequest(addressed(address, request)));
  });
}

/** Opens a connection. */
function open({ host, port, socketPath, tls }: Address): Socket {
  const place = socketPath === undefined ? { host, port } : { path: socketPath };
  if (!tls) return connect({ ...place, noDelay: true });
  return connectTls({
    ...place,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tls.ca !== undefined && { ca: tls.ca }),
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
      resolve(error.message === '' ? (error as NodeJS.ErrnoException).code : error.message);
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
