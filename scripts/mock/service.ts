import { HEADERS, RESERVED } from '../../src/app';
import { tokenVerifier } from '../../src/auth';
import {
  type Answer,
  ApiKeyStrategy,
  BasicStrategy,
  bearerStrategy,
  below,
  compileContract,
  createService,
  type JsonObject,
  members,
  type Middleware,
  OpenApiDocument,
  readOperations,
  type ServiceOptions,
  type Strategies,
} from '../../src/contract';
import { type OwnKind, renderProblem, toProblem } from '../../src/errors';
import { requestIdOf } from '../../src/operational/request-id';
import { refusalOf, successOf } from './answers';
import { type Mockable, toMockable } from './document';

export interface Mock extends Omit<Mockable<unknown>, 'built'> {
  readonly service: Middleware;
  /** What is served, and what it is answered with; no status where nothing was found that fits. */
  readonly operations: readonly { readonly title: string; readonly status: number | undefined }[];
}

type Options = Pick<ServiceOptions<OwnKind>, 'bodyLimit' | 'maxRequests' | 'report'> & {
  readonly tokens: readonly string[];
};

/**
 * A service for a document alone: every request is checked as the document says, and answered as it says.
 *
 * @throws {InvalidContract} with what in it cannot be served
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
  const strategies = strategiesFor(document, options.tokens);
  const { served: operations, remarks } = compileContract(root, strategies);
  const all = [...operations.values()];
  const answers = new Map(all.map((served) => [served.operation.operationId, successOf(document, served)]));
  const service = createService({
    document: root,
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
  return Promise.reject(new Error(`no answer was found for ${operationId} that fits what the document says`));
}

/**
 * Bearer tokens are the given ones; of the other schemes, any credentials of the right form will do. All hold the scopes
 * that the document demands of their scheme.
 */
function strategiesFor(document: OpenApiDocument, tokens: readonly string[]): Strategies {
  const demanded = readOperations(document).flatMap(({ security }) => security.flat());
  const { verify: verifyToken } = tokenVerifier(tokens);
  const names = members(document.at('/components/securitySchemes')).map(([name]) => name);
  return Object.fromEntries(
    names.map((name): [string, Strategies[string]] => {
      const scopes = demanded.flatMap((one) => (one.scheme === name ? one.scopes : []));
      const anyone = () => ({ scopes });
      const holder = async (token: string) => (await verifyToken(token)) && { scopes };
      const { type, scheme } = document.follow(below('/components/securitySchemes', name)).value;
      if (type === 'apiKey') return [name, new ApiKeyStrategy(anyone)];
      if (type === 'oauth2' || type === 'openIdConnect') return [name, bearerStrategy(anyone)];
      if (/^basic$/i.test(String(scheme))) return [name, new BasicStrategy(anyone)];
      return [name, bearerStrategy(holder)];
    }),
  );
}
