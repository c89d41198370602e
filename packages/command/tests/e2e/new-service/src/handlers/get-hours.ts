import type { CreateHandler } from './types';

const DAY = 86_400_000;

/** GET /v1/hours */
export const getHours: CreateHandler<'getHours'> =
  () =>
  async ({ query: { from, days } }) => {
    const dates = Array.from({ length: days }, (_, i) => new Date(Date.parse(from) + i * DAY));
    const body = dates.map((date) => ({
      date: date.toISOString().slice(0, 10),
      opens: '18:00',
      closes: '23:30',
    }));
    return { status: 200, body };
  };
