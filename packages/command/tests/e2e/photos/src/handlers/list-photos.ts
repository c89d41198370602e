import type { CreateHandler } from './types';

/** GET /photos */
export const listPhotos: CreateHandler<'listPhotos'> =
  ({ store }) =>
  async ({ query }) => ({ status: 200, body: await store.photos.list(query) });
