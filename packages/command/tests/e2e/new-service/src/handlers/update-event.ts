import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** PATCH /v1/events/{eventId} */
export const updateEvent: CreateHandler<'updateEvent'> =
  (store) =>
  async ({ path: { eventId }, body }) => {
    const event = await store.events.update(eventId, (found) => ({ ...found, ...body }));
    if (event) return { status: 200, body: event };
    return { status: 404, body: errorBody('noSuchResource', `there is no event ${eventId}`) };
  };
