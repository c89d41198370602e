import type { IncomingMessage } from 'node:http';
import {
  type Attributes,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { Hooks, Middleware, Outcome } from '../contract';
import type { OwnKind } from '../errors';

/** Spans of requests, for OpenTelemetry. */
export interface Traces {
  /** The service, each of whose requests is a span: what handles it runs in the context of the span. */
  readonly around: (service: Middleware) => Middleware;
  readonly hooks: Required<Pick<Hooks<OwnKind>, 'afterResponse'>>;
}

/** The instrumentation scope, as OpenTelemetry calls it. */
const SCOPE = 'contract-first';
/** Under this key instrumentations of node:http leave their span, and read its route (rpc-metadata of @opentelemetry/core). */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');
interface RpcMetadata {
  readonly span: Span;
  route: string | undefined;
}
const isRpcMetadata = (value: unknown): value is RpcMetadata =>
  typeof value === 'object' && value !== null && 'span' in value;

/** Those of RFC 9110 and RFC 5789; semantic conventions have any other as `_OTHER`. */
const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);
/** The status of a request whose client left before its answer: it was never sent. */
const CLIENT_LEFT = 499;

/**
 * Makes spans of requests as the semantic conventions of HTTP have them
 * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server). The trace of a client is continued by the
 * propagators that are registered, W3C Trace Context by default. Where an instrumentation of node:http has made a span
 * of a request already, that one gets the route.
 *
 * @param reserved paths that start so have no spans of their own
 * @returns undefined where no SDK is registered now: then a request costs nothing more than without
 */
export function createTraces(reserved: string): Traces | undefined {
  if (!isRegistered()) return undefined;
  const tracer = trace.getTracer(SCOPE);
  /** Our spans, and of requests that an instrumentation of node:http traces what it has of them. */
  const spans = new WeakMap<IncomingMessage, Span | RpcMetadata>();

  function afterResponse(outcome: Outcome<OwnKind>, request: IncomingMessage): void {
    const found = spans.get(request);
    if (!found) return;
    if ('span' in found) {
      describe(found.span, outcome);
      found.route = outcome.route;
    } else {
      describe(found, outcome);
      found.end();
    }
  }

  return {
    around: (service) => (request, response, next) => {
      const active = context.active();
      const foreign = active.getValue(RPC_METADATA);
      if (request.url?.startsWith(reserved) === true || isRpcMetadata(foreign)) {
        if (isRpcMetadata(foreign)) spans.set(request, foreign);
        service(request, response, next);
        return;
      }
      const parent = propagation.extract(active, request.headers);
      const options = { kind: SpanKind.SERVER, attributes: attributesOf(request) };
      const span = tracer.startSpan(methodOf(request.method), options, parent);
      spans.set(request, span);
      context.with(trace.setSpan(parent, span), service, undefined, request, response, next);
    },
    hooks: { afterResponse },
  };
}

/** Without an SDK a tracer only hands on the parent that it is given. One that is not sampled is not recorded with any. */
function isRegistered(): boolean {
  const parent = { traceId: `${'0'.repeat(31)}1`, spanId: `${'0'.repeat(15)}1`, traceFlags: TraceFlags.NONE };
  const probe = trace.getTracer(SCOPE).startSpan('probe', {}, trace.setSpanContext(ROOT_CONTEXT, parent));
  return probe.spanContext().spanId !== parent.spanId;
}

const methodOf = (method = ''): string => (METHODS.has(method) ? method : 'HTTP');

/** What is known when a request begins. No query and no header: they may have secrets. */
function attributesOf({ method = '', url = '', socket }: IncomingMessage): Attributes {
  return {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    ...(!METHODS.has(method) && { 'http.request.method_original': method }),
    'url.path': url.split('?', 1)[0] ?? '',
    'url.scheme': 'encrypted' in socket ? 'https' : 'http',
  };
}

function describe(span: Span, { method, route, operationId, status, problem, requestId }: Outcome<OwnKind>) {
  if (route !== undefined) span.updateName(`${methodOf(method)} ${route}`).setAttribute('http.route', route);
  if (operationId !== undefined) span.setAttribute('openapi.operation_id', operationId);
  span.setAttribute('request.id', requestId);
  if (status === CLIENT_LEFT) {
    span.setAttribute('error.type', 'client_left');
    return;
  }
  span.setAttribute('http.response.status_code', status);
  if (status < 500) return; // what a client did wrong is no error of a server
  span.setAttribute('error.type', problem?.kind ?? String(status)).setStatus({ code: SpanStatusCode.ERROR });
}
