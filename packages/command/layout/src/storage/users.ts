// #region imports
import {
  type Database,
  equal,
  insertInto,
  type NewRowOf,
  type RowOf,
  select,
  table,
  TEXT,
} from 'contract-first-database';
// #endregion imports

/** Those who log in. */
export const users = table('users', {
  id: TEXT.primaryKey(),
  passwordHash: TEXT,
  // #region columns
  email: TEXT.unique(),
  // #endregion columns
});

export type User = RowOf<typeof users>;

export interface Users {
  /** Resolves to undefined, and adds nothing, if another user has what is unique. */
  add(user: NewRowOf<typeof users>): Promise<User | undefined>;
  get(id: string): Promise<User | undefined>;
  /** The user with this email. */
  find(email: string): Promise<User | undefined>;
}

export const usersIn = (database: Database): Users => ({
  async add(user) {
    const [added] = await database.query(insertInto(users, user)`ON CONFLICT DO NOTHING`);
    return added;
  },
  async get(id) {
    const [user] = await database.query(select(users)`WHERE ${equal(users, { id })}`);
    return user;
  },
  async find(email) {
    const [user] = await database.query(select(users)`WHERE ${equal(users, { email })}`);
    return user;
  },
});
