/**
 * The public API of the contract core. Code outside the core imports only this file.
 */

// For services: serve a document, reject requests, authenticate clients.
export type { Coder, OwnCodec } from './codecs/own';
export type { OwnStreamCodec, ReceivedBody, StreamCoder } from './codecs/own-stream';
export type { Operation } from './operations/operations';
export { DescribedValue } from './operations/described-value';
export { Unservable } from './parameters/parts';
export { InvalidContract, type Finding, type JsonObject, type Remark } from './document/document';
export { findingLine } from './document/finding';
export { readDocument } from './document/document-text';
export type { HookContext, Hooks } from './exchange/hooks';
export type { Extensions, ServiceOptions } from './exchange/service-options';
export { type Logger, type LoggerFor, type Outcome, type Stage, STAGES } from './exchange/exchange';
export { type KeyedRequest, withKey } from './exchange/idempotency';
export { isStub, stub } from './exchange/wiring';
export type {
  Handler,
  HandlerRequest,
  HandlerResponse,
  Handlers,
  RequestContext,
  StoredBodies,
} from './handler-types';
export { attempt, faultToStderr, type ReportFault, safely } from './http/fault';
export type { EntityTags, Preconditions, Validators } from './http/conditional';
export { requestIdOf, unsupported } from './http/header-field';
export { preferredCoding, preferredLanguage } from './http/media-type';
export { UnusableFolder } from './http/uploads';
export { createHttpServer, listen, type ReportUnread, type ServerLimits } from './http-server';
export { exampleRequest } from './samples/example-request';
export { curlCommand, type Message, messageOf, shellWord } from './samples/message';
export { createService, type Middleware } from './pipeline';
export {
  type Answer,
  type Headers,
  Problem,
  type ProblemKind,
  type Violation,
  type ViolationParams,
} from './problem';
export { RememberedSecrets } from './security/remembered-secrets';
export { SCOPE } from './operations/declared-scopes';
export { schemeKind, type SchemeKind, UNSERVED_ALTERNATIVE } from './operations/alternatives';
export { type DocumentedScheme, securitySchemes } from './security/schemes';
export type { PrincipalsFor, StrategiesFor, StrategyOf, Verified, Verify } from './security/principals';
export type { Credentials, Principals, Strategies } from './security/requirements';
export {
  ApiKeyStrategy,
  BasicStrategy,
  bearerStrategy,
  strategiesFor,
  strategyFor,
  type TokenOptions,
  TokenStrategy,
} from './security/strategies';

// For services: send the webhooks and callbacks of a document.
export { type CallbackContext, NoCallbackUrl } from './operations/runtime-expression';
export type { SentRequest } from './sender-types';
export {
  compileSent,
  type GivenRequest,
  type Sendable,
  UndocumentedRequest,
  type WrittenRequest,
} from './webhooks';
