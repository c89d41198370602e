import { verifiers } from './auth';
import {
  type CredentialsConfig,
  readCredentials,
  readDatabaseUrl,
  readEnvironment,
  readServerConfig,
  readSignedTokens,
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
  }));
