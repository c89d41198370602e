import type { RawRequest } from './message';

/** A shell line that sends the same request to the server at `$BASE`. */
export function curlCommand(request: RawRequest): string {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const { body } = request;
  const isPrintable = body && /^[\x20-\x7e]*$/.test(body.toString('latin1')) && body.length < 10_000;
  const parts = [
    'curl -i --path-as-is',
    request.method === 'HEAD' ? '-I' : `-X ${request.method}`,
    ...request.headers.map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(request.sending === 'chunked' ? [`-H 'Transfer-Encoding: chunked'`] : []),
    ...(body && !request.headers.some(([name]) => name.toLowerCase() === 'content-type')
      ? [`-H 'Content-Type:'`]
      : []),
    ...(body ? [isPrintable ? `--data-binary ${quote(body.toString('latin1'))}` : '--data-binary @-'] : []),
    `"$BASE"${quote(request.target)}`,
  ];
  if (!body || isPrintable) return parts.join(' ');
  return `${printCommand(body)} | ${parts.join(' ')}`;
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
