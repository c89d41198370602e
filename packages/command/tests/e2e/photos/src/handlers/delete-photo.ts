import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** DELETE /photos/{id} */
export const deletePhoto: CreateHandler<'deletePhoto'> =
  ({ store, files }) =>
  async ({ path: { id } }) => {
    const photo = await store.photos.remove(id);
    if (!photo) return { status: 404, body: errorBody('noSuchResource', `there is no photo ${id}`) };
    await files.remove(photo.file);
    return { status: 204 };
  };
