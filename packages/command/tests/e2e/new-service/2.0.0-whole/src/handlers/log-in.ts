import { Problem } from 'contract-first-server';
import type { OwnKind } from '../errors';
import type { CreateHandler } from './types';

/** POST /v1/login */
export const logIn: CreateHandler<'logIn'> =
  ({ store, tokens, passwords }) =>
  async ({ body }) => {
    const user = await store.users.find(body.email);
    if (!(await passwords.verify(body.password, user?.passwordHash)) || !user)
      throw new Problem<OwnKind>('wrongPassword', 'no user has this email and this password', {
        'WWW-Authenticate': 'Bearer realm="api"',
      });
    const token = await tokens.issue(user.id);
    return { status: 200, body: { token } };
  };
