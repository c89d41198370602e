import { isObject, type JsonObject, OpenApiDocument, type Remark } from './document';
import { aliasValue } from './json';
import { type Operation, readOperations } from './operations';
import { planRequests, type RequestReader } from './request';
import { planResponses, type ResponseWriter } from './response';
import type { Router } from './router';
import { compileRoutes, type Methods } from './routes';
import { SchemaSet } from './schemas';
import { type Authenticate, compileSecurity, type Strategies } from './security';
import { Shapes, type TookBranch } from './shapes';
import { type Check, type Compile, requestCompiler, responseCompiler, schemaErrors } from './validator';

/** An operation with all that it takes to serve it. */
export interface ServedOperation {
  readonly operation: Operation;
  readonly authenticate: Authenticate;
  readonly requests: RequestReader;
  readonly responses: ResponseWriter;
}

/** Everything that a document says, compiled. */
export interface Contract {
  readonly router: Router<Methods>;
  readonly served: ReadonlyMap<Operation, ServedOperation>;
  /** What is in the document and is not enforced. */
  readonly remarks: readonly Remark[];
}

/** The finding of a document of which no operation is served. */
export const NOTHING_SERVED = 'no operation is under any path: nothing would be served';

/**
 * Compiles a document: after this, nothing about it is left to be found out by a request.
 *
 * @param strategies undefined to prove the document alone
 * @throws {InvalidContract} with everything that is wrong, each with its place
 */
export function compileContract(root: JsonObject, strategies: Strategies | undefined): Contract {
  const document = new OpenApiDocument(root);
  // A document that is not OpenAPI cannot be read any further.
  document.assertValid();
  const operations = readOperations(document);
  checkSchemas(document);
  if (operations.length === 0) document.addFinding('/paths', NOTHING_SERVED);
  const incoming = new SchemaSet(document, 'request');
  const outgoing = new SchemaSet(document, 'response');
  // In two passes: a schema may refer to any other, so that all are known before the first is compiled.
  const plans = operations.map((operation) => ({
    operation,
    requests: planRequests(document, operation, incoming),
    responses: planResponses(document, operation, outgoing),
    authenticate: strategies && compileSecurity(document, operation, strategies),
  }));
  const router = compileRoutes(document, operations);
  document.assertValid();

  const compileFirst = requestCompiler(incoming.components, false);
  let compiler: Compile | undefined; // made when a request is refused: what compileFirst takes, it takes too
  const compileAll: Compile = (schema) => (compiler ??= requestCompiler(incoming.components, true))(schema);
  const compileResponse = responseCompiler(outgoing.components);
  const requestShapes = new Shapes(document, 'request', branches(incoming, compileFirst));
  const responseShapes = new Shapes(document, 'response', branches(outgoing, compileResponse));
  const served = new Map<Operation, ServedOperation>();
  for (const { operation, requests, responses, authenticate = () => Promise.resolve({}) } of plans) {
    try {
      served.set(operation, {
        operation,
        authenticate,
        requests: requests(compileFirst, compileAll, requestShapes),
        responses: responses(compileResponse, responseShapes),
      });
    } catch (error) {
      document.addFinding(operation.pointer, error instanceof Error ? error.message : String(error));
    }
  }
  document.assertValid();
  return { router, served, remarks: document.remarks };
}

/** Asks the validator which branch of a schema a value took. */
function branches(schemas: SchemaSet, compile: Compile): TookBranch {
  const checks = new Map<string, Check>();
  return (pointer, holder, key) => {
    const known = checks.get(pointer);
    const check = known ?? compile({ type: 'object', properties: { value: schemas.branch(pointer) } });
    if (!known) checks.set(pointer, check);
    const envelope = {};
    aliasValue(holder, key, envelope, 'value');
    return check(envelope).length === 0;
  };
}

/** A copy with doubles in the place of bigints, which JSON Schema does not know. */
function asDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(asDoubles);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asDoubles(member)]));
}

/** Judges every schema of the document by the metaschema of JSON Schema 2020-12. */
function checkSchemas(document: OpenApiDocument): void {
  for (const pointer of document.schemas) {
    for (const { place, message } of schemaErrors({ schema: asDoubles(document.at(pointer)) })) {
      document.addFinding(pointer + place.slice('/schema'.length), message);
    }
  }
}
