import { Problem } from 'contract-first-server';
import type { CreateHandler } from './types';

/** GET /me */
export const getMe: CreateHandler<'getMe'> =
  ({ store }) =>
  async ({ principal }) => {
    const user = await store.users.get(BigInt(principal.Token.id));
    if (!user) throw new Problem('badCredentials', 'the member has left');
    const { id, email, name, since } = user;
    return { status: 200, body: { user: { id, email, name, since } } };
  };
