import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /v1/teas/{teaId} */
export const getTea: CreateHandler<'getTea'> =
  ({ store }) =>
  async ({ path: { teaId } }) => {
    const tea = await store.teas.get(teaId);
    if (tea) return { status: 200, body: tea };
    return { status: 404, body: errorBody('noSuchResource', `there is no tea ${teaId}`) };
  };
