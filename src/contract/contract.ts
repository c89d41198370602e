import { below, type JsonObject, members, OpenApiDocument } from './document';
import { aliasValue } from './json';
import { type Operation, readOperations } from './operations';
import { planRequests, type RequestReader } from './request';
import { planResponses, type ResponseWriter } from './response';
import type { Router } from './router';
import { compileRoutes, type Methods } from './routes';
import type { OwnFormats } from './schema/formats';
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
}

/**
 * Compiles a document: after this, nothing about it is left to be found out by a request.
 *
 * @param strategies undefined to prove the document alone
 * @param formats of the team's own
 * @throws {InvalidContract} with everything that is wrong, each with its place
 */
export function compileContract(
  root: JsonObject,
  strategies: Strategies | undefined,
  formats: OwnFormats = {},
): Contract {
  const document = new OpenApiDocument(root);
  // A document that is not OpenAPI cannot be read any further.
  document.assertValid();
  const operations = readOperations(document);
  checkSchemas(document, operations);
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

  const compileFirst = requestCompiler(incoming.components, false, formats);
  let compiler: Compile | undefined; // made when a request is refused: what compileFirst takes, it takes too
  const compileAll: Compile = (schema) =>
    (compiler ??= requestCompiler(incoming.components, true, formats))(schema);
  const compileResponse = responseCompiler(outgoing.components, formats);
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
  return { router, served };
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

/** Judges every schema of the components and of the operations by the metaschema of JSON Schema 2020-12. */
function checkSchemas(document: OpenApiDocument, operations: readonly Operation[]): void {
  const pointers = new Set(
    members(document.at('/components/schemas')).map(([name]) => below('/components/schemas', name)),
  );
  for (const { parameters, requestBody, responses } of operations) {
    const described = [...responses.values()].flatMap(({ headers, content }) => [...headers, ...content]);
    for (const { schema } of [...parameters, ...(requestBody?.content ?? []), ...described]) {
      if (schema !== undefined) pointers.add(schema);
    }
  }
  for (const pointer of pointers) {
    for (const { place, message } of schemaErrors({ schema: document.at(pointer) })) {
      document.addFinding(pointer + place.slice('/schema'.length), message);
    }
  }
}
