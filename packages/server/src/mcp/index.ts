/** `/mcp`: each operation as a tool of the Model Context Protocol, by the same pipeline as a request of HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
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
import { type CreateMcp, isAllowed, metadataOf, METADATA, PATH } from './access';
import { createCaller, Rejected } from './call';
import { pairsOf } from './in-process';
import { createProtocol, type Posted } from './protocol';
import { offerOf } from './tools';

const NO_CALL = { operationId: undefined, hook: undefined, brokenAt: undefined, body: undefined };
const STATUS: Readonly<Record<string, number>> = { malformed: 400, tooLarge: 413 };

/** @throws the error, unless it is the fault of a client */
function rejectedOf(error: unknown): Rejected & { readonly problem?: Problem } {
  if (error instanceof Rejected) return error;
  if (error instanceof MalformedJson) return new Rejected(400, error.message, {}, -32_700);
  const problem = error instanceof Problem ? (error as Problem) : undefined;
  const status = STATUS[problem?.kind ?? ''];
  if (!problem || status === undefined) throw error;
  return Object.assign(new Rejected(status, problem.message, problem.headers), { problem });
}

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
 * @throws {InvalidContract} if the document uses a path that is reserved now, or one name for two tools
 */
export const createMcp: CreateMcp = (options) => {
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
    const fieldsOf = (headers: Sent) => ({ ...options.headers, 'X-Request-Id': requestId, ...headers });
    const report = (status: number, problem?: Problem) => {
      if (caller.hasCalled) return;
      const [milliseconds, { method = '' }] = [performance.now() - started, request];
      const outcome = {
        method,
        route: PATH,
        stage: 'respond',
        status,
        problem,
        milliseconds,
        requestId,
      } as const;
      options.report({ ...NO_CALL, ...outcome });
    };
    const answer = (status: number, body: string, headers: Sent, problem?: Problem) => {
      send(request, response, status, Object.entries(fieldsOf(headers)).flat(), body, bodyLimit, fault);
      report(status, problem);
    };
    underWay++;
    try {
      if (!isAllowed(options, request))
        throw new Rejected(403, 'pages of this origin may not ask: CORS_ORIGINS has those that may');
      if (underWay > maxRequests)
        throw new Rejected(503, `${maxRequests} requests are under way: try again later`, {
          'Retry-After': '1',
        });
      const message = await messageOf(request, response);
      const { id = null, method: called, params } = isObject(message) ? message : {};
      caller.id = id;
      const isSubscription = called === 'subscriptions/listen';
      const signals = [left.signal, ...(isSubscription && options.stopping ? [options.stopping] : [])];
      const { method = '', rawHeaders } = request;
      const init = {
        method,
        headers: new Headers(pairsOf(rawHeaders).map(([...pair]) => pair)),
        signal: AbortSignal.any(signals),
      };
      const posted = new Request(`http://localhost${PATH}`, init);
      posts.set(posted, { call: caller.call, params });
      const answered = await protocol.fetch(posted, message === undefined ? {} : { parsedBody: message });
      const { status, body } = answered;
      const { 'content-type': type, allow } = Object.fromEntries(answered.headers);
      const headers = { ...(type && { 'Content-Type': type }), ...(allow && { Allow: allow }) };
      if (isSubscription && body && type === 'text/event-stream') {
        underWay--; // it stays open, and the protocol bounds how many do
        report(status);
        await pipeline(body, response.writeHead(status, fieldsOf(headers))).finally(() => underWay++);
        return;
      }
      const text = await answered.text();
      if (caller.rejection) throw caller.rejection;
      const cause = status < 500 ? undefined : { cause: failure };
      answer(status, text, headers, cause && new Problem('unexpected', 'the protocol failed', {}, cause));
    } catch (error) {
      if (left.signal.aborted) return;
      const { status, code, message, headers, problem } = rejectedOf(error);
      const body = JSON.stringify({ jsonrpc: '2.0', id: caller.id, error: { code, message } });
      answer(status, body, { 'Content-Type': 'application/json', ...headers }, problem);
    } finally {
      underWay--;
    }
  }

  /** The message of a POST, in which each number is exact; undefined if it has no body. */
  async function messageOf(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const bounds = { limit: bodyLimit, itemLimit: bodyLimit, patience: undefined, hold: () => true };
    const body = new IncomingBody(request, response, bounds, fault);
    body.assertDeclared();
    const holder: Holder = {};
    const bytes = await body.bytes();
    if (bytes.length > 0) parseJson(bytes.toString(), holder, 'message');
    // One revision has them, and one credential may be accepted for a part of their calls.
    if (Array.isArray(holder['message']))
      throw new Rejected(400, 'expected one message, got several: send each in a POST of its own');
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
};

/** @throws {InvalidContract} */
function assertFree({ served }: Contract): void {
  const taken = [...served.keys()].filter(({ paths }) =>
    paths.some((path) => path === PATH || path === METADATA),
  );
  const message = `${PATH} and ${METADATA} are reserved while MCP is set: unset it, or use another path`;
  if (taken.length > 0) throw new InvalidContract(taken.map(({ pointer }) => ({ pointer, message })));
}
