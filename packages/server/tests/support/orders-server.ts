import { createHttpServer } from 'contract-first-server';
import { buildService } from '../../../../scripts/testing/service';
import { renderPlain } from '../../../../scripts/testing/plain-errors';
import { faulty } from './faulty';
import { openOrders, ordersService } from './orders';

/*
 * A server of orders that kills itself: `tsx orders-server.ts URL`. It prints its port. The header X-Kill of a request names the
 * step of its transaction at which that happens.
 */

const [, , url = ''] = process.argv;
const armed: Parameters<typeof faulty>[2] = {};
const kill = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => undefined);
};

async function serve(): Promise<void> {
  const store = await openOrders(url, { wrap: (database) => faulty(database, kill, armed) });
  const { app } = buildService({
    ...ordersService(store),
    beforeHandler: ({ request }) => {
      armed.at = request.headers['x-kill'] as typeof armed.at;
    },
  });
  const limits = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };
  const server = createHttpServer(app, renderPlain, limits);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') console.log(`port ${address?.port}`);
  });
}
void serve();
