import { header, type RawRequest } from './message';
import type { Secret } from './secrets';

/** The server that a curl line addresses. */
export interface CurlServer {
  /** Scheme and authority; a shell word in double quotes, so that it may contain a variable. */
  readonly url: string;
  /** More options, as words of the shell: `--unix-socket /run/api.sock`. */
  readonly options?: readonly string[];
  /** The line contains the shell expression of a secret instead of its value. */
  readonly secrets?: readonly Secret[];
}

/** For a server whose port changes with each start: the variable BASE overrides the default port of a service. */
export const DEFAULT_SERVER: CurlServer = { url: '${BASE:-http://127.0.0.1:3000}' };

/** Characters of a request target that curl sends as they are. */
const PLAIN_TARGET = /^\/[\w\-.~!$&'()*+,;=:@%/?]*$/;

/** Bytes. A longer body comes from a pipe. */
const MAX_INLINE_BODY = 10_000;

/** A line for bash that sends the same request. It stands alone: everything that it needs is in it. */
export function curlCommand(request: RawRequest, server: CurlServer = DEFAULT_SERVER): string {
  const quote = (text: string): string => quoteWithSecrets(text, server.secrets ?? []);
  const { body, target } = request;
  const isInline = body && body.length < MAX_INLINE_BODY && /^[\x20-\x7e]*$/.test(body.toString('latin1'));
  const isPlain = PLAIN_TARGET.test(target);
  const parts = [
    'curl -i --path-as-is',
    ...(server.options ?? []),
    request.method === 'HEAD' ? '-I' : `-X ${request.method}`,
    ...request.headers.map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(request.sending === 'chunked' || request.sending === 'bytewise'
      ? [`-H 'Transfer-Encoding: chunked'`]
      : []),
    ...(body && header(request, 'content-type') === undefined ? [`-H 'Content-Type:'`] : []),
    // `--data-binary` would read a file if the body starts with @.
    ...(body ? [isInline ? `--data-raw ${quote(body.toString('latin1'))}` : '--data-binary @-'] : []),
    ...(isPlain ? [] : [`--request-target ${quote(target)}`]),
    `"${server.url}"${isPlain ? quote(target) : '/'}`,
  ];
  if (!body || isInline) return parts.join(' ');
  return `${printCommand(body)} | ${parts.join(' ')}`;
}

/** A word of the shell with the expression of each secret in the place of its value. */
function quoteWithSecrets(text: string, secrets: readonly Secret[]): string {
  for (const { value, expression } of secrets) {
    const at = text.indexOf(value);
    if (at < 0) continue;
    const parts = [text.slice(0, at), text.slice(at + value.length)];
    const [before = '', after = ''] = parts.map((part) =>
      part === '' ? '' : quoteWithSecrets(part, secrets),
    );
    return `${before}"$(${expression})"${after}`;
  }
  return quoteWord(text);
}

/** A word of bash with exactly these bytes (one for each character, as on the wire). */
export function quoteWord(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replace(
    /[^\x20-\x7e]|['\\]/g,
    (character) => `\\x${(character.charCodeAt(0) & 0xff).toString(16).padStart(2, '0')}`,
  );
  return `$'${escaped}'`;
}

/** A command that prints the bytes. It generates a long run of one byte at the end, as in a padded body. */
function printCommand(body: Buffer): string {
  const last = body.at(-1) ?? 0;
  let run = 0;
  while (run < body.length && body[body.length - 1 - run] === last) run++;
  if (run < 1000) return `printf %s '${body.toString('base64')}' | base64 -d`;
  const tail = `head -c ${run} /dev/zero | tr '\\0' '\\${last.toString(8).padStart(3, '0')}'`;
  return `{ ${printCommand(Buffer.concat([body.subarray(0, -run)]))}; ${tail}; }`;
}
