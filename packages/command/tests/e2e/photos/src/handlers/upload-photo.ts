import type { CreateHandler } from './types';

/** The document admits these. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** POST /photos. The file comes before its row, so that a row never lacks its file. */
export const uploadPhoto: CreateHandler<'uploadPhoto'> =
  ({ store, files }) =>
  async ({ body: { photo, title, tags = [] } }) => {
    const type = TYPES.find((each) => photo.type.startsWith(each));
    if (!type) throw new TypeError(`expected an image that the document admits, got ${photo.type}`);
    const file = await files.put(photo.stream());
    const added = await store.photos.add({
      ...{ file, title, tags, type },
      size: BigInt(photo.size),
      createdAt: new Date().toISOString(),
    });
    return { status: 201, headers: { Location: `/photos/${added.id}` }, body: added };
  };
