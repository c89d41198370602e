import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP connection from a port of this process to another one of this machine: the network between two machines. */
export interface Link {
  readonly port: number;
  /** New connections go to that port; those that are open stay where they are, as they do when a name moves. */
  move(target: number): void;
  /** Nothing passes, and nobody is told: what is sent stays on its way. */
  cut(): void;
  /** What was on its way arrives. */
  heal(): void;
}

type Pair = readonly [Socket, Socket];

export async function createLink(target: number): Promise<Link> {
  let to = target;
  let isCut = false;
  const pairs = new Set<Pair>();
  const held = new Set<Socket>();

  function join(inner: Socket): void {
    if (inner.destroyed) return;
    const outer = connect({ port: to, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const pair = [inner, outer] as const;
    pairs.add(pair);
    forward(inner, outer, pair);
    forward(outer, inner, pair);
    inner.resume();
  }

  function forward(from: Socket, into: Socket, pair: Pair): void {
    from
      .on('data', (chunk) => {
        if (!into.write(chunk)) from.pause();
      })
      .on('end', () => into.end())
      .on('error', () => undefined) // `close` follows
      .on('close', () => {
        if (!isCut) end(pair);
      });
    into.on('drain', () => {
      if (!isCut) from.resume();
    });
  }

  /** One of its sockets is closed: closes the other. */
  function end(pair: Pair): void {
    if (pairs.delete(pair)) for (const socket of pair) socket.destroySoon();
  }

  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (inner) => {
    inner.on('error', () => undefined);
    if (isCut) held.add(inner);
    else join(inner);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();

  return {
    port: (server.address() as AddressInfo).port,
    move(next) {
      to = next;
    },
    cut() {
      isCut = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    heal() {
      isCut = false;
      for (const pair of pairs)
        if (pair.some(({ destroyed }) => destroyed)) end(pair);
        else for (const socket of pair) socket.resume();
      for (const inner of held) join(inner);
      held.clear();
    },
  };
}
