/** Who may ask `/mcp`, and what a client without credentials is told (RFC 9728). */
import type { IncomingMessage } from 'node:http';
import { type Contract, type OpenApiDocument, type Operation, schemeAt } from '../contract/tools';
import {
  type Extensions,
  type Middleware,
  type ReportFault,
  securitySchemes,
  type ServiceOptions,
} from '../contract';

export const PATH = '/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
export const METADATA = `${WELL_KNOWN}${PATH}`;

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[?::1\]?|localhost)$/;

export interface McpOptions extends Pick<ServiceOptions, 'bodyLimit' | 'maxRequests' | 'headers' | 'report'> {
  /** `read`: the operations whose methods are safe. `all`: those that are marked, too. */
  readonly mode: 'read' | 'all';
  /** The host that the server listens on. */
  readonly host: string;
  /** The URL of the public resource; undefined: the address that the server listens on. */
  readonly url: string | undefined;
  readonly corsOrigins: readonly string[];
  /** The names of the configured issuers. */
  readonly issuers: () => readonly string[];
  readonly contract: Contract;
  readonly extensions: Extensions;
  /** The service, with what surrounds it. */
  readonly service: Middleware;
  readonly fault: ReportFault;
  /** Receives a sentence for each operation, or part of one, that is no tool. */
  readonly onLeftOut: (sentences: readonly string[]) => void;
  /** Aborted when the server stops: subscriptions end. */
  readonly stopping?: AbortSignal | undefined;
  /** Makes a call, in which the resource is an accepted audience. */
  readonly within: <T>(resource: string, call: () => T) => T;
}

/** The URL of the public resource. */
export const resourceOf = ({ host, url }: McpOptions, { socket }: IncomingMessage): string =>
  url ?? `http://${host.includes(':') ? `[${host}]` : host}:${socket.localPort}${PATH}`;

/** Whether a page of the origin of a request may ask. `Host` decides nothing. */
export function isAllowed(options: McpOptions, request: IncomingMessage): boolean {
  const { origin } = request.headers;
  if (origin === undefined || options.corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const isLocal = LOOPBACK.test(options.host) && LOOPBACK.test(new URL(origin).hostname);
  return isLocal || origin === new URL(resourceOf(options, request)).origin;
}

/** Whether an authorization server issues the tokens of a scheme. */
const isIssued = (type: unknown): boolean => type === 'oauth2' || type === 'openIdConnect';

/** The metadata of the resource; undefined if no issuer is configured for a scheme of OAuth 2 or OpenID Connect. */
export function metadataOf(document: OpenApiDocument, options: McpOptions, request: IncomingMessage) {
  const schemes = securitySchemes(document).filter(({ value }) => isIssued(value['type']));
  const issuers = options.issuers();
  if (schemes.length === 0 || issuers.length === 0) return undefined;
  return {
    resource: resourceOf(options, request),
    authorization_servers: issuers,
    bearer_methods_supported: ['header'],
    scopes_supported: [...new Set(schemes.flatMap(({ scopes }) => scopes))],
    resource_name: document.at('/info/title'),
  };
}

/** The challenge of the service, with where the metadata are, and the scopes that the operation demands. */
export function challengeOf(
  challenge: string,
  document: OpenApiDocument,
  { security }: Operation,
  resource: string,
): string {
  const { origin, pathname } = new URL(resource);
  const issued = security.flat().find(({ scheme }) => isIssued(schemeAt(document, scheme).value['type']));
  const scope =
    challenge.includes('scope="') || !issued?.scopes.length ? '' : `, scope="${issued.scopes.join(' ')}"`;
  const more = `resource_metadata="${origin}${WELL_KNOWN}${pathname}"${scope}`;
  return challenge.replace(/(^|, )Bearer(?: (?=\S)|(?=,|$))/i, (found) =>
    found.endsWith(' ') ? `${found}${more}, ` : `${found} ${more}`,
  );
}
