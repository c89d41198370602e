import { verifiers } from './auth';
import {
  type CredentialsConfig,
  readCredentials,
  readDatabaseUrl,
  readEnvironment,
  readServerConfig,
  type ServerConfig,
} from 'contract-first-server/runtime';

/** The configuration of the server, read from its environment (see .env.example). */
export interface Config extends ServerConfig {
  readonly databaseUrl: string;
  readonly credentials: CredentialsConfig<typeof verifiers>;
}

/** @throws {InvalidConfig} */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  readEnvironment(environment, (variables) => ({
    ...readServerConfig(variables),
    databaseUrl: readDatabaseUrl(variables, 'sqlite:data/plants.db'),
    credentials: readCredentials(verifiers, variables),
  }));
