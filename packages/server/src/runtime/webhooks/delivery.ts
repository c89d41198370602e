/** One attempt to deliver a request that the server sends: to a public address, without redirects, within bounds. */
import { lookup as resolveHost, type LookupAddress } from 'node:dns';
import http from 'node:http';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { WrittenRequest } from '../../contract';

/** Bytes of the body of an answer, which says nothing. What is beyond them is not read. */
const MOST = 65_536;

/** A receiver that nothing is sent to. Another attempt would end in the same way. */
export class RefusedReceiver extends Error {
  override name = 'RefusedReceiver';
}

/** An answer, and when its sender wants the next attempt, in milliseconds from now. */
export interface Answered {
  readonly status: number;
  readonly retryAfter: number;
}

/**
 * The networks of IPv4 that are not of the Internet, those of examples and tests, and those of many receivers (RFC 6890, RFC 5771).
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const SPECIAL = new BlockList();
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // https://www.iana.org/assignments/iana-ipv6-special-registry: those with an address of IPv4 in them too
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]) {
  const [address = '', prefix] = network.split('/');
  SPECIAL.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
/** The addresses of IPv6 that are of the Internet (RFC 4291 section 2.4). */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is one of the Internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !SPECIAL.check(address, 'ipv4');
  return family === 6 && GLOBAL.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
}

/**
 * The URL of a receiver that may be asked.
 *
 * @param trusted hosts that may have any address and no TLS
 * @throws {RefusedReceiver}
 */
export function receiverOf(text: string, trusted: readonly string[]): { url: URL; isTrusted: boolean } {
  if (!URL.canParse(text)) throw new RefusedReceiver('invalid URL');
  const url = new URL(text);
  const isTrusted = trusted.includes(url.hostname) || trusted.includes(url.host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isTrusted))
    throw new RefusedReceiver('the URL does not start with https:');
  if (url.username !== '' || url.password !== '') throw new RefusedReceiver('the URL contains credentials');
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!isTrusted && isIP(literal) !== 0 && !isPublic(literal)) throw new RefusedReceiver(PRIVATE);
  return { url, isTrusted };
}

const PRIVATE = 'the host resolves to a private address';

type Resolve = (
  host: string,
  options: { readonly all: true; readonly hints?: number | undefined },
  done: (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void,
) => void;

/** Finds the addresses of a host, of which each is a public one. The socket connects to these, and asks nobody again. */
const publicOnly =
  (resolve: Resolve): LookupFunction =>
  (host, { all = false, hints }, done) => {
    resolve(host, { all: true, hints }, (error, addresses = []) => {
      const [first] = addresses;
      if (error) done(error, '');
      else if (!first) done(new RefusedReceiver('the host has no address'), '');
      else if (!addresses.every(({ address }) => isPublic(address))) done(new RefusedReceiver(PRIVATE), '');
      else if (all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };

/**
 * Sends a request once, and receives the answer.
 *
 * @param headers those of the signature
 * @param signal ends the attempt
 * @throws {RefusedReceiver} if it may not be asked
 * @throws {Error} if there is no complete answer
 */
export function attemptDelivery(
  { method, url: text, body, headers: own }: WrittenRequest,
  headers: Readonly<Record<string, string>>,
  trusted: readonly string[],
  signal: AbortSignal,
  resolve: Resolve = resolveHost,
): Promise<Answered> {
  const { url, isTrusted } = receiverOf(text, trusted);
  const lookup = isTrusted ? undefined : publicOnly(resolve);
  // TLS takes 2 MB, and most services send nothing.
  const { request } = url.protocol === 'https:' ? process.getBuiltinModule('node:https') : http;
  return new Promise((done, failed) => {
    const options = {
      method,
      headers: { ...own, ...headers },
      signal,
      agent: false,
      ...(lookup && { lookup }),
    };
    const sent = request(url, options, (answer) => {
      const { statusCode: status = 0, headers: fields } = answer;
      const end = () => {
        done({ status, retryAfter: retryAfterOf(fields['retry-after']) });
      };
      let bytes = 0;
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes <= MOST) return;
        end();
        answer.destroy();
      });
      answer.on('end', end);
      answer.on('error', failed);
    });
    sent.on('error', failed);
    // After a change of protocols (101) there is neither an answer nor an error.
    sent.on('close', () => {
      failed(Object.assign(new Error('no answer'), { code: 'ECONNRESET' }));
    });
    sent.end(body);
  });
}

/** Milliseconds until a time of Retry-After (RFC 9110 section 10.2.3); 0 without one. */
function retryAfterOf(field = ''): number {
  const time = /^\d+$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now();
  return Math.max(0, time) || 0;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'the host has no address'],
  ['EAI_AGAIN', 'the host could not be looked up'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed without a response'],
  ['ABORT_ERR', 'no response in time'],
]);

/** Why there is no answer, as the predicate of a sentence about the receiver. */
export function reasonOf(error: unknown): string {
  if (error instanceof RefusedReceiver) return error.message;
  const { code = 'without a code' } = error as { readonly code?: unknown };
  return REASONS.get(String(code)) ?? `the request failed (${String(code)})`;
}
