import type { Config } from './config';
import type { Store, StoreObserver } from 'contract-first-server/database';
import type { BikeShedStore } from './bike-shed/bike-shed-store';
import {
  hashPassword,
  openInOrder,
  type SignedTokens,
  signedTokens,
  verifyPassword,
} from 'contract-first-server/runtime';
import { openStore } from './storage/open';

/** What handlers, verifiers and hooks share. Opened in this order, closed in the opposite one. */
export interface Dependencies extends Store {
  readonly store: BikeShedStore;
  // #region users
  /** Of users who have logged in. */
  readonly tokens: SignedTokens;
  /** How passwords are kept: by scrypt. The contract tests have a faster way. */
  readonly passwords: { readonly hash: typeof hashPassword; readonly verify: typeof verifyPassword };
  // #endregion users
}

/** @throws {Error} when one cannot be opened, with a sentence that says why; those before it are closed */
export const openDependencies = (config: Config, observer?: StoreObserver): Promise<Dependencies> =>
  openInOrder(async (open) => ({
    store: await open(openStore(config.databaseUrl, observer)),
    // #region users
    tokens: signedTokens(config.tokens),
    passwords: { hash: hashPassword, verify: verifyPassword },
    // #endregion users
  }));
