import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody, discardBody, readBody } from './body';
import { compileContract, type Contract, type ServedOperation } from './contract';
import type { JsonObject } from './document';
import type { Operation } from './operations';
import { type Answer, type Headers, Problem } from './problem';
import type { Encoded } from './response';
import { pathParameters } from './routes';
import type { Strategies } from './security';
import { checkWiring } from './wiring';

/** What one request came to, for logs and metrics. */
export interface Outcome {
  readonly method: string;
  /** Undefined where the document has no such operation. */
  readonly operationId: string | undefined;
  readonly status: number;
  /** Why the answer is not that of the handler. Its cause is for the log alone. */
  readonly problem: Problem | undefined;
  /** The body that the handler has returned. */
  readonly body: unknown;
  readonly milliseconds: number;
  readonly requestId: string;
}

export interface ServiceOptions {
  /** One OpenAPI 3.1 document in one piece. */
  readonly document: JsonObject;
  /** By operationId; handlers.ts has the type that each must be of. */
  readonly handlers: Readonly<Record<string, (request: never) => Promise<Answer>>>;
  readonly strategies: Strategies;
  /** Takes any error for the problem that it is. */
  readonly toProblem: (error: unknown) => Problem;
  /** Puts a problem into the error body of the contract; without an operation, the request was for none. */
  readonly render: (problem: Problem, operation?: Operation) => Answer;
  /** Bytes. */
  readonly bodyLimit: number;
  /** How many requests may be under way at once; more are refused before anything is done for them. */
  readonly maxRequests: number;
  /** What goes with every answer, whatever the document says. */
  readonly headers: Headers;
  /** What a request is called in logs; it is sent back as X-Request-Id. */
  readonly requestIdOf: (request: IncomingMessage) => string;
  /** Whether a handler may be a stub (stub.ts). */
  readonly stubs: boolean;
  /** Paths that start so are left to others; no operation may have one. */
  readonly reserved: string;
  readonly report: (outcome: Outcome) => void;
}

/** A middleware of Express; only requests to reserved paths are passed on. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Serves a document: nothing reaches a handler and nothing leaves the server unless the document allows it. The order
 * of refusal is path, method, credentials, media type, size, well-formedness, schema.
 *
 * @throws {InvalidContract} with all that is wrong
 */
export function createService(options: ServiceOptions): Middleware {
  const { document, handlers, strategies, toProblem, render, bodyLimit, maxRequests, reserved } = options;
  const contract = compileContract(document, strategies);
  checkWiring([...contract.served.values()], options);
  const always = Object.entries(options.headers);
  let underWay = 0;

  async function answer(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const started = performance.now();
    const method = request.method ?? '';
    const requestId = options.requestIdOf(request);
    let served: ServedOperation | undefined;
    let problem: Problem | undefined;
    let body: unknown;
    let encoded: Encoded;
    underWay++;
    try {
      if (underWay > maxRequests) throw overloaded(maxRequests);
      const at = url.indexOf('?');
      const found = findOperation(contract, request, at < 0 ? url : url.slice(0, at));
      served = found.served;
      const principal = await served.authenticate(request);
      const accepted = served.responses.accept(request.headers.accept);
      const received = announcesBody(request) ? await receive(request, response, served) : undefined;
      const raw = { path: found.path, query: at < 0 ? '' : url.slice(at + 1), headers: request.headers };
      const valid = served.requests.read(raw, received);
      const handler = handlers[served.operation.operationId] as (request: object) => Promise<Answer>;
      const answered = await handler({ ...valid, ...accepted.told, principal });
      body = answered.body;
      encoded = served.responses.write(answered, {}, accepted);
    } catch (error) {
      [problem, encoded] = refuse(toProblem(error), served);
    }
    underWay--;
    if (response.headersSent) return; // the server has refused the rest of the request, and reported that
    send(request, response, encoded, fieldsOf(encoded, requestId, always), bodyLimit);
    const operationId = served?.operation.operationId;
    const milliseconds = performance.now() - started;
    options.report({ method, operationId, status: encoded.status, problem, body, milliseconds, requestId });
  }

  async function receive(request: IncomingMessage, response: ServerResponse, { requests }: ServedOperation) {
    const reader = requests.accept(request.headers['content-type'], request.headers['content-encoding']);
    const bytes = await readBody(request, response, bodyLimit);
    return bytes.length > 0 ? { reader, bytes } : undefined;
  }

  /** The answer to a problem, as the operation documents it or, where it does not, as it is; and the problem told of. */
  function refuse(problem: Problem, served: ServedOperation | undefined): [Problem, Encoded] {
    const rendered = render(problem, served?.operation);
    if (served?.responses.documents(rendered.status) !== true) return [problem, asItIs(rendered, problem)];
    try {
      return [problem, served.responses.write(rendered, problem.headers)];
    } catch (error) {
      const unexpected = toProblem(error);
      return [unexpected, asItIs(render(unexpected, served.operation), unexpected)];
    }
  }

  return (request, response, next) => {
    const url = originForm(request.url ?? '');
    if (url.startsWith(reserved)) next();
    else void answer(request, response, url);
  };
}

