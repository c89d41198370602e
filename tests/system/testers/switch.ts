import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A fixed port before servers that come and go: testers keep one URL for all of them. */
export interface Switch {
  readonly port: number;
  /** Passes bytes on to this port from now on, and ends what is connected. */
  to(port: number): void;
  close(): void;
}

/** Passes each connection on as it is, byte by byte. */
export async function openSwitch(): Promise<Switch> {
  const open = new Set<Socket>();
  let target = 0;
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroySoon();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    to(port) {
      end();
      target = port;
    },
    close() {
      end();
      server.close();
    },
  };
}
