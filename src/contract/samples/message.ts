/** The complete message of an example request, and how curl sends it. */
import type { ExampleRequest } from './example-request';

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

/** Returns the shell command that sends a message to an origin, such as `http://127.0.0.1:3000`. */
export function curlCommand(origin: string, message: Message): string {
  const { method, path, headers, body, options = [] } = message;
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const url = origin + path;
  const usual = method === (hasBody(message) ? 'POST' : 'GET');
  const [stream, ...own] = options[0] === '-N' ? options : ['', ...options];
  const head = [
    `curl -i ${[stream, usual ? '' : `-X ${method}`, /^[\w:/.-]*$/.test(url) ? url : quote(url)].filter(Boolean).join(' ')}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
    ...own.flatMap((option, i) => (i % 2 === 0 ? [`${option} ${quote(own[i + 1] ?? '')}`] : [])),
  ];
  return head.join(' \\\n    ');
}

export const hasBody = ({
  body,
  options = [],
}: Pick<Message, 'options'> & { readonly body?: unknown }): boolean =>
  body !== undefined || options.some((option) => option !== '-N');
