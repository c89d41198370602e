import { SCALABLE, SERVERS } from './servers.mjs';

/** Numbers of operations in a document. */
export const OPERATIONS = [1, 100, 1000];

const [OURS, SQLITE, BARE] = SERVERS.map(({ name }) => name);
const FASTIFY = 'fastify + openapi-glue';
const README = 'express + validator, README';

/** The value that the given share of all lie below. */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
const median = (values) => quantile(values, 0.5);
const percent = (part) => `${Math.round(part * 100)} %`;

/** One server out of its samples; the ratio is that of each round, because rounds are not equally quiet. */
function row(samples, base) {
  const cpu = samples.map((sample) => sample.cpu);
  const latencies = samples.flatMap((sample) => (sample.latencies ? [sample.latencies] : []));
  return {
    cpu: median(cpu),
    spread: (Math.max(...cpu) - Math.min(...cpu)) / median(cpu),
    ratio: median(cpu.map((value, round) => value / base[round].cpu)),
    rate: median(samples.map((sample) => sample.rate)),
    memory: median(samples.map((sample) => sample.memory)) / 2 ** 20,
    startup: median(samples.map((sample) => sample.startup)),
    ...(latencies.length > 0 && {
      latency: [0.5, 0.99, 0.999].map((share) => median(latencies.map((round) => quantile(round, share)))),
    }),
  };
}

/**
 * @returns microseconds of CPU, requests a second, MiB, milliseconds of start-up, milliseconds of latency at p50, p99 and
 *   p99.9; for each server, for each number of operations, and what the issue asks of them
 */
export function summarise(samples) {
  // What was measured under paced load too is the comparison of servers, the rest that of documents.
  const of = (name, operations, paced) =>
    samples.filter((s) => s.name === name && s.operations === operations && Boolean(s.latencies) === paced);
  const measured = ({ name }) => samples.some((sample) => sample.name === name);
  const servers = SERVERS.filter(measured).map(({ name, responses }) => {
    return { name, responses, ...row(of(name, 1, true), of(OURS, 1, true)) };
  });
  const operations = SCALABLE.filter(measured).flatMap(({ name }) =>
    OPERATIONS.map((count) => ({
      name,
      operations: count,
      ...row(of(name, count, false), of(name, 1, false)),
    })),
  );
  const server = (name) => servers.find((candidate) => candidate.name === name);
  const [{ startup: startOne }, , thousand] = operations;
  const against = (name) => 1 / (server(name)?.ratio ?? NaN); // a peer that answers wrongly is not compared
  const targets = [
    { what: 'CPU a request, of the README wiring', limit: 0.25, value: against(README) },
    { what: 'CPU a request, of fastify + openapi-glue', limit: 2, value: against(FASTIFY) },
    { what: 'CPU a request, of bare node:http', limit: 2.6, value: against(BARE) },
    { what: 'CPU a request, 1,000 operations of 1', limit: 1.1, value: thousand.ratio },
    { what: 'start-up with 1,000 operations, s', limit: 3, value: thousand.startup / 1000 },
    {
      what: 'start-up with 1 operation, s',
      limit: 0.6,
      value: Math.max(startOne, server(OURS).startup) / 1000,
    },
    { what: 'CPU a request, SQLite of memory', limit: 1.4, value: server(SQLITE).ratio },
  ];
  return { servers, operations, targets };
}

function printTable(head, rows) {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const [first, ...rest] of lines) {
    const cells = rest.map((cell, column) => cell.padStart(widths[column + 1]));
    console.log([first.padEnd(widths[0]), ...cells].join('  ').trimEnd());
  }
}

export function printReport({ machine, servers, operations, targets }) {
  console.log(
    `\nPOST /plants, 64 connections; ${machine}. Latency in ms, at half of the requests a second.\n`,
  );
  printTable(
    ['', 'CPU µs', 'spread', 'of ours', 'requests/s', 'p50', 'p99', 'p99.9', 'MiB', 'start ms', 'responses'],
    servers.map(({ name, cpu, spread, ratio, rate, latency, memory, startup, responses }) => [
      name,
      cpu.toFixed(1),
      percent(spread),
      ratio.toFixed(2),
      rate.toFixed(0),
      ...latency.map((value) => value.toFixed(2)),
      memory.toFixed(0),
      startup.toFixed(0),
      responses,
    ]),
  );
  console.log('\nBy the number of operations in the document, the measured one last:\n');
  printTable(
    ['', 'operations', 'CPU µs', 'of one', 'start ms', 'MiB'],
    operations.map(({ name, operations: count, cpu, ratio, startup, memory }) => [
      name,
      String(count),
      cpu.toFixed(1),
      ratio.toFixed(2),
      startup.toFixed(0),
      memory.toFixed(0),
    ]),
  );
  console.log('\nWhat is to be reached:\n');
  printTable(
    ['', 'at most', 'measured', ''],
    targets.map(({ what, limit, value }) => [
      what,
      limit.toFixed(2),
      value.toFixed(2),
      value <= limit ? 'reached' : 'MISSED',
    ]),
  );
}
