import type { RawRequest } from './message';

/** Where a server listens, and how to connect to it. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** A Unix socket, in place of host and port. */
  readonly socketPath?: string;
  /** Set for https. */
  readonly tls?:
    | {
        /** Certificates that the client trusts besides the usual ones, in PEM. */
        readonly ca?: string | undefined;
        /** Whether to accept any certificate. */
        readonly insecure?: boolean | undefined;
      }
    | undefined;
  /** The value of the header Host; `localhost` by default. */
  readonly authority?: string;
  /** The start of every path, before the paths of the document. */
  readonly prefix?: string;
  /** Milliseconds until a response is complete. */
  readonly timeout?: number;
  /** The request with credentials that have not expired. */
  readonly renewed?: (request: RawRequest) => Promise<RawRequest>;
}

/**
 * The address in a URL: `http:`, `https:`, or `unix:/path/of/socket` (`unix:/path/of/socket:/prefix` with a path).
 *
 * @throws {Error} if it is another kind of URL
 */
export function addressOf(url: string): Address {
  const unix = /^(?:http\+)?unix:(?:\/\/)?(\/[^:]+|%2[fF][^/:]+)(?::?(\/.*))?$/.exec(url);
  if (unix) {
    const [, socket = '', prefix = ''] = unix;
    return {
      host: 'localhost',
      port: 0,
      authority: 'localhost',
      socketPath: decodeURIComponent(socket),
      prefix: withoutSlash(prefix),
    };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new Error(
      `expected a URL such as http://127.0.0.1:8080, https://example.org/base or unix:/run/service.sock, got ${url}`,
    );
  const isTls = parsed.protocol === 'https:';
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? (isTls ? 443 : 80) : Number(parsed.port),
    authority: parsed.host,
    tls: isTls ? {} : undefined,
    prefix: withoutSlash(parsed.pathname),
  };
}

const withoutSlash = (path: string): string => path.replace(/\/+$/, '');
