import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** DELETE /v1/teas/{teaId} */
export const deleteTea: CreateHandler<'deleteTea'> =
  ({ store }) =>
  async ({ path: { teaId } }) => {
    if (await store.teas.remove(teaId)) return { status: 204 };
    return { status: 404, body: errorBody('noSuchResource', `there is no tea ${teaId}`) };
  };
