import type { Message } from '../../../src/contract';
import { bytesOf } from '../../support/wire';
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

/** How much of a comparison: the servers are started `generations` times, and loaded in turn in each of `rounds`. */
export interface Effort {
  readonly generations: number;
  readonly rounds: number;
}

/** Times `requests`, before the first round. V8 compiles what is hot, and keeps compiling for some 20,000 small requests. */
const WARMUP = 40;

/** One server in one round. */
export interface Sample {
  /** Microseconds of the server for one request, user and system together. */
  readonly cpu: number;
  /** Requests a second. */
  readonly rate: number;
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
    answered(_, response) {
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
      load.start();
      await awake(load.rest());
      if (failure) throw failure;
      const seconds = (performance.now() - began) / 1000;
      return { cpu: ((await server.used()).cpu - before.cpu) / requests, rate: requests / seconds };
    },
    close: () => {
      load.close();
    },
  };
}

export interface Compared {
  readonly samples: ReadonlyMap<Subject, readonly Sample[]>;
  /** What servers answered wrongly; they are not measured. */
  readonly wrong: ReadonlyMap<Subject, readonly string[]>;
}

/** Measures all servers of a comparison in turn, so that whatever else the machine does meets all of them alike. */
export async function compare(comparison: Comparison, effort: Effort): Promise<Compared> {
  const samples = new Map<Subject, Sample[]>(comparison.subjects.map((subject) => [subject, []]));
  const wrong = new Map<Subject, readonly string[]>();
  for (let generation = 0; generation < effort.generations; generation++) {
    const servers: Server[] = [];
    try {
      const clients = new Map<Subject, Clients>();
      const begin = async (subject: Subject): Promise<readonly [Subject, Server, readonly string[]]> => {
        const contract = subject.contract ?? comparison.contract;
        const server = await startServer(subject, contract);
        servers.push(server);
        return [subject, server, await check(server, subject, contract.expectations)];
      };
      for (const [subject, server, errors] of await Promise.all([...samples.keys()].map(begin)))
        if (errors.length === 0) clients.set(subject, createClients(subject, server, comparison));
        else {
          wrong.set(subject, errors);
          samples.delete(subject);
        }
      const send = ([subject, client]: readonly [Subject, Clients], rounds: number): Promise<Sample> =>
        client.send(Math.ceil(rounds * comparison.requests * (subject.share ?? 1)));
      for (const each of clients) await send(each, WARMUP);
      const turns = [...clients];
      for (let round = 0; round < effort.rounds; round++) {
        for (const each of turns) samples.get(each[0])?.push(await send(each, 1));
        turns.push(...turns.splice(0, 1)); // another is first in the next round
      }
      for (const client of clients.values()) client.close();
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
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
