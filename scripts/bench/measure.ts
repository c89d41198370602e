import type { Message } from 'contract-first-server';
import { bytesOf } from '../testing/wire';
import { createLoad, statusOf } from '../load';
import type { Contract } from './contracts';
import { check, type Server, startServer, type Subject } from './servers';

/** One kind of request, put to several servers. */
export interface Comparison {
  readonly contract: Contract;
  readonly subjects: readonly Subject[];
  readonly request: (id: number) => Message;
  readonly status: number;
  readonly connections: number;
  /** Requests to one server until it is the turn of the next. They are counted: a busy machine takes longer for them. */
  readonly requests: number;
}

/** How often the servers of a comparison are loaded in turn. */
export interface Rounds {
  readonly rounds: number;
  /** Times `requests`, before the first round. */
  readonly warmup: number;
}

/** How much of a comparison: the servers are started `generations` times. */
export interface Effort extends Rounds {
  readonly generations: number;
}

/** One server in one round. */
export interface Sample {
  /** Microseconds of the server for one request, user and system together. */
  readonly cpu: number;
  /** The same of its PostgreSQL. */
  readonly databaseCpu: number;
  /** Requests a second. */
  readonly rate: number;
  /** The median of the microseconds from a request to its response, as its client sees them. */
  readonly latency: number;
}

/** No two requests of one run have the same id. */
let lastId = 1_000_000;

/**
 * Keeps this process awake while `work` is under way. A client that sleeps until the next response has to be woken by
 * the server, which pays 10 to 25 microseconds of system time for it, and only while it is slower than its client. So a
 * client that sleeps would make a slow server slower, and the figures would tell of the client.
 */
async function awake(work: Promise<void>): Promise<void> {
  let spinning = true;
  const spin = (): void => {
    if (spinning) setImmediate(spin);
  };
  spin();
  await work;
  spinning = false;
}

/** The clients of one server. */
interface Clients {
  send(requests: number): Promise<Sample>;
  close(): void;
}

function createClients(subject: Subject, server: Server, comparison: Comparison): Clients {
  let left = 0;
  let waits: number[] = [];
  let failure: Error | undefined;
  const fixed = bytesOf(comparison.request(0));
  const varies = bytesOf(comparison.request(1)) !== fixed;
  const load = createLoad<undefined>({
    port: server.port,
    connections: comparison.connections,
    next() {
      if (left-- <= 0) return undefined;
      return { bytes: varies ? bytesOf(comparison.request(++lastId)) : fixed, about: undefined };
    },
    answered(_, response, milliseconds) {
      waits.push(1000 * milliseconds);
      const status = response && statusOf(response);
      if (status === comparison.status) return;
      // Another response would cost something else.
      const got = response?.toString() ?? 'none';
      failure ??= new Error(`${subject.name}: expected responses of ${comparison.status}, got ${got}`);
      left = 0;
    },
  });
  return {
    async send(requests) {
      const before = await server.used();
      const began = performance.now();
      left = requests;
      waits = [];
      load.start();
      await awake(load.rest());
      if (failure) throw failure;
      const seconds = (performance.now() - began) / 1000;
      const after = await server.used();
      return {
        cpu: (after.cpu - before.cpu) / requests,
        databaseCpu: (after.databaseCpu - before.databaseCpu) / requests,
        rate: requests / seconds,
        latency: waits.sort((a, b) => a - b)[waits.length >> 1] ?? NaN,
      };
    },
    close: () => {
      load.close();
    },
  };
}

/** Running servers, and what those that are not among them answered wrongly. */
export interface Fleet {
  readonly servers: ReadonlyMap<Subject, Server>;
  readonly wrong: ReadonlyMap<Subject, readonly string[]>;
  stop(): Promise<void>;
}

/** Starts servers at once, and checks their answers: a server with wrong ones is not measured. */
export async function startFleet(contract: Contract, subjects: readonly Subject[]): Promise<Fleet> {
  const started: Server[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const servers = new Map<Subject, Server>();
  const wrong = new Map<Subject, readonly string[]>();
  const begin = async (subject: Subject): Promise<void> => {
    const own = subject.contract ?? contract;
    const server = await startServer(subject, own);
    started.push(server);
    const errors = await check(server, subject, own.expectations);
    if (errors.length === 0) servers.set(subject, server);
    else wrong.set(subject, errors);
  };
  const failed = (await Promise.allSettled(subjects.map(begin))).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    await stop();
    throw failed.reason;
  }
  return { servers, wrong, stop };
}

/** Loads the servers in turn, so that whatever else the machine does meets all of them alike. */
export async function measure(
  comparison: Comparison,
  servers: Fleet['servers'],
  { rounds, warmup }: Rounds,
): Promise<Map<Subject, Sample[]>> {
  const turns = comparison.subjects.flatMap((subject) => {
    const server = servers.get(subject);
    return server
      ? [{ subject, clients: createClients(subject, server, comparison), samples: [] as Sample[] }]
      : [];
  });
  const samples = new Map(turns.map(({ subject, samples }) => [subject, samples]));
  const send = ({ subject, clients }: (typeof turns)[number], times: number): Promise<Sample> =>
    clients.send(Math.ceil(times * comparison.requests * (subject.share ?? 1)));
  for (const each of turns) await send(each, warmup);
  for (let round = 0; round < rounds; round++) {
    for (const each of turns) each.samples.push(await send(each, 1));
    turns.push(...turns.splice(0, 1)); // another is first in the next round
  }
  for (const { clients } of turns) clients.close();
  return samples;
}

export interface Compared {
  readonly samples: ReadonlyMap<Subject, readonly Sample[]>;
  /** What servers answered wrongly; they are not measured. */
  readonly wrong: ReadonlyMap<Subject, readonly string[]>;
}

/** Measures all servers of a comparison. */
export async function compare(comparison: Comparison, effort: Effort): Promise<Compared> {
  const samples = new Map<Subject, Sample[]>(comparison.subjects.map((subject) => [subject, []]));
  const wrong = new Map<Subject, readonly string[]>();
  for (let generation = 0; generation < effort.generations; generation++) {
    const fleet = await startFleet(comparison.contract, [...samples.keys()]);
    try {
      for (const [subject, errors] of fleet.wrong) {
        wrong.set(subject, errors);
        samples.delete(subject);
      }
      for (const [subject, list] of await measure(comparison, fleet.servers, effort))
        samples.get(subject)?.push(...list);
    } finally {
      await fleet.stop();
    }
  }
  return { samples, wrong };
}

export interface Start {
  /** To the first response. */
  readonly milliseconds: number;
  /** Milliseconds, user and system together: steadier than the time on a machine that is not idle. */
  readonly cpu: number;
  /** MiB that are resident then. */
  readonly memory: number;
}

export async function start(subject: Subject, { contract }: Comparison): Promise<Start> {
  const server = await startServer(subject, contract);
  const { cpu, memory } = await server.used();
  await server.stop();
  return { milliseconds: server.startup, cpu: cpu / 1000, memory: memory / 2 ** 20 };
}

/** MiB that are resident after so many requests. */
export async function memoryAfter(
  requests: number,
  subject: Subject,
  comparison: Comparison,
): Promise<number> {
  const server = await startServer(subject, comparison.contract);
  const clients = createClients(subject, server, comparison);
  await clients.send(requests * (subject.share ?? 1));
  clients.close();
  const { memory } = await server.used();
  await server.stop();
  return memory / 2 ** 20;
}
