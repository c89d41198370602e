import { branded } from '../brand';
import type { Contract, ServedOperation } from './served-operation';
import { type Finding, InvalidContract } from '../document/document';
import { isStreamed } from '../http/send';
import { Problem, type ProblemKind } from '../problem';
import { unverified } from '../security/requirements';
import { documentsKey, isKeyed, KEY_KINDS } from './idempotency';
import { canHappen, serverProblems } from './server-problems';
import type { ServiceOptions } from './service-options';

type Wiring<Own extends string> = Pick<
  ServiceOptions<Own>,
  'handlers' | 'strategies' | 'stubs' | 'reserved' | 'render' | 'ownProblems'
>;
/** The options that do not depend on the kinds of problems. */
type HandlerWiring = Pick<ServiceOptions, 'handlers' | 'stubs' | 'reserved'>;

/**
 * Checks the handlers, strategies and error responses of a service against the operations of its document.
 *
 * @throws {InvalidContract} with all findings
 */
export function checkWiring<Own extends string>({ document, served }: Contract, wiring: Wiring<Own>): void {
  const operations = [...served.values()];
  const findings = [
    ...operations.flatMap(({ operation }) => unverified(document, operation, wiring.strategies)),
    ...operations.flatMap((served) => checkHandler(served, wiring)),
    ...checkNames(operations, wiring),
    ...operations.flatMap((served) => checkProblems(served, wiring)),
  ];
  if (findings.length > 0) throw new InvalidContract(findings);
}

function checkHandler(
  { operation, requests, responses }: ServedOperation,
  { handlers, stubs, reserved }: HandlerWiring,
): Finding[] {
  const { operationId, paths, pointer } = operation;
  const handler = Object.hasOwn(handlers, operationId) ? handlers[operationId] : undefined;
  const findings: Finding[] = [];
  if (!handler)
    findings.push({ pointer, kind: 'noHandler', message: `the operation ${operationId} has no handler` });
  else if (!stubs && isStub(handler))
    findings.push({ pointer, kind: 'stub', message: `the handler of ${operationId} is still a stub` });
  if (isKeyed(handler)) {
    const demand = (message: string) =>
      findings.push({ pointer, message: `the handler of ${operationId} repeats responses, so ${message}` });
    if (!documentsKey(operation)) demand('the operation must document the header Idempotency-Key');
    if (!requests.areWhole || !responses.areValues)
      demand('no body may be a stream, an event or a file: such responses cannot be stored');
  }
  if (paths.some((path) => path.startsWith(reserved))) {
    const message = `paths that start with ${reserved} are reserved for the operation of the server`;
    findings.push({ pointer, message });
  }
  return findings;
}

/** Finds handlers without an operation. */
function checkNames(operations: readonly ServedOperation[], { handlers }: HandlerWiring): Finding[] {
  const known = new Set(operations.map(({ operation }) => operation.operationId));
  return Object.keys(handlers)
    .filter((name) => !known.has(name))
    .map((name) => ({
      pointer: '/paths',
      kind: 'noOperation',
      message: `no operation has the operationId ${name}, but a handler has`,
    }));
}

/** What handlers and hooks throw too: these error responses must be as the operation documents them, wherever it does. */
const THROWN: readonly ProblemKind[] = ['noCredentials', 'forbidden'];

/** Finds error responses of the server that do not conform to what an operation documents for their status. */
function checkProblems<Own extends string>(
  { operation, responses }: ServedOperation,
  { handlers, render, ownProblems = [] }: Wiring<Own>,
): Finding[] {
  // A range or `default` need not describe what only a handler throws.
  const thrown = isKeyed(handlers[operation.operationId]) ? [...THROWN, ...KEY_KINDS] : THROWN;
  const problems = serverProblems(operation, thrown).filter(
    (one) => canHappen(one.kind, operation) || operation.responses.has(String(render(one, operation).status)),
  );
  const messages = [...problems, ...ownProblems].flatMap((problem) => {
    const rendered = render(problem, operation);
    if (!responses.documents(rendered.status)) return [];
    try {
      responses.write(rendered, problem.headers);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  return [...new Set(messages)].map((message) => ({
    pointer: operation.pointer,
    kind: 'errorResponse',
    message: `the errors of this server do not conform to the document: ${message}`,
  }));
}

const stubs = new WeakSet();

/** The problem of a stub for which the document yields no response. */
export class NotImplemented extends Problem {
  constructor(operationId: string) {
    super('notImplemented', `the operation ${operationId} is not implemented yet`);
  }
}
branded(NotImplemented, 'NotImplemented');

/**
 * Creates the placeholder for a handler. Until the handler is written, the service answers from the document: with an
 * example, or with a generated value that conforms. Such a response has the header `X-Stub`. A service without the option
 * `stubs` does not start while one is left.
 */
export function stub(operationId: string): (request: object) => Promise<never> {
  const handler = async (request: object) => {
    // What a stream has is judged as it is read.
    const body = 'body' in request ? request.body : undefined;
    const items = isStreamed(body) ? body[Symbol.asyncIterator]() : undefined;
    while ((await items?.next())?.done === false) continue;
    throw new NotImplemented(operationId);
  };
  stubs.add(handler);
  return handler;
}

/** Whether a handler is a placeholder of `stub`. */
export function isStub(handler: object): boolean {
  return stubs.has(handler);
}
