/**
 * The public surface of what runs a service. Code outside this folder imports this file and no other file of it.
 */

// For main.ts, app.ts and config.ts of a service.
export { type Application, createApp, type Surroundings } from './app';
export { readDatabaseUrl, readServerConfig, type ServerConfig } from './config';
export { InvalidConfig, readEnvironment, type Variables } from './environment';
export { type Authentication, runService, type ServiceParts } from './run';

// For errors.ts of a service.
export {
  type ErrorCode,
  ERRORS,
  type Errors,
  type ErrorTable,
  type KindOf,
  numberInError,
  type OperationalKind,
  toProblemIn,
} from './errors';

// For tools and tests.
export { HEADERS, RESERVED } from './app';
export { PLAIN_ERRORS } from './errors';
export { createLog } from './log';
export { createMetrics } from './metrics';
export { createReport } from './report';
export { requestIdOf } from './request-id';
export { limitRequests } from './run';
