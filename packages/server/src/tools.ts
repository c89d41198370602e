/** What our own tools and tests use of the server. It can change in every version. */
export * from './contract/tools';
export { clientOf } from './runtime/credentials/secrets';
export { firstCommand, invitation } from './runtime/credentials/invitation';
export { madeUpSecrets } from './runtime/credentials/signed-tokens';
export { credentialOf, openCredentials, openSecrets, variablesOf } from './runtime/credentials/credentials';
export { allowOrigins } from './runtime/cors';
export { loadMcp } from './runtime/mcp';
export type { McpOptions } from './mcp/access';
export { docsRouter } from './runtime/page/docs';
export { readSecrets } from './runtime/credentials/secret-source';
export { BEARER_TOKENS } from './runtime/credentials/secrets';
export { HEADERS, RESERVED } from './runtime/app';
export { PLAIN_ERRORS } from './runtime/errors';
export { observeDeprecated } from './runtime/observe/deprecated';
export { createMetrics } from './runtime/observe/metrics';
export { createReport } from './runtime/observe/report';
export { limitRequests } from './runtime/limits/load';
