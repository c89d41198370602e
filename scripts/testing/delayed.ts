import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A server on a free port of 127.0.0.1 that stands for another, farther away. */
export interface Delayed {
  readonly port: number;
  close(): Promise<void>;
}

/** @param milliseconds that a round trip takes longer: half of them on each way */
export async function delayed(to: number, milliseconds: number): Promise<Delayed> {
  const sockets = new Set<Socket>();
  // Timers of the same duration run in the order in which they were set, and so the bytes keep theirs.
  const carry = (from: Socket, target: Socket) => {
    const later = (action: () => void) => setTimeout(action, milliseconds / 2);
    sockets.add(from);
    from
      .setNoDelay()
      .on('data', (chunk) => later(() => target.writable && target.write(chunk)))
      .on('end', () => later(() => target.end()))
      .on('error', () => target.destroy())
      .on('close', () => {
        sockets.delete(from);
        later(() => target.destroy());
      });
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    carry(near, far);
    carry(far, near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
