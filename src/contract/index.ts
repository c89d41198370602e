/**
 * The public API of the contract core. Code outside the core imports this file and no other file of it.
 */

// For services: serve a document, refuse requests, authenticate clients.
export type { Coder, OwnCodec } from './codecs/own';
export type { OwnStreamCodec, ReceivedBody, StreamCoder } from './codecs/own-stream';
export { DescribedValue } from './operations/described-value';
export { Unservable } from './parameters/parts';
export { InvalidContract, type Finding, type JsonObject, type Remark } from './document/document';
export { findingLine } from './document/finding';
export { readDocument } from './document/text';
export type { HookContext, Hooks } from './exchange/hooks';
export type { Extensions, ServiceOptions } from './exchange/service-options';
export { type Logger, type LoggerFor, type Outcome, type Stage, STAGES } from './exchange/exchange';
export { isStub, stub } from './exchange/wiring';
export type { Handler, HandlerRequest, HandlerResponse, Handlers, RequestContext } from './handler-types';
export { attempt, faultToStderr, type ReportFault, safely } from './http/fault';
export type { EntityTags, Preconditions, Validators } from './http/conditional';
export { requestIdOf, unsupported } from './http/header-field';
export { preferredCoding } from './http/media-type';
export { UnusableFolder } from './http/uploads';
export { createHttpServer, listen, type ReportUnread, type ServerLimits } from './http-server';
export { exampleRequest } from './samples/example-request';
export { curlCommand, type Message, messageOf, shellWord } from './samples/message';
export { createService, type Middleware } from './pipeline';
export { type Answer, type Headers, Problem, type ProblemKind, type Violation } from './problem';
export { SCOPE } from './operations/declared-scopes';
export { schemeKind, type SchemeKind, UNSERVED_ALTERNATIVE } from './operations/alternatives';
export { type DocumentedScheme, securitySchemes } from './security/credentials';
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

// For tools: read a document as the server reads it.
export { Codecs } from './codecs/registry';
export { styleOf } from './codecs/form';
export { ruleOf as partRule } from './codecs/multipart-part';
export { compileContract, NOTHING_SERVED } from './compile';
export { REJECTED } from './exchange/possible';
export { Contract, type ServedOperation } from './exchange/served-operation';
export { UNKNOWN } from './document/accounting';
export { OperationIndex, titleOf } from './document/path-items';
export { joinPointer, isObject, members, OpenApiDocument } from './document/document';
export { lastStep } from './document/json-pointer';
export { fragmentOf } from './document/references';
export { APPLICATORS, certain, type Relation } from './document/subschemas';
export { METHODS, operationPlaces } from './document/path-items';
export { isLargeInteger, numberLiterals, writeDocument } from './document/text';
export { type Lengths, textsMatching } from './pattern/texts';
export { versionFinding } from './document/openapi-schema';
export { walk, type Walked, keywordAt } from './document/walk';
export { type Support, type Kind, OBJECTS, type Version, versionOf } from './document/keywords';
export { REFUSED, undocumentedFinding, undocumentedRefusals } from './exchange/own-refusals';
export { refusalActions } from './exchange/refusal-overlay';
export { jsonPath, type OverlayAction } from './operations/overlay';
export { UndocumentedResponse } from './exchange/response';
export { essenceOf, isJson, type MediaType, type MediaTypeObject, parseMediaType } from './http/media-type';
export { equalDecimals, parseDecimal } from './json/decimal';
export { exactNumber, type Holder, MalformedJson, parseJson } from './json/parse';
export { canonicalJson, stringifyJson } from './json/stringify';
export { examplesOf } from './samples/example-request';
export {
  camelCase,
  documentedKey,
  type Operation,
  type Parameter,
  readOperations,
  type ResponseObject,
} from './operations/operations';
export { readSentOperations } from './operations/sent';
export { unicodePattern } from './pattern/legacy';
export { compilePattern } from './pattern/pattern';
export { Discriminators } from './document/discriminator';
export { type Direction, OneWay, type OneWayKeyword } from './schema/one-way';
export { isInt64 } from './schema/exact-comparison';
export { SchemaSet } from './schema/schema-set';
export { refusalOf, successOf } from './samples/answers';
export { samples } from './samples/sample';
export { type Bound, isTighter, type SchemaView, viewSchemas } from './schema/schema-view';
