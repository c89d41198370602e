import { randomUUID } from 'node:crypto';
import type { CreateHandler } from './types';

/** POST /v1/events */
export const createEvent: CreateHandler<'createEvent'> =
  (store) =>
  async ({ body }) => {
    const event = { ...body, eventId: randomUUID() };
    await store.events.add(event.eventId, event);
    return { status: 201, headers: { Location: `/v1/events/${event.eventId}` }, body: event };
  };
