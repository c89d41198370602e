import {
  type Answer,
  compileContract,
  createService,
  type Extensions,
  type JsonObject,
  type Middleware,
  OpenApiDocument,
  refusalOf,
  schemeKind,
  type ServiceOptions,
  strategiesFor,
  stub,
  successOf,
} from '../../src/contract';
import { HEADERS, type OperationalKind, PLAIN_ERRORS, requestIdOf, RESERVED } from '../../src/operational';
import { type Mockable, toMockable } from './document';

export interface Mock extends Omit<Mockable<unknown>, 'built'> {
  readonly service: Middleware;
  /**
   * The served operations, each with the status of its response; undefined if no conforming response was found. To read
   * it is to search, which compiles the validator.
   */
  readonly operations: readonly { readonly title: string; readonly status: number | undefined }[];
}

type Options = Pick<ServiceOptions<OperationalKind>, 'bodyLimit' | 'maxRequests' | 'report'> & {
  /** Returns a falsy value for a bearer token that the mock does not accept. */
  readonly verifyToken: (token: string) => unknown;
  readonly extensions: Extensions;
};

/**
 * Creates a service from a document alone. It validates every request, and every response conforms to the document.
 *
 * @throws {InvalidContract} with every part that can neither be served nor removed
 */
export function createMock(given: JsonObject, options: Options): Mock {
  const { built, ...account } = toMockable(given, (root) => build(root, options));
  return { ...account, ...(built ?? { service: nothing, operations: [] }) };
}

const nothing: Middleware = (_request, _response, next) => {
  next();
};

function build(root: JsonObject, options: Options) {
  const document = OpenApiDocument.of(root);
  const strategies = strategiesFor(document, acceptedBy(options.verifyToken));
  const contract = compileContract(root, strategies, options.extensions, 'at first use');
  const all = [...contract.served.values()];
  const refusals = new Map<string, Answer | undefined>();
  const service = createService({
    document: root,
    contract,
    ...options.extensions,
    stubs: true,
    handlers: Object.fromEntries(
      all.map(({ operation: { operationId } }) => [operationId, stub(operationId)]),
    ),
    strategies,
    toProblem: PLAIN_ERRORS.toProblem,
    bodyLimit: options.bodyLimit,
    maxRequests: options.maxRequests,
    headers: HEADERS,
    requestIdOf,
    reserved: RESERVED,
    report: options.report,
    render(problem, operation) {
      const plain = PLAIN_ERRORS.render(problem);
      const served = all.find((one) => one.operation.operationId === operation?.operationId);
      return (served && refusalOf(document, served, plain.status, problem, refusals)) ?? plain;
    },
  });
  const titles = all.map((served) => ({
    title: `${served.operation.method} ${served.operation.paths.join(', ')}`,
    get status() {
      return successOf(document, served)?.status;
    },
  }));
  return { built: { service, operations: titles }, remarks: contract.remarks };
}

/**
 * Verifies bearer tokens. For any other scheme, accepts all well-formed credentials. Every client holds all
 * scopes that the document requires of its scheme.
 */
function acceptedBy(verifyToken: Options['verifyToken']): Parameters<typeof strategiesFor>[1] {
  return (secret, { value, scopes }) => {
    const isToken = value['type'] === 'http' && schemeKind(value) === 'bearer';
    return (!isToken || Boolean(verifyToken(secret))) && { scopes };
  };
}
