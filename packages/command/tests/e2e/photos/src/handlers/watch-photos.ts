import type { CreateHandler } from './types';

/** GET /events */
export const watchPhotos: CreateHandler<'watchPhotos'> =
  ({ store }) =>
  async ({ header, signal }) => {
    const last = header['Last-Event-ID'] ?? (await store.events.last());
    return { status: 200, body: store.events.after(last, signal) };
  };
