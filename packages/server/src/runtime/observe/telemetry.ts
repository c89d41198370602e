/** Loads what reports to OpenTelemetry on demand: most services have no SDK, and its API alone is 47 modules. */
import { createRequire } from 'node:module';
import type * as durations from './durations';
import type * as traces from './traces';

const onDemand = createRequire(__filename);
/** Where any 1.x of @opentelemetry/api keeps what an SDK registers, in its internal/global-utils. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** Undefined if nothing is registered: a request then has no overhead. */
export interface Telemetry {
  readonly traces: traces.Traces | undefined;
  readonly durations: ReturnType<typeof durations.createDurations>;
}

/** @param reserved requests whose path has this prefix get no span */
export function createTelemetry(reserved: string): Telemetry {
  if (!(REGISTERED in globalThis)) return { traces: undefined, durations: undefined };
  const { createTraces } = onDemand('./traces') as typeof traces;
  const { createDurations } = onDemand('./durations') as typeof durations;
  return { traces: createTraces(reserved), durations: createDurations() };
}
