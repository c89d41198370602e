import type { MetricObject, MetricValueWithName, Registry as Registered } from '@prometheus-io/client';
// Its index loads ways to push and to aggregate too, and with them TLS: 12 ms and 2 MB of each start.
import Counter from '@prometheus-io/client/lib/counter';
import collectDefaultMetrics from '@prometheus-io/client/lib/defaultMetrics';
import Gauge from '@prometheus-io/client/lib/gauge';
import Histogram from '@prometheus-io/client/lib/histogram';
import Registry from '@prometheus-io/client/lib/registry';
import type { StoreObserver } from 'contract-first-database';

type Labels = Readonly<Record<string, string | number>>;

/** A metric and its values: what processes send each other. */
type Measured = Omit<MetricObject, 'collect'> & { readonly values: MetricValueWithName<string>[] };
/** The metrics of one process. */
export type Snapshot = readonly Measured[];

interface Series {
  readonly labels: Labels;
  /** The number of durations within each bound, without those within a smaller one; last those beyond all bounds. */
  readonly counts: number[];
  /** Seconds. */
  sum: number;
}

/**
 * A Prometheus histogram of durations (https://prometheus.io/docs/instrumenting/exposition_formats/). The histogram of the
 * client library builds a text of the labels for each observation. This one builds it once for each observer.
 */
export class Durations {
  /** By the text of their labels. */
  private readonly all = new Map<string, Series>();

  /** @param bounds seconds, the least first */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
  ) {}

  /** Creates the function that adds a duration, in milliseconds, to the series with these labels. */
  observer(labels: Labels): (milliseconds: number) => void {
    const key = JSON.stringify(labels);
    const series = this.all.get(key) ?? { labels, counts: [...this.bounds, Infinity].map(() => 0), sum: 0 };
    this.all.set(key, series);
    return (milliseconds) => {
      const seconds = milliseconds / 1000;
      const within = this.bounds.findIndex((bound) => seconds <= bound);
      const at = within < 0 ? this.bounds.length : within;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += seconds;
    };
  }

  /** As the client library has it. */
  get(): Measured {
    const { name, help, bounds } = this;
    const values = [...this.all.values()].flatMap(({ labels, counts, sum }) => {
      let count = 0;
      const buckets = counts.map((own, at) => ({
        metricName: `${name}_bucket`,
        labels: { le: bounds[at] ?? '+Inf', ...labels },
        value: (count += own),
      }));
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}

/** The metrics of several processes together: sums, but for the age and the delays of processes. */
export const sumOf = (snapshots: readonly Snapshot[]): Registered =>
  Registry.aggregate(snapshots.map((snapshot) => [...snapshot]));

/** What only grows. The gauges of a process end with it. */
export const countsOf = (snapshot: Snapshot): Snapshot => snapshot.filter(({ type }) => type !== 'gauge');

/** How the library joins a metric that has no sum, and how it is joined here: by the oldest process and the longest delay. */
const JOINED = { omit: 'min', average: 'max' } as const;
const joined = (metric: Measured): Measured =>
  metric.aggregator === 'omit' || metric.aggregator === 'average'
    ? { ...metric, aggregator: JOINED[metric.aggregator] }
    : metric;

/** The metrics for Prometheus (https://prometheus.io/docs/practices/naming/). No label has a value from a client. */
export interface Metrics {
  /** Creates what counts requests, in milliseconds. `operationId` is undefined if they match no operation. */
  readonly requests: (operationId: string | undefined, status: number) => (milliseconds: number) => void;
  /** Counts a response with this error number. */
  readonly refusal: (error: number) => void;
  /** Counts a connection that was closed because MAX_CONNECTIONS were open. */
  readonly droppedConnection: () => void;
  /** Counts a connection that was closed because its client did not read its response. */
  readonly unreadConnection: (reason: string) => void;
  /** Counts a stream that broke off because of its handler: an item that is not as documented, an error, or none in time. */
  readonly brokenStream: (operationId: string) => void;
  /** Counts a call of a deprecated operation. */
  readonly deprecatedCall: (operationId: string) => void;
  /** Counts a request that the store of the rate limit could not count. */
  readonly uncountedRequest: () => void;
  readonly store: StoreObserver;
  /** All metrics of this process. */
  readonly snapshot: () => Promise<Snapshot>;
  /** The same in the text format of Prometheus; `contentType` is its media type. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** Seconds. A create takes less than a millisecond on an idle server; after ten seconds its client has left. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry }); // process, memory, garbage collection, event loop lag
  const requests = new Durations(
    'http_request_duration_seconds',
    'From the head of a request to its response, by operationId and status.',
    DURATIONS,
  );
  const refusals = new Counter({
    name: 'http_refusals_total',
    help: 'Responses with an error body, by its number.',
    labelNames: ['error'],
    registers,
  });
  const dropped = new Counter({
    name: 'http_dropped_connections_total',
    help: 'Connections closed at once because MAX_CONNECTIONS were open.',
    registers,
  });
  const unread = new Counter({
    name: 'http_unread_connections_total',
    help: 'Connections closed because their clients did not read their responses, by reason: timeout or memory.',
    labelNames: ['reason'],
    registers,
  });
  const broken = new Counter({
    name: 'http_streams_broken_total',
    help: 'Responses that broke off at an item that failed, did not conform to the document, or did not come in time, by operationId.',
    labelNames: ['operation_id'],
    registers,
  });
  const deprecated = new Counter({
    name: 'http_deprecated_calls_total',
    help: 'Accepted requests to deprecated operations, by operationId.',
    labelNames: ['operation_id'],
    registers,
  });
  const uncounted = new Counter({
    name: 'rate_limit_uncounted_total',
    help: 'Requests rejected or allowed without a count, because RATE_LIMIT_STORE was unavailable.',
    registers,
  });
  const commits = new Histogram({
    name: 'store_commit_duration_seconds',
    help: 'How long the commits of the store took, by outcome.',
    labelNames: ['outcome'],
    buckets: DURATIONS,
    registers,
  });
  const batches = new Histogram({
    name: 'store_batch_size',
    help: 'Creations that shared a commit.',
    buckets: SIZES,
    registers,
  });
  let waiting = 0;
  new Gauge({
    name: 'store_waiting_creates',
    help: 'Creations that wait for their commit.',
    registers,
    collect() {
      this.set(waiting);
    },
  });
  const snapshot = async () => [...(await registry.getMetricsAsJSON()), requests.get()].map(joined);
  return {
    requests: (operationId = 'none', status) => requests.observer({ operation_id: operationId, status }),
    refusal: (error) => {
      refusals.inc({ error });
    },
    droppedConnection: () => {
      dropped.inc();
    },
    unreadConnection: (reason) => {
      unread.inc({ reason });
    },
    brokenStream: (operationId) => {
      broken.inc({ operation_id: operationId });
    },
    deprecatedCall: (operationId) => {
      deprecated.inc({ operation_id: operationId });
    },
    uncountedRequest: () => {
      uncounted.inc();
    },
    store: {
      waiting: (count) => {
        waiting = count;
      },
      committed: (count, milliseconds, outcome) => {
        commits.observe({ outcome }, milliseconds / 1000);
        batches.observe(count);
      },
    },
    snapshot,
    text: async () => sumOf([await snapshot()]).metrics(),
    contentType: registry.contentType,
  };
}
