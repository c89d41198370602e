import { Histogram, Registry } from '@prometheus-io/client';
import { Durations, sumOf } from '../../src/runtime/observe/metrics';

const BOUNDS = [0.001, 0.01, 0.1];

/** Each series on a line, in an order of its own. */
const seriesOf = (text: string) => text.trim().split('\n').sort();

/** Names and values as the text has them, and as the client library would write them. */
it.each([
  ['nothing', []],
  ['one', [['createPlant', 200, 0.5]]],
  ['the bounds themselves and beyond', [1, 10, 100, 100.1].map((ms) => ['createPlant', 200, ms])],
  [
    'several series, one of them met again',
    [
      ['createPlant', 200, 2],
      ['none', 404, 1],
      ['createPlant', 400, 3],
      ['createPlant', 200, 4],
    ],
  ],
  ['what has to be escaped', [['a "quoted" \\ name\n', 200, 4]]],
] as [string, [string, number, number][]][])(
  'writes what the client library does: %s',
  async (_, observed) => {
    const registry = new Registry();
    const [name, help] = ['request_duration_seconds', 'How long.'];
    const labelNames = ['operation_id', 'status'];
    const theirs = new Histogram({ name, help, labelNames, buckets: BOUNDS, registers: [registry] });
    const ours = new Durations(name, help, BOUNDS);
    for (const [operation_id, status, milliseconds] of observed) {
      theirs.observe({ operation_id, status }, milliseconds / 1000);
      ours.observer({ operation_id, status })(milliseconds);
    }
    expect(seriesOf(await sumOf([[ours.get()]]).metrics())).toEqual(seriesOf(await registry.metrics()));
  },
);
