import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /v1/tickets/{number} */
export const getTicket: CreateHandler<'getTicket'> =
  (store) =>
  async ({ path: { number } }) => {
    const ticket = await store.tickets.get(String(number));
    if (ticket) return { status: 200, body: ticket };
    return { status: 404, body: errorBody('noSuchResource', `there is no ticket ${number}`) };
  };
