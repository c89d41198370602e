/** Example requests, their complete messages, and how curl sends them. */
import type { SchemeKind } from '../operations/alternatives';

/** An example request without the secret that it needs. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly method: string;
  /** With the required query. */
  readonly path: string;
  /** The required headers and cookies. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The places of the secrets of the first security alternative that has a place for each. Empty: none are needed. */
  readonly credentials: readonly Credential[];
  /** A text with its media type. */
  readonly body?: { readonly contentType: string; readonly text: string };
  /** Further options of curl, and their values: a form of several parts, a file, a response that is a stream. */
  readonly options?: readonly string[];
}

/** What a body adds to a request. */
export type ExampleBody = Pick<ExampleRequest, 'body' | 'options' | 'headers'>;

/** The place of the secret of a security scheme (OpenAPI 3.1 section 4.8.27). */
export interface Credential {
  /** The name of the security scheme. */
  readonly scheme: string;
  readonly kind: SchemeKind;
  readonly in: 'header' | 'query' | 'cookie';
  /** The name of the header, the query parameter or the cookie. */
  readonly name: string;
}

/** A complete request. */
export interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Further options of curl, and their values. */
  readonly options?: readonly string[];
}

/**
 * Completes an example request.
 *
 * @param secret a token, an API key, or `user:password` (without a colon, a user without a password), for all security
 *   schemes or by the name of the scheme; undefined to send no credentials
 */
export function messageOf(
  { method, path, credentials, body, ...example }: ExampleRequest,
  secret?: string | ((scheme: string) => string | undefined),
): Message {
  const headers: Record<string, string> = {
    ...example.headers,
    ...(body && { 'Content-Type': body.contentType }),
  };
  let target = path;
  for (const { scheme, kind, in: place, name } of credentials) {
    const value = typeof secret === 'function' ? secret(scheme) : secret;
    if (value === undefined) continue;
    const previous = headers['Cookie'] === undefined ? '' : `${headers['Cookie']}; `;
    if (place === 'query')
      target += `${target.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    else if (place === 'cookie') headers['Cookie'] = `${previous}${name}=${value}`;
    else headers[name] = kind === 'apiKey' ? value : kind === 'basic' ? basic(value) : `Bearer ${value}`;
  }
  const { options } = example;
  return { method, path: target, headers, body: body?.text, ...(options && { options }) };
}

/** RFC 7617 section 2. */
const basic = (secret: string): string =>
  `Basic ${Buffer.from(secret.includes(':') ? secret : `${secret}:`).toString('base64')}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A text as one word of a POSIX shell, in quotes if it needs them. */
export const shellWord = (text: string): string => (/^[\w:/.@-]+$/.test(text) ? text : quoted(text));

/** Returns the shell command that sends a message to an origin, such as `http://127.0.0.1:3000`. */
export function curlCommand(origin: string, message: Message): string {
  const { method, path, headers, body, options = [] } = message;
  const url = origin + path;
  const usual = method === (hasBody(message) ? 'POST' : 'GET');
  const [stream, ...own] = options[0] === '-N' ? options : ['', ...options];
  const head = [
    `curl -i ${[stream, usual ? '' : `-X ${method}`, shellWord(url)].filter(Boolean).join(' ')}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
    ...own.flatMap((option, i) => (i % 2 === 0 ? [`${option} ${quoted(own[i + 1] ?? '')}`] : [])),
  ];
  return head.join(' \\\n    ');
}

export const hasBody = ({
  body,
  options = [],
}: Pick<Message, 'options'> & { readonly body?: unknown }): boolean =>
  body !== undefined || options.some((option) => option !== '-N');
