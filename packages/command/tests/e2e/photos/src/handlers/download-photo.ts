import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** GET /photos/{id}/content. A photo never changes: the name of its file is its entity tag. */
export const downloadPhoto: CreateHandler<'downloadPhoto'> =
  ({ store, files }) =>
  async ({ path: { id } }) => {
    const photo = await store.photos.get(id);
    const file = photo && (await files.open(photo.file));
    if (!file) return { status: 404, body: errorBody('noSuchResource', `there is no photo ${id}`) };
    return {
      status: 200,
      contentType: photo.type,
      headers: {
        ETag: `"${photo.file}"`,
        'Last-Modified': new Date(photo.createdAt).toUTCString(),
        'Content-Disposition': `inline; filename="${id}.${photo.type.slice('image/'.length)}"`,
      },
      body: file,
    };
  };
