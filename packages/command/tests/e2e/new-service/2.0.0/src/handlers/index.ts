import type { NightMuseumStore } from '../night-museum/night-museum-store';
import type { Handlers } from './types';
import { getHours } from './get-hours';
import { listEvents } from './list-events';
import { createEvent } from './create-event';
import { getEvent } from './get-event';
import { deleteEvent } from './delete-event';
import { updateEvent } from './update-event';
import { buyTicket } from './buy-ticket';
import { getTicket } from './get-ticket';

/** The handler of every operation in the document, by operationId. */
export const createHandlers = (store: NightMuseumStore): Handlers => ({
  getHours: getHours(store),
  listEvents: listEvents(store),
  createEvent: createEvent(store),
  getEvent: getEvent(store),
  deleteEvent: deleteEvent(store),
  updateEvent: updateEvent(store),
  buyTicket: buyTicket(store),
  getTicket: getTicket(store),
});
