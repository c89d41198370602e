/** `/mcp`: each operation as a tool of the Model Context Protocol, by the same pipeline as a request of HTTP. */
import { AsyncLocalStorage } from 'node:async_hooks';
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
import { isAllowed, type McpOptions, metadataOf, METADATA, PATH } from './access';
import { createCaller, Rejected } from './call';
import { createProtocol, type Posted } from './protocol';
import { offerOf } from './tools';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const RETRY = { 'Retry-After': '1' };
const NO_CALL = { operationId: undefined, hook: undefined, brokenAt: undefined, body: undefined };

/** @throws the error, unless it is the fault of a client */
function rejectedOf(error: unknown): Rejected {
  if (error instanceof Rejected) return error;
  if (error instanceof MalformedJson) return new Rejected(400, error.message, {}, -32_700);
  if (!(error instanceof Problem)) throw error;
  return new Rejected(error.kind === 'tooLarge' ? 413 : 400, error.message, error.headers, undefined, error);
}

/**
 * Creates the part of a service that serves `/mcp`.
 *
 * @throws {InvalidContract} if the document uses a path that is reserved now, or one name for two tools
 */
export function createMcp(options: McpOptions): Middleware {
  const { contract, bodyLimit, maxRequests, fault } = options;
  assertFree(contract);
  const document = new OpenApiDocument(contract.document.root); // what is read of answers adds findings
  const operations = readOperations(document);
  const { tools, leftOut } = offerOf(document, operations, options.mode);
  options.onLeftOut(leftOut);
  const callerFor = createCaller(document, operations, options);
  const posts = new WeakMap<Request, Posted>();
  /** The last error of the protocol in each POST: others may be under way. */
  const failures = new AsyncLocalStorage<{ error?: Error }>();
  const protocol = createProtocol(document, tools, posts, (error) => {
    Object.assign(failures.getStore() ?? {}, { error });
  });
  let underWay = 0;

  /** Pages of the origins that `isAllowed` admits (https://fetch.spec.whatwg.org/#http-cors-protocol). */
  const allowPages = cors<IncomingMessage>((request, decide) => {
    const exposedHeaders = ['X-Request-Id', 'WWW-Authenticate', 'Retry-After'];
    decide(null, { origin: isAllowed(options, request), methods: ['POST'], exposedHeaders, maxAge: 600 });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const requestId = requestIdOf(request);
    const left = new AbortController();
    response.once('close', () => {
      left.abort();
    });
    const caller = callerFor(request, requestId, left.signal);
    let id: unknown = null;
    const report = (status: number, problem?: Problem) => {
      if (caller.hasCalled) return;
      const { method = '' } = request;
      const call = { ...NO_CALL, method, route: PATH, stage: 'respond' } as const;
      const milliseconds = performance.now() - started;
      options.report({ ...call, status, problem, milliseconds, requestId });
    };
    const fieldsOf = (headers: Sent) => ({ ...options.headers, 'X-Request-Id': requestId, ...headers });
    const answer = (status: number, body: string, headers: Sent, problem?: Problem) => {
      send(request, response, status, Object.entries(fieldsOf(headers)).flat(), body, bodyLimit, fault);
      report(status, problem);
    };
    underWay++;
    try {
      if (!isAllowed(options, request))
        throw new Rejected(403, 'pages of this origin may not ask: CORS_ORIGINS has those that may');
      if (underWay > maxRequests)
        throw new Rejected(503, `${maxRequests} requests are under way: try again later`, RETRY);
      const message = await messageOf(request, response);
      const { method, params, ...others } = isObject(message) ? message : {};
      id = others['id'] ?? null;
      const isSubscription = method === 'subscriptions/listen';
      const signals = [left.signal, ...(isSubscription && options.stopping ? [options.stopping] : [])];
      const fields = Object.entries(request.headersDistinct);
      const posted = new Request(`http://localhost${PATH}`, {
        method: request.method ?? '',
        headers: fields.map(([name, lines = []]) => [name, lines.join(', ')]),
        signal: AbortSignal.any(signals),
      });
      posts.set(posted, { call: caller.call, params });
      const failed: { error?: Error } = {};
      const answered = await failures.run(failed, () =>
        protocol.fetch(posted, message === undefined ? {} : { parsedBody: message }),
      );
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
      const cause = status < 500 ? undefined : { cause: failed.error };
      answer(status, text, headers, cause && new Problem('unexpected', 'the protocol failed', {}, cause));
    } catch (error) {
      if (left.signal.aborted) return;
      const { status, code, message, headers, problem } = rejectedOf(error);
      const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
      answer(status, body, { ...JSON_TYPE, ...headers }, problem);
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

  return (request, response, next) => {
    const path = request.url?.split('?', 1)[0];
    if (path === PATH) {
      allowPages(request, response, () => {
        serve(request, response).catch((error: unknown) => {
          fault(error);
          response.destroy();
        });
      });
    } else if (path === METADATA) {
      const metadata = metadataOf(document, options, request);
      const headers = { ...options.headers, ...JSON_TYPE, 'Access-Control-Allow-Origin': '*' };
      const body = JSON.stringify(metadata ?? { error: 'no issuer is configured' });
      send(request, response, metadata ? 200 : 404, Object.entries(headers).flat(), body, bodyLimit, fault);
    } else next();
  };
}

/** @throws {InvalidContract} */
function assertFree({ served }: Contract): void {
  const taken = [...served.keys()].filter(({ paths }) => paths.includes(PATH) || paths.includes(METADATA));
  const message = `${PATH} and ${METADATA} are reserved while MCP is set: unset it, or use another path`;
  if (taken.length > 0) throw new InvalidContract(taken.map(({ pointer }) => ({ pointer, message })));
}