function overloaded(maxRequests: number): Problem {
  const message = `${maxRequests} requests are under way already: try again later`;
  return new Problem('unavailable', message, { 'Retry-After': '1' });
}

/** The operation that a request is for, and what stands for the templates of its path. */
function findOperation(
  { router, served: operations }: Contract,
  { method = '', headers, httpVersion }: IncomingMessage,
  path: string,
) {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new Problem('malformed', 'the request has no Host'); // RFC 9112 section 3.2
  }
  const match = router.find(path);
  if (!match) throw new Problem('noSuchPath', 'the document has no such path');
  const route = match.target.get(method);
  const served = route && operations.get(route.operation);
  if (served) return { served, path: pathParameters(route, match.values) };
  const allow = [...match.target.keys()].join(', ');
  throw new Problem('noSuchMethod', `this path has the methods ${allow}`, { Allow: allow });
}

function asItIs(
  { status, headers, contentType = 'application/json', body }: Answer,
  problem: Problem,
): Encoded {
  return {
    status,
    headers: { ...headers, ...problem.headers, 'Content-Type': contentType },
    body: JSON.stringify(body),
  };
}

/** The origin-form of a request target; a server must accept the absolute-form too (RFC 9112 section 3.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]+([^]*)/i.exec(target)?.[1];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
}

/** Names and values of the header, in turn: put together as objects they take Node two microseconds more. */
function fieldsOf(
  { status, headers, body }: Encoded,
  requestId: string,
  always: readonly [name: string, value: string][],
): (string | number)[] {
  const fields: (string | number)[] = ['X-Request-Id', requestId];
  const own = Object.keys(headers);
  for (const [name, value] of always) {
    const lower = name.toLowerCase();
    if (!own.some((other) => other.toLowerCase() === lower)) fields.push(name, value);
  }
  for (const name of own) fields.push(name, headers[name] ?? '');
  const bodiless = status === 204 || status === 304; // RFC 9110 section 8.6
  if (!bodiless) fields.push('Content-Length', body === undefined ? 0 : Buffer.byteLength(body));
  return fields;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: Encoded,
  fields: (string | number)[],
  limit: number,
): void {
  const unread = announcesBody(request) && !request.readableEnded;
  const declared = Number(request.headers['content-length'] ?? Infinity);
  if (!unread || (declared <= limit && request.headers.expect === undefined)) {
    response.writeHead(status, fields).end(body);
    return;
  }
  // The connection is closed, but not with unread bytes in it: these would make it reset, and the answer be lost.
  response.writeHead(status, [...fields, 'Connection', 'close']);
  response.write(body ?? '');
  discardBody(request, () => response.end());
}
