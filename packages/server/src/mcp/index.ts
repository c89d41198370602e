/** `/mcp`: each operation as a tool of the Model Context Protocol, by the same pipeline as a request of HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import {
  type Contract,
  type Holder,
  IncomingBody,
  isObject,
  MalformedJson,
  OpenApiDocument,
  parseJson,
  readOperations,
  send,
} from '../contract/tools';
import { type Headers as Sent, InvalidContract, type Middleware, Problem, requestIdOf } from '../contract';
import { isAllowed, metadataOf, METADATA, PATH } from './access';
import { createCaller, type McpOptions } from './call';
import { createProtocol, type Posted } from './protocol';
import { offerOf } from './tools';

export type { McpOptions } from './call';

const STATUS: Readonly<Record<string, number>> = { malformed: 400, tooLarge: 413, unavailable: 503 };
/** Pages of the origins that `isAllowed` admits (https://fetch.spec.whatwg.org/#http-cors-protocol). */
const allowPages = cors({
  origin: true,
  methods: ['POST'],
  exposedHeaders: ['X-Request-Id', 'WWW-Authenticate', 'Retry-After'],
  maxAge: 600,
});

/**
 * Creates the part of a service that serves `/mcp`.
 *
 * @returns `leftOut` has a sentence for each operation, or part of one, that is no tool
 * @throws {InvalidContract} if the document uses a path that is reserved now, or one name for two tools
 */
export function createMcp(options: McpOptions) {
  const { contract, mode, bodyLimit, maxRequests, fault } = options;
  assertFree(contract);
  const document = new OpenApiDocument(contract.document.root); // what is read of answers adds findings
  const operations = readOperations(document);
  const { tools, leftOut } = offerOf(document, operations, mode);
  const callerFor = createCaller(document, operations, options);
  const posts = new WeakMap<Request, Posted>();
  let failure: Error | undefined;
  const protocol = createProtocol(document, tools, posts, (error) => {
    failure = error;
  });
  let underWay = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const requestId = requestIdOf(request);
    const left = new AbortController();
    response.once('close', () => {
      left.abort();
    });
    const caller = callerFor(request, requestId, left.signal);
    const answer = (status: number, body: string, headers: Sent, problem?: Problem) => {
      const fields = { ...options.headers, 'X-Request-Id': requestId, ...headers };
      send(request, response, status, Object.entries(fields).flat(), body, bodyLimit, fault);
      if (caller.hasCalled) return;
      const milliseconds = performance.now() - started;
      const { method = '' } = request;
      const none = { operationId: undefined, hook: undefined, brokenAt: undefined, body: undefined };
      options.report({
        ...none,
        method,
        route: PATH,
        stage: 'respond',
        status,
        problem,
        milliseconds,
        requestId,
      });
    };
    const reject = (status: number, code: number, message: string, headers: Sent = {}, problem?: Problem) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: caller.id, error: { code, message } });
      answer(status, body, { 'Content-Type': 'application/json', ...headers }, problem);
    };
    underWay++;
    try {
      if (underWay > maxRequests)
        throw new Problem('unavailable', `${maxRequests} requests are under way: try again later`, {
          'Retry-After': '1',
        });
      if (!isAllowed(options, request)) {
        reject(403, -32_000, 'pages of this origin may not ask: CORS_ORIGINS has those that may');
        return;
      }
      const message = await messageOf(request, response);
      // Batches are of one revision only, and one credential may be accepted for a part of their calls.
      if (Array.isArray(message)) {
        reject(400, -32_600, 'expected one message, got several: send each in a POST of its own');
        return;
      }
      if (isObject(message)) caller.id = message['id'] ?? null;
      const { method = '', rawHeaders } = request;
      const headers = new Headers();
      for (let i = 0; i < rawHeaders.length; i += 2)
        headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
      const posted = new Request(`http://localhost${PATH}`, { method, headers, signal: left.signal });
      posts.set(posted, { call: caller.call, params: isObject(message) ? message['params'] : undefined });
      const answered = await protocol.fetch(posted, message === undefined ? {} : { parsedBody: message });
      const body = await answered.text();
      const { rejection } = caller;
      if (rejection) {
        const words =
          rejection.status === 401 ? 'other credentials are needed' : 'the credentials do not allow this';
        reject(rejection.status, -32_000, words, rejection.headers);
        return;
      }
      const problem =
        answered.status >= 500
          ? new Problem('unexpected', 'the protocol failed', {}, { cause: failure })
          : undefined;
      const { 'content-type': type, allow } = Object.fromEntries(answered.headers);
      answer(
        answered.status,
        body,
        { ...(type && { 'Content-Type': type }), ...(allow && { Allow: allow }) },
        problem,
      );
    } catch (error) {
      if (left.signal.aborted) return;
      if (error instanceof MalformedJson)
        reject(400, -32_700, `the body is not well-formed JSON: ${error.message}`);
      else {
        const problem = error instanceof Problem ? (error as Problem) : undefined;
        const status = STATUS[problem?.kind ?? ''];
        if (!problem || status === undefined) throw error;
        reject(status, -32_000, problem.message, problem.headers, problem);
      }
    } finally {
      underWay--;
    }
  }

  /** The message of a POST, in which each number is exact; undefined if it has no body. */
  async function messageOf(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const bounds = { limit: bodyLimit, itemLimit: bodyLimit, patience: undefined, hold: () => true };
    const body = new IncomingBody(request, response, bounds, fault);
    body.assertDeclared();
    const bytes = await body.bytes();
    const holder: Holder = {};
    if (bytes.length > 0) parseJson(bytes.toString(), holder, 'message');
    return holder['message'];
  }

  const middleware: Middleware = (request, response, next) => {
    const path = request.url?.split('?', 1)[0];
    if (path === METADATA) {
      const metadata = metadataOf(document, options, request);
      const headers = {
        ...options.headers,
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'application/json',
      };
      const body = JSON.stringify(metadata ?? { error: 'no issuer is configured' });
      send(request, response, metadata ? 200 : 404, Object.entries(headers).flat(), body, bodyLimit, fault);
      return;
    }
    if (path !== PATH) {
      next();
      return;
    }
    const goOn = () => {
      serve(request, response).catch((error: unknown) => {
        fault(error);
        response.destroy();
      });
    };
    if (isAllowed(options, request)) allowPages(request, response, goOn);
    else goOn();
  };
  return { middleware, leftOut };
}

/** @throws {InvalidContract} */
function assertFree({ served }: Contract): void {
  const taken = [...served.keys()].filter(({ paths }) =>
    paths.some((path) => path === PATH || path === METADATA),
  );
  const message = `${PATH} and ${METADATA} are reserved while MCP is set: unset it, or use another path`;
  if (taken.length > 0) throw new InvalidContract(taken.map(({ pointer }) => ({ pointer, message })));
}
