import { readFileSync } from 'node:fs';
import type { Extensions } from './document/model';
import { documentBasePath, readDocument } from './document/reader';
import type { Json, JsonObject } from './json/tree';
import type { Profile } from './profile';
import { isSource, openToken, type Token } from './request/tokens';
import { readCredentials } from './request/credentials-file';
import { asObject } from './json/tree';
import type { BlackBox, Target, Waiver } from './target';
import { type Address, addressOf } from './wire/address';
import type { CurlServer } from './wire/curl';
import { renewing, type Secret, secretsOf } from './wire/secrets';
import { assertListening, printAddress } from './wire/socket';

/** A server by its URL, and how to test it. */
export interface UrlOptions extends Extensions {
  /** `http:`, `https:` or `unix:`. Its path comes before the path of the document's server, unless it ends with it. */
  readonly url: string;
  /** An OpenAPI document (3.1 or 3.2) without references to other documents. */
  readonly document: JsonObject;
  /** `document` by default. */
  readonly profile?: Profile | undefined;
  /** By security scheme: `{"valid": "...", "invalid": "..."}`, or a source of tokens. */
  readonly credentials?: Json | undefined;
  /** The path of the file with the credentials, for the curl lines of the report. */
  readonly credentialsFile?: string | undefined;
  /** Sends requests that may change something: what the run created, or with `all` everything. */
  readonly write?: boolean | 'all' | undefined;
  /** 100 by default. */
  readonly requestsPerSecond?: number | undefined;
  /** 50,000 by default. */
  readonly maxRequests?: number | undefined;
  /** The largest request body, in bytes. Unknown by default. */
  readonly bodyLimit?: number | undefined;
  /** Milliseconds until a response is complete; 10,000 by default. */
  readonly timeout?: number | undefined;
  /** A file of certificates in PEM, that https trusts. */
  readonly ca?: string | undefined;
  /** Accepts any certificate. */
  readonly insecure?: boolean | undefined;
  /** Pointer to the schema of the body of every refusal, for the profile `strict`. */
  readonly refusalSchema?: string | undefined;
  readonly waivers?: readonly Waiver[] | undefined;
}

/**
 * A target for a server that the prover neither starts nor resets.
 *
 * @throws {Error} if the URL, the document or the credentials cannot be used
 */
export function urlTarget(options: UrlOptions): Target {
  const { document, profile = 'document', credentials = {} } = options;
  const version = document['openapi'];
  if (typeof version !== 'string' || !/^3\.[1-9]/.test(version))
    throw new Error(
      `expected an OpenAPI document, version 3.1 or 3.2, got ${version === undefined ? 'no version' : JSON.stringify(version)}`,
    );
  const { schemes, operations } = readDocument(document, options);
  if (operations.length === 0) throw new Error('expected a document with operations, got none');
  const address = addressFor(options);
  const known = readCredentials(credentials, Object.keys(schemes));
  const curl = curlServer(address, options);
  const sources = Object.entries(asObject(credentials)).filter(([, values]) => isSource(asObject(values)));
  const tokens: Token[] = [];
  const secrets: Secret[] = [];
  const blackBox: BlackBox = {
    write: options.write === true || options.write === 'all',
    writeAll: options.write === 'all',
    requestsPerSecond: options.requestsPerSecond ?? 100,
    maxRequests: options.maxRequests ?? 50_000,
  };
  return {
    source: 'a file of waivers (--waivers FILE)',
    document,
    profile,
    blackBox,
    credentials: known,
    curl,
    formats: options.formats,
    encoders: options.encoders,
    bodyLimit: options.bodyLimit,
    refusalSchema: options.refusalSchema,
    waivers: options.waivers,
    ...(sources.length > 0 && {
      async inspect() {
        for (const [name, source] of sources) tokens.push(await openToken(asObject(source), name));
        secrets.push(...secretsOf(credentials, options.credentialsFile ?? 'credentials.json', tokens));
        const all = { ...known };
        for (const { scheme, first: valid } of tokens) all[scheme] = { invalid: '', ...known[scheme], valid };
        return { credentials: all, curl: { ...curl, secrets } };
      },
    }),
    async start() {
      await assertListening(address);
      const renewed = renewing(tokens, secrets);
      return { ...address, ...(sources.length > 0 && { renewed }), close: () => Promise.resolve() };
    },
  };
}

function addressFor({ url, document, timeout = 10_000, ca, insecure }: UrlOptions): Address {
  const { prefix = '', tls, ...address } = addressOf(url);
  const base = documentBasePath(document);
  const rest = base !== '' && prefix.endsWith(base) ? prefix.slice(0, -base.length) : prefix;
  return {
    ...address,
    timeout,
    prefix: rest,
    tls: tls && { ca: ca === undefined ? undefined : readFileSync(ca, 'utf8'), insecure },
  };
}

function curlServer(
  address: Address,
  { ca, insecure, credentials, credentialsFile }: UrlOptions,
): CurlServer {
  const { socketPath, prefix = '' } = address;
  const options = [
    ...(socketPath === undefined ? [] : ['--unix-socket', `'${socketPath}'`]),
    ...(ca === undefined ? [] : ['--cacert', `'${ca}'`]),
    ...(insecure === true ? ['--insecure'] : []),
  ];
  return {
    url: socketPath === undefined ? printAddress(address) : `http://localhost${prefix}`,
    options,
    ...(credentials !== undefined &&
      credentialsFile !== undefined && { secrets: secretsOf(credentials, credentialsFile) }),
  };
}
