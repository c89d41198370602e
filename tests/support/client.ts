import { STATUS_CODES } from 'node:http';
import document from '../../generated/openapi.json';
import { exampleRequest, messageOf, OpenApiDocument, readOperations } from '../../src/contract';
import { errorNumberOf } from '../../src/errors';
import type { Program } from './program';
import { TOKEN } from './service';
import { bytesOf, headOf } from './wire';

/** A request that should succeed on a new server, so far as the document can tell, and the status of its success. */
function readExample() {
  const example = exampleRequest(document);
  const operation = readOperations(new OpenApiDocument(document)).find(
    ({ operationId }) => operationId === example?.operationId,
  );
  const success = [...(operation?.responses.keys() ?? [])].find((status) => /^2\d\d$/.test(status));
  const [name, , place] = example?.credential ?? [];
  if (!example?.body || name === undefined || place === 'query' || success === undefined) {
    throw new Error(
      'the tests of the server need one operation whose JSON body and required parameters have examples, whose credentials ' +
        'are one secret in a header or a cookie, and which documents the status of its success',
    );
  }
  return [example, example.body, place === 'cookie' ? 'Cookie' : name, Number(success)] as const;
}

const [REQUESTED, BODY, CARRIER, STATUS] = readExample();

/** What the tests of the server send, whatever it serves. Sent again to the same server, it may be refused. */
export const EXAMPLE = { ...REQUESTED, ...BODY };
export const SUCCESS = STATUS;
const MESSAGE = messageOf(REQUESTED, TOKEN);

/** A body that the operation does not take: 400 / 40001, however often it is sent. */
export const MISMATCH = '7';

/** The header that presents a token, as the security scheme of the operation wants it. */
export const credentials = (token: string): Record<string, string> => ({
  [CARRIER]: messageOf(REQUESTED, token).headers[CARRIER] ?? '',
});

/** The request on the wire, up to what says how long its body is. */
export const HEAD = headOf(MESSAGE);

/** All of it, with this body. */
export const requestOf = (text: string) => bytesOf(MESSAGE, text);
export const REQUEST = requestOf(EXAMPLE.text);

/** All of it but the body, which the server is to ask for. */
export const waitingRequest = (text = EXAMPLE.text) =>
  `${HEAD}Expect: 100-continue\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;

/** How the answer to it begins if it succeeds. */
export const STATUS_LINE = `HTTP/1.1 ${SUCCESS} ${STATUS_CODES[SUCCESS]}\r\n`;

/** Sends the example, or another body, with good credentials unless the headers say otherwise. */
export function send(
  { url }: Program,
  headers: Readonly<Record<string, string>> = {},
  body = EXAMPLE.text,
): Promise<Response> {
  return fetch(url + EXAMPLE.path, {
    method: EXAMPLE.method,
    headers: { ...MESSAGE.headers, ...headers },
    body,
  });
}

export const portOf = ({ url }: Program) => Number(new URL(url).port);

/** The number in an error body. */
export const errorOf = async (response: Response) => errorNumberOf(await response.json());

/** What a server counts: the lines of its metrics, by name and labels. */
export async function metricsOf({ url }: Program): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/-/metrics`)).text();
  return new Map([...text.matchAll(/^(\w.*) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}
