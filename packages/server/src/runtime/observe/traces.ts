import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
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
import type { Middleware, Outcome } from '../../contract';

/** Creates OpenTelemetry spans of requests. */
export interface Traces {
  /** Wraps the service: each request is a span, and the service runs in the context of that span. */
  readonly around: (service: Middleware) => Middleware;
  /** Ends the span of a request. A hook after the response. */
  readonly afterResponse: (outcome: Outcome<string>, request: IncomingMessage) => void;
}

/** The instrumentation scope of OpenTelemetry. */
export const SCOPE = 'contract-first';
/** The context key under which instrumentations of node:http keep their span (rpc-metadata of @opentelemetry/core). */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');
interface RpcMetadata {
  readonly span: Span;
  route: string | undefined;
}
const isRpcMetadata = (value: unknown): value is RpcMetadata =>
  typeof value === 'object' && value !== null && 'span' in value;

/** Whether an instrumentation of node:http observes the request that is being served. */
export const isInstrumented = (): boolean => isRpcMetadata(context.active().getValue(RPC_METADATA));

/** The methods of RFC 9110, RFC 5789 and QUERY. Semantic conventions require `_OTHER` for any other. */
export const METHODS: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '),
);
/** The status in the log if the client disconnected before the response. No client receives it. */
export const CLIENT_LEFT = 499;

/**
 * Creates spans of requests after the semantic conventions of HTTP
 * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server). The registered propagators continue the
 * trace of a client; W3C Trace Context by default. If an instrumentation of node:http has created a span for the
 * request, that span gets the route.
 *
 * @param reserved requests whose path has this prefix get no span
 * @returns undefined if no SDK is registered: a request then has no overhead
 */
export function createTraces(reserved: string): Traces | undefined {
  if (!isRegistered()) return undefined;
  const tracer = trace.getTracer(SCOPE);
  /** The span of each request; for one of an instrumentation of node:http, its RPC metadata. */
  const spans = new WeakMap<IncomingMessage, Span | RpcMetadata>();

  function afterResponse(outcome: Outcome<string>, request: IncomingMessage): void {
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
    afterResponse,
  };
}

/** Without an SDK a tracer returns the parent span. The parent is not sampled, so no exporter records the probe. */
function isRegistered(): boolean {
  const parent = { traceId: `${'0'.repeat(31)}1`, spanId: `${'0'.repeat(15)}1`, traceFlags: TraceFlags.NONE };
  const probe = trace.getTracer(SCOPE).startSpan('probe', {}, trace.setSpanContext(ROOT_CONTEXT, parent));
  return probe.spanContext().spanId !== parent.spanId;
}

const methodOf = (method = ''): string => (METHODS.has(method) ? method : 'HTTP');

/** The attributes that a span has from its start. Queries and headers are excluded: they can contain secrets. */
function attributesOf({ method = '', url = '', socket }: IncomingMessage): Attributes {
  return {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    ...(!METHODS.has(method) && { 'http.request.method_original': method }),
    'url.path': url.split('?', 1)[0] ?? '',
    'url.scheme': schemeOf(socket),
  };
}

export const schemeOf = (socket: Socket): string => ('encrypted' in socket ? 'https' : 'http');

function describe(
  span: Span,
  { method, route, operationId, hook, status, problem, requestId }: Outcome<string>,
) {
  if (route !== undefined) span.updateName(`${methodOf(method)} ${route}`).setAttribute('http.route', route);
  if (operationId !== undefined) span.setAttribute('openapi.operation_id', operationId);
  if (hook !== undefined) span.setAttribute('contract_first.hook', hook);
  span.setAttribute('request.id', requestId);
  if (status !== CLIENT_LEFT) span.setAttribute('http.response.status_code', status);
  const error = errorOf({ status, problem });
  if (error === undefined) return;
  span.setAttribute('error.type', error);
  if (status !== CLIENT_LEFT) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The `error.type` of a request; undefined if the server did what it should. Errors of clients do not count. */
export function errorOf({
  status,
  problem,
}: Pick<Outcome<string>, 'status' | 'problem'>): string | undefined {
  if (status === CLIENT_LEFT) return 'client_left';
  const isBroken = status < 400 && problem !== undefined; // its stream broke off
  return status >= 500 || isBroken ? (problem?.kind ?? String(status)) : undefined;
}
