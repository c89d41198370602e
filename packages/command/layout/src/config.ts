import { verifiers } from './auth';
import {
  type CredentialsConfig,
  readCredentials,
  readDatabaseUrl,
  readEnvironment,
  readSenders,
  readServerConfig,
  readSignedTokens,
  type SendersConfig,
  type ServerConfig,
  type SignedTokensConfig,
} from 'contract-first-server/runtime';

/** The configuration of the server, read from its environment (see .env.example). */
export interface Config extends ServerConfig {
  readonly databaseUrl: string;
  readonly credentials: CredentialsConfig<typeof verifiers>;
  // #region users
  readonly tokens: SignedTokensConfig;
  // #endregion users
  // #region senders
  readonly senders: SendersConfig;
  // #endregion senders
}

/** @throws {InvalidConfig} */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  readEnvironment(environment, (variables) => ({
    ...readServerConfig(variables),
    databaseUrl: readDatabaseUrl(variables, 'sqlite:data/bike-shed.db'),
    credentials: readCredentials(verifiers, variables),
    // #region users
    tokens: readSignedTokens(variables, 'TOKEN'),
    // #endregion users
    // #region senders
    senders: readSenders(variables, 'WEBHOOK'),
    // #endregion senders
  }));
