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
  readonly tokens: SignedTokensConfig;
  readonly senders: SendersConfig;
}

/** @throws {InvalidConfig} */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  readEnvironment(environment, (variables) => ({
    ...readServerConfig(variables),
    databaseUrl: readDatabaseUrl(variables, 'sqlite:data/tea-room.db'),
    credentials: readCredentials(verifiers, variables),
    tokens: readSignedTokens(variables, 'TOKEN'),
    senders: readSenders(variables, 'WEBHOOK'),
  }));
