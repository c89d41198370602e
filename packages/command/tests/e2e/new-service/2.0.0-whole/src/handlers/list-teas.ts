import type { CreateHandler } from './types';

/** GET /v1/teas */
export const listTeas: CreateHandler<'listTeas'> =
  ({ store }) =>
  async ({ query }) => ({ status: 200, body: { teas: await store.teas.list(query) } });
