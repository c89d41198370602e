import { errorBody } from '../errors';
import type { CreateHandler } from './types';

/** POST /books/{isbn}/reviews */
export const createReview: CreateHandler<'createReview'> =
  ({ store }) =>
  async ({ path: { isbn }, body, principal }) => {
    const review = await store.reviews.add({
      ...body,
      isbn,
      userId: BigInt(principal.Token.id),
      createdAt: new Date().toISOString(),
    });
    if (review === 'foreign key')
      return { status: 404, body: errorBody('noSuchResource', `there is no book ${isbn}`) };
    return { status: 201, body: review };
  };
