import { joinPointer, type JsonObject, OpenApiDocument } from './document/document';
import { Discriminators } from './document/discriminator';
import { Codecs } from './codecs/registry';
import { MalformedJson, parseJson } from './json/parse';
import type { Holder } from './json/values';
import { type Operation, readOperations } from './operations/operations';
import { atFirstUse, atStart, type Create } from './exchange/plan';
import { planRequests } from './exchange/plan-request';
import { ResponsePlans } from './exchange/plan-response';
import { checkPossible } from './exchange/possible';
import { Contract, type ServedOperation } from './exchange/served-operation';
import type { Extensions } from './exchange/service-options';
import { compileRoutes } from './operations/routes';
import type { HoldsOf } from './schema/applicable';
import { type OwnFormats, reasonNotEnforced } from './schema/formats';
import type { Direction } from './schema/one-way';
import { SchemaSet } from './schema/schema-set';
import { Shapes } from './schema/shapes';
import {
  type Check,
  type Compiler,
  createCompiler,
  type Judge,
  schemaErrors,
  Uncompilable,
} from './schema/validator';

/** The message of the finding for a document without operations. */
export const NOTHING_SERVED = 'no operation is under any path: nothing would be served';

type When = 'at start' | 'at first use';

/** What was compiled last of each document that was read, and with what. */
const compiled = new WeakMap<
  OpenApiDocument,
  { readonly extensions: readonly unknown[]; readonly contract: Contract }
>();

/**
 * Compiles a document at start. Requests find no further faults in it. A document that was read is compiled once for the same
 * extensions: the services and tools of a process share the contract.
 *
 * @param given an OpenAPI document of 3.1 or 3.2
 * @param extensions the formats and codecs of the service
 * @param when validators are compiled. At start, the compiler proves that it compiles each; otherwise the document proves
 *   it, by the metaschema and the syntax of its patterns, and a fault of the compiler fails the request that meets it.
 * @throws {InvalidContract} with all findings, each with its JSON pointer
 */
export function compileContract(
  given: JsonObject | OpenApiDocument,
  { formats, codecs }: Extensions = {},
  when: When = 'at start',
): Contract {
  const document = given instanceof OpenApiDocument ? given : new OpenApiDocument(given);
  const extensions = [formats, codecs];
  const known = compiled.get(document);
  if (known?.extensions.every((each, i) => each === extensions[i])) return known.contract;
  const contract = compile(document, formats ?? {}, new Codecs(codecs ?? []), when);
  compiled.set(document, { extensions, contract });
  return contract;
}

function compile(document: OpenApiDocument, formats: OwnFormats, codecs: Codecs, when: When): Contract {
  // The following steps expect a valid OpenAPI document.
  document.assertValid();
  const operations = readOperations(document);
  checkSchemas(document);
  new Discriminators(document).check();
  remarkFormats(document, formats);
  if (operations.length === 0) document.addFinding('/paths', NOTHING_SERVED);
  const incoming = new SchemaSet(document, 'request');
  const outgoing = new SchemaSet(document, 'response');
  // Schemas refer to each other: plan all operations before compiling the first.
  const responsePlans = new ResponsePlans(document, outgoing, codecs);
  const plans = operations.map((operation) => ({
    operation,
    requests: planRequests(document, operation, incoming, codecs),
    responses: responsePlans.of(operation),
  }));
  const router = compileRoutes(document, operations);
  incoming.check();
  outgoing.check();
  document.assertValid();
  checkPossible(document, operations);

  const create = when === 'at start' ? atStart : atFirstUse;
  const requests = createJudges('request', incoming, formats, create);
  const responses = createJudges('response', outgoing, formats, create);
  const requestShapes = new Shapes(incoming, 'request', requests.conformance.of);
  const responseShapes = new Shapes(outgoing, 'response', responses.conformance.of);
  checkDefaults(document, incoming, requests.conformance.of, new Set());
  checkDefaults(document, outgoing, responses.conformance.of, new Set(incoming.defaults.keys()));
  const served = new Map<Operation, ServedOperation>();
  for (const { operation, ...plan } of plans) {
    try {
      served.set(operation, {
        operation,
        requests: plan.requests(create, requests.judgeOf, requestShapes),
        responses: plan.responses(create, responses.judgeOf, responseShapes),
      });
    } catch (error) {
      document.addFinding(operation.pointer, error instanceof Error ? error.message : String(error));
    }
  }
  if (when === 'at start') {
    prepareComponents(document, requests, incoming);
    prepareComponents(document, responses, outgoing);
  }
  document.assertValid();
  return new Contract(document, router, served);
}

/** Creates the judges of requests, or of responses. */
export function createJudges(direction: Direction, schemas: SchemaSet, formats: OwnFormats, create: Create) {
  const first = createCompiler(direction, schemas, false, formats);
  let compiler: Compiler | undefined; // created at the first violation; it accepts every schema that `first` accepts
  const judgeOf = (schema: JsonObject): Judge => {
    let all: Check | undefined;
    return create<Judge>({
      first: () => first.compile(schema),
      all: () => (envelope) => {
        compiler ??= createCompiler(direction, schemas, true, formats, first.conformance);
        all ??= compiler.compile(schema);
        return all(envelope);
      },
    });
  };
  return { judgeOf, conformance: first.conformance };
}

/** Compiles the components of requests, or of responses. Adds a finding for each that cannot be compiled. */
export function prepareComponents(
  document: OpenApiDocument,
  { conformance }: ReturnType<typeof createJudges>,
  { pointers }: SchemaSet,
): void {
  conformance.prepare((identifier, error) => {
    if (!(error instanceof Uncompilable)) throw error;
    document.addFinding(pointers.get(identifier) ?? '', error.message);
  });
}

/** Adds a finding for each default that does not conform to its schema. */
export function checkDefaults(
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
  for (const { pointer, value, documented } of document.references.objects('Schema')) {
    const { format } = value;
    const message = documented || typeof format !== 'string' ? undefined : reasonNotEnforced(format, own);
    if (message === undefined) continue;
    document.addRemark({ pointer: joinPointer(pointer, 'format'), message, keyword: 'Schema format' });
  }
}

/** Validates every schema of the document against the metaschema of JSON Schema 2020-12. */
export function checkSchemas(document: OpenApiDocument): void {
  for (const pointer of document.schemas) {
    for (const { place, message } of schemaErrors({ schema: document.at(pointer) })) {
      document.addFinding(pointer + place.slice('/schema'.length), message);
    }
  }
}
