import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /v1/tickets */
export const buyTicket: CreateHandler<'buyTicket'> =
  (store) =>
  async ({ body }) => {
    const { eventId } = body;
    let seats = 0;
    const event = await store.events.update(eventId, (found) => {
      seats = found.seats;
      return seats > 0 ? { ...found, seats: seats - 1 } : found;
    });
    if (!event)
      return { status: 404, body: errorBody('noSuchResource', `body/eventId: there is no event ${eventId}`) };
    if (seats === 0)
      return { status: 409, body: errorBody('conflict', `no seat is left at the event ${eventId}`) };
    for (let number = BigInt(Date.now()); ; number++) {
      const ticket = { number, ...body };
      if (await store.tickets.add(String(number), ticket)) return { status: 201, body: ticket };
    }
  };
