/** What our own tools and tests use of the server. It can change in every version. */
export * from './contract/tools';
export { clientOf } from './runtime/secrets';
export { invitation } from './runtime/invitation';
export { madeUpSecrets } from './runtime/signed-tokens';
export { credentialOf, openCredentials, openSecrets, variablesOf } from './runtime/credentials';
export { allowOrigins } from './runtime/cors';
export { docsRouter } from './runtime/docs';
export { readSecrets } from './runtime/secret-source';
export { BEARER_TOKENS } from './runtime/secrets';
export { HEADERS, RESERVED } from './runtime/app';
export { PLAIN_ERRORS } from './runtime/errors';
export { createMetrics } from './runtime/metrics';
export { createReport } from './runtime/report';
export { limitRequests } from './runtime/run';
