import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /v1/events/{eventId} */
export const getEvent: CreateHandler<'getEvent'> =
  (store) =>
  async ({ path: { eventId } }) => {
    const event = await store.events.get(eventId);
    if (event) return { status: 200, body: event };
    return { status: 404, body: errorBody('noSuchResource', `there is no event ${eventId}`) };
  };
