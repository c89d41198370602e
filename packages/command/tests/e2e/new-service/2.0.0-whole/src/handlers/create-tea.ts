import { randomUUID } from 'node:crypto';
import type { CreateHandler } from './types';

/** POST /v1/teas */
export const createTea: CreateHandler<'createTea'> =
  ({ store }) =>
  async ({ body }) => {
    const tea = await store.teas.add({ ...body, teaId: randomUUID() });
    return { status: 201, body: tea };
  };
