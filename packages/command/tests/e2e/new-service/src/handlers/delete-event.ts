import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** DELETE /v1/events/{eventId} */
export const deleteEvent: CreateHandler<'deleteEvent'> =
  (store) =>
  async ({ path: { eventId } }) => {
    if (await store.events.remove(eventId)) return { status: 204 };
    return { status: 404, body: errorBody('noSuchResource', `there is no event ${eventId}`) };
  };
