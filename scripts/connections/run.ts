import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../program';
import { Client } from './client';
import { makeRequest } from './requests';
import type { Held } from './server';
import { makeWalk, take } from './walk';
import { SOURCES } from '../testing/sources';

/** Milliseconds. */
const SEND_TIMEOUT = 3_000;
/** Walks at the same time. */
const AT_ONCE = 16;
/** Bytes by which the memory may differ after a collection: V8 compiles what is hot. */
const SLACK = 6_000_000;
/** Handlers that may run at the same time in server.ts. */
const PLACES = 64;
/** Microseconds of CPU for one turn of the event loop beside a client that means no good: a probe waits for one. */
const TURN = 50_000;
/** Milliseconds after which a server that still holds something is at fault. */
const PATIENCE = 20_000;

/** What was wrong, as sentences. */
type Faults = string[];

/** The server of the walks. */
interface Subject {
  readonly child: Child;
  readonly port: number;
}

async function startSubject(): Promise<Subject> {
  const child = startChild('the server', join(__dirname, './server.ts'), [String(SEND_TIMEOUT)], {
    execArgv: [...SOURCES, '--expose-gc', '--max-old-space-size=256'],
  });
  return { child, ...(await child.next<{ port: number }>()) };
}

/** Resolves with what is held, once no connection is; or with what still is, when it has had enough time. */
async function settled({ child }: Subject): Promise<Held> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    const held = await child.ask<Held>('held');
    const isFree = held.connections === 0 && held.unfinished === 0;
    if (isFree || performance.now() > until) return held;
    await sleep(50);
  }
}

function compare(about: string, held: Held, base: Held): Faults {
  const faults: Faults = [];
  // Node itself opens some descriptors.
  const slacks = { descriptors: 4, timers: 0, connections: 0, unfinished: 0, memory: SLACK };
  for (const [name, slack] of Object.entries(slacks) as [keyof typeof slacks, number][])
    if (held[name] > base[name] + slack)
      faults.push(`${about}: ${name} ${held[name]}, before it ${base[name]}`);
  return faults;
}

async function takeWalks(subject: Subject, seeds: readonly number[]): Promise<Faults> {
  const faults: Faults = [];
  const queue = seeds.values();
  const next = async (): Promise<void> => {
    for (const seed of queue) {
      const walk = makeWalk(seed);
      const fault = await take(walk, subject.port);
      if (fault !== undefined) faults.push(`${JSON.stringify(walk)}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return faults;
}

const open = async (port: number, bytes: string): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
    .on('error', () => undefined)
    .pause();
  await new Promise((resolve) => socket.write(bytes, resolve));
  return socket;
};

const repeated = (kind: string, count: number): string =>
  Array.from({ length: count }, (_, at) => makeRequest(kind, `unread-${at}`).head).join('');

/** Clients that read nothing: what they ask for is not kept, and they are closed without a word of theirs. */
async function unread(subject: Subject, kind: string): Promise<Faults> {
  const base = await settled(subject);
  const clients = await Promise.all(Array.from({ length: 4 }, () => open(subject.port, repeated(kind, 400))));
  await sleep(100); // some of the responses
  const { memory, descriptors } = await subject.child.ask<Held>('held');
  const faults: Faults = [];
  if (memory > base.memory + 30_000_000)
    faults.push(`${kind}, unread: memory ${memory}, before it ${base.memory}`);
  if (descriptors > base.descriptors + 12) faults.push(`${kind}, unread: ${descriptors} descriptors`);
  faults.push(...compare(`${kind}, unread`, await settled(subject), base));
  for (const client of clients) client.destroy();
  return faults;
}

/** The longest turn that a probe waits for while another client has sent thousands of requests. */
async function probe(subject: Subject, kind: string, count: number): Promise<Faults> {
  const busy = await open(subject.port, repeated(kind, count));
  busy.resume();
  const client = new Client(subject.port);
  await once(client.socket, 'connect');
  await subject.child.ask('watch');
  const live = makeRequest('live', 'a probe');
  client.send(live.head, [live]);
  await client.until(() => client.isOver);
  const { longest } = await subject.child.ask<{ longest: number }>('longest');
  busy.destroy();
  client.socket.destroy();
  return longest <= TURN ? [] : [`a turn beside ${count} x ${kind}: ${longest} us of CPU`];
}

/** Every place is free: as many handlers as there are places run at the same time. */
async function places(subject: Subject): Promise<Faults> {
  const clients = Array.from({ length: PLACES }, () => new Client(subject.port));
  for (const [at, client] of clients.entries()) {
    const slow = makeRequest('slow', `place-${at}`);
    client.send(slow.head, [slow]);
  }
  await Promise.all(clients.map((client) => client.until(() => client.isOver)));
  for (const { socket } of clients) socket.destroy();
  return clients.flatMap(({ fault }) => (fault === undefined ? [] : [`places: ${fault}`]));
}

/** The shutdown: all that has arrived is answered, then each connection is closed. */
async function drain(subject: Subject): Promise<Faults> {
  const kinds = ['slow', 'post', 'upgrade', 'chunked', 'large'];
  const clients = Array.from({ length: 8 }, (_, client) => {
    const requests = kinds.map((kind, at) => makeRequest(kind, `drain-${client}-${at}`));
    const made = new Client(subject.port);
    made.send(requests.map(({ head, body }) => head + body).join(''), requests);
    return made;
  });
  await Promise.all(clients.map((client) => client.until(() => client.replies.length > 0)));
  subject.child.send('stop'); // it answers nothing
  const status = await subject.child.exit;
  await Promise.all(clients.map((client) => client.until(() => client.closed)));
  const faults = clients.flatMap(({ fault, lost }) => fault ?? lost.map(({ kind }) => `${kind} was lost`));
  return [...faults, ...(status === 0 ? [] : [`the server ended with status ${String(status)}`])].map(
    (fault) => `shutdown: ${fault}`,
  );
}

/**
 * Takes walks through a model of a connection, and compares what the server holds with what it held before.
 *
 * @param count walks; their seeds are 1 to this
 * @param progress receives the number of walks that were taken
 */
export async function walkConnections(count: number, progress: (taken: number) => void): Promise<Faults> {
  const subject = await startSubject();
  try {
    await takeWalks(
      subject,
      Array.from({ length: 60 }, (_, at) => 1_000_000 + at),
    );
    const faults = await unread(subject, 'file');
    const base = await settled(subject);
    const seeds = Array.from({ length: count }, (_, at) => at + 1);
    for (let at = 0; at < count; at += 500) {
      faults.push(...(await takeWalks(subject, seeds.slice(at, at + 500))));
      faults.push(...compare(`walks up to ${Math.min(at + 500, count)}`, await settled(subject), base));
      progress(Math.min(at + 500, count));
    }
    faults.push(...(await unread(subject, 'large')));
    for (const kind of ['live', 'get', 'upgrade', 'another path', 'file'])
      faults.push(...(await probe(subject, kind, 5_000)));
    faults.push(...(await places(subject)), ...compare('in the end', await settled(subject), base));
    return [...faults, ...(await drain(subject))];
  } finally {
    await subject.child.kill();
  }
}
