import { type RequestHandler, Router } from 'express';
import {
  type Answer,
  createService,
  type Extensions,
  type JsonObject,
  type Middleware,
  type ServiceOptions,
  stub,
} from 'contract-first-server';
import {
  allowOrigins,
  compileContract,
  docsRouter,
  HEADERS,
  loadMcp,
  type McpOptions,
  type OpenApiDocument,
  PLAIN_ERRORS,
  errorResponseOf,
  RESERVED,
  STUB_HEADER,
  successOf,
} from 'contract-first-server/tools';
import { type OperationalKind } from 'contract-first-server/runtime';
import { acceptTokens, credentialsFile } from './credentials';
import { type Mockable, toMockable } from './document';
import { answerLeftOut } from './left-out';

export interface Mock extends Omit<Mockable<unknown>, 'built'> {
  readonly service: RequestHandler;
  /**
   * The served operations, each with the status of its response; undefined if no conforming response was found. To read
   * it is to search, which compiles the validator.
   */
  readonly operations: readonly { readonly title: string; readonly status: number | undefined }[];
  /** The credentials of its schemes, as a CREDENTIALS file of `make contract`. */
  readonly credentials: string;
}

type Options = Pick<ServiceOptions<OperationalKind>, 'bodyLimit' | 'maxRequests' | 'report'> & {
  /** The accepted tokens. */
  readonly tokens: readonly string[];
  /** The origins whose pages may call the mock (CORS); any by default. */
  readonly corsOrigins?: readonly string[] | '*';
  readonly extensions: Extensions;
  /** What serves the operations as tools at `/mcp`; by default nothing does. */
  readonly mcp?: Pick<McpOptions, 'mode' | 'url' | 'host' | 'corsOrigins' | 'fault'> | undefined;
};

/**
 * Creates a service from a document alone. It validates every request, and every response conforms to the document.
 *
 * @throws {InvalidContract} with every part that can neither be served nor removed
 */
export function createMock(given: JsonObject, options: Options): Mock {
  const { built, ...account } = toMockable(given, (document) => build(document, options));
  if (!built) return { ...account, service: nothing, operations: [], credentials: '{}' };
  const { served, cors, service, contract, ...rest } = built;
  const notTools: string[] = [];
  const mcp =
    options.mcp &&
    loadMcp().createMcp({
      ...options,
      ...options.mcp,
      contract,
      service,
      headers: HEADERS,
      issuers: () => [],
      onLeftOut: (sentences) => notTools.push(...sentences),
      within: (_, call) => call(),
    });
  // To answer for what is left out reads the document again.
  const leftOut = served.size < account.total ? answerLeftOut(given, served, account.removed) : nothing;
  return {
    ...account,
    ...rest,
    leftOut: [...account.leftOut, ...notTools],
    service: Router()
      .use(mcp ?? nothing, cors, leftOut, service)
      .use(RESERVED, docsRouter(contract.document)),
  };
}

const nothing: Middleware = (_request, _response, next) => {
  next();
};

function build(document: OpenApiDocument, options: Options) {
  const contract = compileContract(document, options.extensions, 'at first use');
  const all = [...contract.served.values()];
  const refusals = new Map<string, Answer | undefined>();
  const service = createService({
    document,
    ...options.extensions,
    stubs: true,
    handlers: Object.fromEntries(
      all.map(({ operation: { operationId } }) => [operationId, stub(operationId)]),
    ),
    strategies: acceptTokens(document, options.tokens),
    toProblem: PLAIN_ERRORS.toProblem,
    bodyLimit: options.bodyLimit,
    maxRequests: options.maxRequests,
    headers: HEADERS,
    reserved: RESERVED,
    report: options.report,
    render(problem, operation) {
      const plain = PLAIN_ERRORS.render(problem);
      const served = all.find((one) => one.operation.operationId === operation?.operationId);
      const found = served && errorResponseOf(document, served, plain.status, problem, refusals);
      if (problem.kind !== 'notImplemented') return found ?? plain;
      return {
        ...(found ?? plain),
        headers: { ...found?.headers, [STUB_HEADER]: operation?.operationId ?? '' },
      };
    },
  });
  const titles = all.map((served) => ({
    title: `${served.operation.method} ${served.operation.paths.join(', ')}`,
    get status() {
      return successOf(document, served)?.status;
    },
  }));
  return {
    built: {
      cors: allowOrigins(options.corsOrigins ?? '*', document),
      contract,
      service,
      served: new Set(all.map(({ operation }) => operation.pointer)),
      operations: titles,
      credentials: credentialsFile(document, options.tokens),
    },
    remarks: contract.remarks,
  };
}
