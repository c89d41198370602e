import { HEADERS, RESERVED } from '../../src/app';
import {
  type Answer,
  compileContract,
  createService,
  type Extensions,
  type JsonObject,
  type Middleware,
  OpenApiDocument,
  schemeKind,
  type ServiceOptions,
  strategiesFor,
} from '../../src/contract';
import { type OwnKind, renderProblem, toProblem } from '../../src/errors';
import { requestIdOf } from '../../src/operational/request-id';
import { refusalOf, successOf } from './answers';
import { type Mockable, toMockable } from './document';

export interface Mock extends Omit<Mockable<unknown>, 'built'> {
  readonly service: Middleware;
  /** The served operations, each with the status of its response; undefined if no conforming response was found. */
  readonly operations: readonly { readonly title: string; readonly status: number | undefined }[];
}

type Options = Pick<ServiceOptions<OwnKind>, 'bodyLimit' | 'maxRequests' | 'report'> & {
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
  const document = new OpenApiDocument(root);
  const strategies = strategiesFor(document, acceptedBy(options.verifyToken));
  const { served: operations, remarks } = compileContract(root, strategies, options.extensions);
  const all = [...operations.values()];
  const answers = new Map(all.map((served) => [served.operation.operationId, successOf(document, served)]));
  const service = createService({
    document: root,
    ...options.extensions,
    stubs: false,
    handlers: Object.fromEntries([...answers].map(([id, answer]) => [id, () => answering(id, answer)])),
    strategies,
    toProblem,
    bodyLimit: options.bodyLimit,
    maxRequests: options.maxRequests,
    headers: HEADERS,
    requestIdOf,
    reserved: RESERVED,
    report: options.report,
    render(problem, operation) {
      const plain = renderProblem(problem);
      const served = all.find((one) => one.operation.operationId === operation?.operationId);
      return (served && refusalOf(document, served, plain.status, problem)) ?? plain;
    },
  });
  const titles = all.map(({ operation: { operationId, method, paths } }) => ({
    title: `${method} ${paths.join(', ')}`,
    status: answers.get(operationId)?.status,
  }));
  return { built: { service, operations: titles }, remarks };
}

function answering(operationId: string, answer: Answer | undefined): Promise<Answer> {
  if (answer) return Promise.resolve(answer);
  return Promise.reject(new Error(`no response was found for ${operationId} that conforms to the document`));
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
