/**
 * The public API of the service runtime. Code outside this folder imports only this file.
 */

import './process/loading';

// For main.ts, app.ts and config.ts of a service.
export { type Application, createApp, type OwnHooks, type RuntimeOptions } from './app';
export {
  InvalidConfig,
  readDatabaseUrl,
  readEnvironment,
  readServerConfig,
  type ServerConfig,
  Variables,
} from './config';
export { runService } from './process/run';
export type { ServiceParts } from './process/service';

// For seed.ts of a service.
export { runSeed } from './process/job';

// For dependencies.ts of a service.
export { createLog } from './observe/log';
export { openInOrder } from './process/dependencies';

// For auth.ts of a service, and its configuration.
export type { Client } from './credentials/secrets';
export {
  apiKeys,
  basicUsers,
  bearerTokens,
  type CredentialsConfig,
  type PrincipalsOf,
  readCredentials,
  type Verifier,
  type Verifiers,
  type VerifiersFor,
} from './credentials/credentials';

// For services whose clients may retry.
export { IDEMPOTENCY_KEYS, idempotent, type Once, onceIn, readIdempotencyTtl } from './idempotent';

// For services whose users log in.
export { hashPassword, verifyPassword } from './credentials/passwords';
export {
  readSignedTokens,
  type SignedTokens,
  signedTokens,
  type SignedTokensConfig,
  signedTokenStrategy,
} from './credentials/signed-tokens';

// For services that send webhooks and callbacks.
export { readSenders, type SendersConfig } from './webhooks/sender-config';
export {
  type Delivery,
  openSenders,
  type SendOptions,
  type Senders,
  type SentMessage,
} from './webhooks/senders';

// For errors.ts of a service.
export {
  type ErrorCode,
  ERRORS,
  type Errors,
  type ErrorTable,
  type KindOf,
  numberIn,
  numberInError,
  type OperationalKind,
  statusIn,
  toProblemIn,
} from './errors';
