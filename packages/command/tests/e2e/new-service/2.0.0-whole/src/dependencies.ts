import path from 'node:path';
import type { webhooks } from '../generated/openapi';
import type { Config } from './config';
import type { Store, StoreObserver } from 'contract-first-server/database';
import type { TeaRoomStore } from './tea-room/tea-room-store';
import {
  createLog,
  hashPassword,
  openInOrder,
  openSenders,
  type Senders,
  type SignedTokens,
  signedTokens,
  verifyPassword,
} from 'contract-first-server/runtime';
import { extensions } from './extensions';
import { openStore } from './storage/open';

/** What handlers, verifiers and hooks share. Opened in this order, closed in the opposite one. */
export interface Dependencies extends Store {
  readonly store: TeaRoomStore;
  /** Of users who have logged in. */
  readonly tokens: SignedTokens;
  /** How passwords are kept: by scrypt. The contract tests have a faster way. */
  readonly passwords: { readonly hash: typeof hashPassword; readonly verify: typeof verifyPassword };
  /** Sends the webhooks and callbacks of the document: `void senders.send(NAME, { url, body })`. */
  readonly senders: Senders<webhooks>;
}

/** @throws {Error} when one cannot be opened, with a sentence that says why; those before it are closed */
export const openDependencies = (config: Config, observer?: StoreObserver): Promise<Dependencies> =>
  openInOrder(async (open) => ({
    store: await open(openStore(config.databaseUrl, observer)),
    tokens: signedTokens(config.tokens),
    passwords: { hash: hashPassword, verify: verifyPassword },
    senders: await open(
      openSenders<webhooks>(config.senders, {
        document: path.join(__dirname, '../generated/openapi.json'),
        log: createLog(config.logLevel),
        ...extensions,
      }),
    ),
  }));
