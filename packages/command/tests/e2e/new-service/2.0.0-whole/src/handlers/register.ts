import { randomUUID } from 'node:crypto';
import { Problem } from 'contract-first-server';
import type { OwnKind } from '../errors';
import type { CreateHandler } from './types';

/** POST /v1/users */
export const register: CreateHandler<'register'> =
  ({ store, passwords }) =>
  async ({ body }) => {
    const user = await store.users.add({
      id: randomUUID(),
      passwordHash: await passwords.hash(body.password),
      email: body.email,
    });
    if (!user) throw new Problem<OwnKind>('nameTaken', 'there is a user with this email already');
    return { status: 201, body: { userId: user.id, email: user.email } };
  };
