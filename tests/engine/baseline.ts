import { authorizedRequest, type Case, expectSuccess, type OperationContext } from './cases/case';
import type { Operation } from './document/document';
import { failureOf, failureWithoutRequest } from './failure';
import { minimalInputs } from './request/request';
import type { Session } from './session';
import type { Server } from './target';

/** What all operations of a run share. */
export type RunContext = Omit<OperationContext, 'operation' | 'base'>;

/** Sends the minimal valid request of an operation. If the server does not accept it, blocks the operation. */
export async function establishBaseline(
  common: RunContext,
  operation: Operation,
  server: Server,
  { ledger, failures, attempt }: Session,
): Promise<OperationContext | undefined> {
  try {
    const base = minimalInputs(common.document, common.oracle, operation);
    const context = { ...common, operation, base };
    const baseline: Case = {
      family: 'baseline',
      title: 'the minimal valid request',
      operation,
      request: authorizedRequest(context),
      expect: expectSuccess,
      handlerInput: { inputs: base },
      proves: [],
    };
    await server.reset?.();
    const { problems, outcome } = await attempt(server, baseline);
    if (!outcome) return undefined;
    if (problems.length === 0) return context;
    const explained = [...problems, ...likelyCause(operation)];
    ledger.block(operation.id, explained.join('; '));
    failures.push(failureOf(baseline, explained, [], common.target.curl));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    ledger.block(operation.id, problem);
    failures.push(failureWithoutRequest('baseline', operation, problem));
  }
  return undefined;
}

/** A likely cause if the minimal request fails: the service lacks the resource that its path names. */
function likelyCause({ parameters }: Operation): string[] {
  const examples = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, examples: [first], schemaExamples: [second] }) => [name, first ?? second] as const);
  if (examples.length === 0) return [];
  const missing = examples.flatMap(([name, example]) => (example === undefined ? [name] : []));
  const named = examples.map(([name, example]) => `${name} = ${JSON.stringify(example)}`);
  return missing.length > 0
    ? [`the document has no example for path ${missing.join(', ')}, so a generated value was sent`]
    : [`the service must hold the resource that the examples of the document name: path ${named.join(', ')}`];
}
