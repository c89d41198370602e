import type { IncomingMessage } from 'node:http';
import { type Attributes, createNoopMeter, metrics, ValueType } from '@opentelemetry/api';
import type { Outcome } from '../../contract';
import { CLIENT_LEFT, errorOf, isInstrumented, METHODS, SCOPE, schemeOf } from './traces';

/** Seconds, as the semantic conventions advise. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Creates a hook after the response that records `http.server.request.duration` of OpenTelemetry
 * (https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration). An instrumentation of
 * node:http records the same metric, so its requests are left to it.
 *
 * @returns undefined if no meter provider is registered: a request then has no overhead
 */
export function createDurations():
  ((outcome: Outcome<string>, request: IncomingMessage) => void) | undefined {
  const meter = metrics.getMeter(SCOPE);
  if (meter === createNoopMeter()) return undefined;
  const histogram = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  return function durations(outcome, request) {
    if (!isInstrumented()) histogram.record(outcome.milliseconds / 1000, attributesOf(outcome, request));
  };
}

function attributesOf(
  { method, route, status, problem }: Outcome<string>,
  { httpVersion, socket }: IncomingMessage,
): Attributes {
  const error = errorOf({ status, problem });
  return {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'url.scheme': schemeOf(socket),
    'network.protocol.version': httpVersion,
    ...(route !== undefined && { 'http.route': route }),
    ...(status !== CLIENT_LEFT && { 'http.response.status_code': status }),
    ...(error !== undefined && { 'error.type': error }),
  };
}
