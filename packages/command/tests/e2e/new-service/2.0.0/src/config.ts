import { verifiers } from './auth';
import {
  type CredentialsConfig,
  readCredentials,
  readDatabaseUrl,
  readEnvironment,
  readServerConfig,
  type ServerConfig,
} from 'contract-first-server/operational';

/** The configuration of the server, read from its environment (see .env.example). */
export interface Config extends ServerConfig {
  readonly mostSeats: number;
  readonly databaseUrl: string;
  readonly credentials: CredentialsConfig<typeof verifiers>;
}

/** @throws {InvalidConfig} */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  readEnvironment(environment, (variables) => ({
    ...readServerConfig(variables),
    mostSeats: variables.integer('MOST_SEATS', 100, 1, 1000),
    databaseUrl: readDatabaseUrl(variables, 'sqlite:data/night-museum.db'),
    credentials: readCredentials(verifiers, variables),
  }));
