import { joinPointer, type JsonObject, OpenApiDocument, type Remark } from './document/document';
import { Codecs } from './codecs/registry';
import { type Holder, MalformedJson, parseJson } from './json/parse';
import { type Operation, readOperations } from './operations/operations';
import { planRequests } from './exchange/request';
import { planResponses } from './exchange/response';
import type { ServedOperation } from './exchange/served-operation';
import type { Extensions } from './exchange/service-options';
import type { Router } from './operations/router';
import { compileRoutes, type Methods } from './operations/routes';
import type { HoldsOf } from './schema/applicable';
import { type OwnFormats, reasonNotEnforced } from './schema/formats';
import type { Direction } from './schema/one-way';
import { SchemaSet } from './schema/schema-set';
import { compileSecurity, type Strategies } from './security/requirements';
import { Shapes } from './schema/shapes';
import { type Check, type Compiler, createCompiler, type Judge, schemaErrors } from './schema/validator';

/** A compiled document. */
export interface Contract {
  /** Finds the operations of a path. */
  readonly router: Router<Methods>;
  readonly served: ReadonlyMap<Operation, ServedOperation>;
  /** The parts of the document that the server does not enforce. */
  readonly remarks: readonly Remark[];
}

/** The message of the finding for a document without operations. */
export const NOTHING_SERVED = 'no operation is under any path: nothing would be served';

/**
 * Compiles a document at start. Requests find no further faults in it.
 *
 * @param root an OpenAPI 3.1 document
 * @param strategies by the name of the security scheme; undefined to check the document alone
 * @param extensions the formats and codecs of the service
 * @throws {InvalidContract} with all findings, each with its JSON pointer
 */
export function compileContract(
  root: JsonObject,
  strategies: Strategies | undefined,
  { formats = {}, codecs: own = [] }: Extensions = {},
): Contract {
  const codecs = new Codecs(own);
  const document = new OpenApiDocument(root);
  // The following steps expect a valid OpenAPI document.
  document.assertValid();
  const operations = readOperations(document);
  checkSchemas(document);
  remarkFormats(document, formats);
  if (operations.length === 0) document.addFinding('/paths', NOTHING_SERVED);
  const incoming = new SchemaSet(document, 'request');
  const outgoing = new SchemaSet(document, 'response');
  // Schemas refer to each other: plan all operations before compiling the first.
  const plans = operations.map((operation) => ({
    operation,
    requests: planRequests(document, operation, incoming, codecs),
    responses: planResponses(document, operation, outgoing, codecs),
    authenticate: strategies && compileSecurity(document, operation, strategies),
  }));
  const router = compileRoutes(document, operations);
  incoming.check();
  outgoing.check();
  document.assertValid();

  const requests = createJudges('request', incoming, formats);
  const responses = createJudges('response', outgoing, formats);
  const requestShapes = new Shapes(incoming, 'request', requests.verdicts.of);
  const responseShapes = new Shapes(outgoing, 'response', responses.verdicts.of);
  checkDefaults(document, incoming, requests.verdicts.of, new Set());
  checkDefaults(document, outgoing, responses.verdicts.of, new Set(incoming.defaults.keys()));
  const served = new Map<Operation, ServedOperation>();
  for (const { operation, authenticate = () => Promise.resolve({}), ...plan } of plans) {
    try {
      served.set(operation, {
        operation,
        authenticate,
        requests: plan.requests(requests.judgeOf, requestShapes),
        responses: plan.responses(responses.judgeOf, responseShapes),
      });
    } catch (error) {
      document.addFinding(operation.pointer, error instanceof Error ? error.message : String(error));
    }
  }
  document.assertValid();
  for (const { verdicts } of [requests, responses]) verdicts.prepare();
  return { router, served, remarks: document.remarks };
}

/** Creates the judges of requests, or of responses. */
function createJudges(direction: Direction, schemas: SchemaSet, formats: OwnFormats) {
  const first = createCompiler(direction, schemas, false, formats);
  let compiler: Compiler | undefined; // created at the first violation; it accepts every schema that `first` accepts
  const judgeOf = (schema: JsonObject): Judge => {
    let all: Check | undefined;
    return {
      first: first.compile(schema),
      all: (envelope) => {
        compiler ??= createCompiler(direction, schemas, true, formats, first.verdicts);
        all ??= compiler.compile(schema);
        return all(envelope);
      },
    };
  };
  return { judgeOf, verdicts: first.verdicts };
}

/** Adds a finding for each default that does not conform to its schema. */
function checkDefaults(
  document: OpenApiDocument,
  { defaults }: SchemaSet,
  holdsOf: HoldsOf,
  checked: ReadonlySet<string>,
): void {
  for (const [pointer, { identifier, text, from }] of defaults) {
    if (checked.has(pointer)) continue;
    const holder: Holder = {};
    try {
      parseJson(text, holder, 'default');
      if (holdsOf(identifier)(holder['default'], holder, 'default', {})) continue;
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
    }
    const whole =
      from === undefined ? 'the schema that it stands in' : `#${pointer}, for which it is filled in`;
    document.addFinding(joinPointer(from ?? pointer, 'default'), `does not match ${whole}`);
  }
}

/** Adds a remark for each format that the server does not enforce. */
function remarkFormats(document: OpenApiDocument, own: OwnFormats): void {
  for (const { pointer, value, carried } of document.references.objects('Schema')) {
    const { format } = value;
    const message = carried || typeof format !== 'string' ? undefined : reasonNotEnforced(format, own);
    if (message === undefined) continue;
    document.addRemark({ pointer: joinPointer(pointer, 'format'), message, word: 'Schema format' });
  }
}

/** Validates every schema of the document against the metaschema of JSON Schema 2020-12. */
function checkSchemas(document: OpenApiDocument): void {
  for (const pointer of document.schemas) {
    for (const { place, message } of schemaErrors({ schema: document.at(pointer) })) {
      document.addFinding(pointer + place.slice('/schema'.length), message);
    }
  }
}
