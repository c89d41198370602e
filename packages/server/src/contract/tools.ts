/** What our own tools read documents with, as the server reads them. No promise of the package. */
export { compileAnswers, type ReadAnswer } from './answers';
export { branded } from './brand';
export { Codecs } from './codecs/registry';
export { styleOf } from './codecs/form';
export { ruleOf as partRule } from './codecs/multipart-part';
export { compileContract, NOTHING_SERVED } from './compile';
export { REJECTED } from './exchange/possible';
export { Contract, type ServedOperation } from './exchange/served-operation';
export { UNKNOWN } from './document/accounting';
export { OperationIndex, titleOf } from './document/path-items';
export { joinPointer, isObject, members, OpenApiDocument } from './document/document';
export { basePathsOf } from './document/servers';
export { Router } from './operations/routes';
export { lastStep } from './document/json-pointer';
export { instantOf } from './document/extensions';
export { fragmentOf } from './document/references';
export { APPLICATORS, certain, type Relation } from './document/subschemas';
export { METHODS, operationPlaces } from './document/path-items';
export { isLargeInteger, numberLiterals, writeDocument } from './document/document-text';
export { type Lengths, textsMatching } from './pattern/texts';
export { versionFinding } from './document/openapi-schema';
export { walk, type Walked, keywordAt } from './document/walk';
export { type Support, type Kind, OBJECTS, type Version, versionOf } from './document/keywords';
export { documentsKey, isKeyed, KEY_HEADER, KEY_KINDS, leastKeyLength } from './exchange/idempotency';
export { SHORT_MESSAGE, undocumentedFinding, undocumentedResponses } from './exchange/server-problems';
export { responseActions } from './exchange/problem-overlay';
export { schemeAt } from './operations/alternatives';
export { jsonPath, type OverlayAction } from './operations/overlay';
export { UndocumentedResponse } from './exchange/write-response';
export {
  essenceOf,
  isJson,
  isRange,
  isSequential,
  type MediaType,
  type MediaTypeObject,
  parseMediaType,
} from './http/media-type';
export { equalDecimals, parseDecimal } from './json/decimal';
export { MalformedJson, parseJson } from './json/parse';
export { canonicalJson, stringifyJson } from './json/stringify';
export { exactNumber, type Holder } from './json/values';
export { decodeText, IncomingBody } from './http/body';
export { send } from './http/send';
export { bodyFor, isFile, isForm } from './samples/example-body';
export { examplesOf, lineOf, mayFindNothing } from './samples/example-request';
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
export { compilePattern, linearPattern } from './pattern/pattern';
export { Discriminators } from './document/discriminator';
export { type Direction, OneWay, type OneWayKeyword } from './schema/one-way';
export { writeParameter } from './parameters/write';
export { isInt64 } from './schema/exact-comparison';
export { SchemaSet } from './schema/schema-set';
export { errorResponseOf, STUB_HEADER, successOf, textOf } from './samples/example-response';
export { eventsOf } from './samples/item-texts';
export { samples } from './samples/sample';
export { type Bound, isTighter, type SchemaView, viewSchemas } from './schema/schema-view';
export { type Lacking, lackingColumns } from './schema/stored';
