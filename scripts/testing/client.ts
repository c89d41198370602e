import { STATUS_CODES } from 'node:http';
import document from '../../generated/openapi.json';
import { exampleRequest, type Message, messageOf } from 'contract-first-server';
import { OpenApiDocument, readOperations, stringifyJson } from 'contract-first-server/tools';
import { errors } from '../../src/errors';
import type { Program } from './program';
import { TOKEN } from './plant-service';
import { bytesOf, headOf } from './wire';

/** A request that succeeds on a new server, as far as the document determines, and the status of its success. */
function readExample() {
  const described = new OpenApiDocument(document);
  const example = exampleRequest(described);
  const operation = readOperations(described).find(({ operationId }) => operationId === example?.operationId);
  const success = [...(operation?.responses.keys() ?? [])].find((status) => /^2\d\d$/.test(status));
  const [credential] = example?.credentials ?? [];
  if (!example?.body || !credential || credential.in === 'query' || success === undefined) {
    throw new Error(
      'the tests of the server need one operation whose JSON body and required parameters have examples, whose credentials ' +
        'are one secret in a header or a cookie, and which documents the status of its success',
    );
  }
  const carrier = credential.in === 'cookie' ? 'Cookie' : credential.name;
  return [example, example.body, carrier, Number(success)] as const;
}

const [REQUESTED, BODY, CARRIER, STATUS] = readExample();

/**
 * The example request, for tests that do not depend on the document. A second one to the same server may be refused.
 */
export const EXAMPLE = { ...REQUESTED, ...BODY };
export const SUCCESS = STATUS;

/** The example request with a token. Load tests send it repeatedly with other plants. */
export const exampleMessage = (token: string): Message => messageOf(REQUESTED, token);
const MESSAGE = exampleMessage(TOKEN);

/** The body of the example with some members replaced, as JSON. A member that is undefined is removed. */
export const bodyWith = ({ body = '{}' }: Message, members: object): string =>
  stringifyJson({ ...(JSON.parse(body) as object), ...members });

/** A body that the operation always refuses: 400 / 40001. */
export const MISMATCH = '7';

/** The header with a token, in the form that the security scheme of the operation requires. */
export const credentials = (token: string): Record<string, string> => ({
  [CARRIER]: messageOf(REQUESTED, token).headers[CARRIER] ?? '',
});

/** The head of the request on the wire, without the header that gives the length of the body. */
export const HEAD = headOf(MESSAGE);

/** The whole request with this body. */
export const requestOf = (text: string) => bytesOf(MESSAGE, text);
export const REQUEST = requestOf(EXAMPLE.text);

/** The head of the request with `Expect: 100-continue`, without the body. */
export const waitingRequest = (text = EXAMPLE.text) =>
  `${HEAD}Expect: 100-continue\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;

/** The start of a successful response on the wire. */
export const STATUS_LINE = `HTTP/1.1 ${SUCCESS} ${STATUS_CODES[SUCCESS]}\r\n`;

/** Sends the example or another body, with valid credentials unless `headers` replaces them. */
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
export const errorOf = async (response: Response) => errors.numberOf(await response.json());

/** The metrics of a server by name and labels. */
export async function metricsOf({ url }: Program): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/-/metrics`)).text();
  return new Map([...text.matchAll(/^(\w.*) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}
