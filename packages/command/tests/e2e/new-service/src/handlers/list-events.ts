import type { CreateHandler } from './types';

/** GET /v1/events */
export const listEvents: CreateHandler<'listEvents'> =
  (store) =>
  async ({ query: { after = '', limit } }) => {
    const page = await store.events.list(after, limit);
    const last = page.at(-1);
    return {
      status: 200,
      body: {
        events: page.map(({ value }) => value),
        ...(page.length === limit && last && { next: last.key }),
      },
    };
  };
