/** The public surface of the contract core: what is outside of it imports this file and nothing else of it. */
export { InvalidContract, type Finding, type JsonObject, type Remark } from './document/document';
export { readDocument } from './document/text';
export type { ReportFault } from './http/fault';
export type { Handler, HandlerRequest, HandlerResponse, Handlers, RequestContext } from './handler-types';
export { type Answer, type Headers, Problem, type ProblemKind } from './problem';
export type { Credentials, Principals, Strategies } from './security/requirements';
export type { PrincipalsFor, StrategiesFor, StrategyOf, Verified, Verify } from './security/principals';
export { createService, type Middleware, type Outcome, type ServiceOptions } from './pipeline';
export { createHttpServer, listen, type ServerLimits } from './http-server';
export { ApiKeyStrategy, BasicStrategy, bearerStrategy } from './security/strategies';
export { notImplemented } from './exchange/stub';
