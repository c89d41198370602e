import { ADVICE } from './advice';
import {
  authorizedRequest,
  type Case,
  expectSuccess,
  type OperationContext,
  type RunContext,
} from './cases/case';
import { satisfiedConstraints } from './cases/values';
import { failureWithoutRequest } from './failure';
import { type Inputs, slots } from './request/slots';
import type { CaseRunner } from './case-runner';
import { resourcesOf, sourcesOf } from './state/sources';
import type { State } from './state/state';
import type { Server } from './target';
import { reasonOf } from './untestable';
import { header, type Outcome, summarize } from './wire/message';
import { textOf } from './json/tree';
import { isSafe, type Operation } from './document/model';
import { composeRequest, minimalInputs, takesCredentials } from './request/compose';

/**
 * The header of responses of stubs. With 501, a mock says by it that it leaves an operation out, or has no sample for it; with an error
 * of the server, a stub says that the document yields no response.
 */
const STUB = 'X-Stub';

const baselineCase = (context: OperationContext, proves: readonly string[] = []): Case => ({
  family: 'baseline',
  title: 'the minimal valid request',
  operation: context.operation,
  request: authorizedRequest(context),
  expect: expectSuccess,
  handlerInput: { inputs: context.base },
  proves,
});

/** Sends the minimal valid request of an operation. If the server does not accept it, blocks the operation. */
export async function establishBaseline(
  common: RunContext,
  operation: Operation,
  server: Server,
  runner: CaseRunner,
): Promise<OperationContext | undefined> {
  const { client, ledger, failures, describe, attempt, giveUp, isStub, reset, state } = runner;
  try {
    if (state) return await findBaseline(common, operation, server, runner, state);
    const base = minimalInputs(common.document, common.oracle, operation);
    const context = { ...common, operation, base };
    const baseline = baselineCase(context);
    await reset(server);
    const { problems, outcome } = await attempt(server, baseline);
    if (!outcome) return undefined;
    if (problems.length === 0) return context;
    if (isStub(operation) && isWithoutResponse(outcome)) {
      giveUp(operation, 'the document yields no response for its stub');
      return undefined;
    }
    const explained = [...problems, ...likelyCause(operation)];
    ledger.block(operation.id, explained.join('; '));
    failures.push(describe(baseline, explained));
  } catch (error) {
    const problem = reasonOf(error);
    const left = state && (await leftOutByMock(operation, server, client));
    if (left === undefined) giveUp(operation, problem);
    else ledger.block(operation.id, left, 'OUT OF REACH');
    // A black box is not at fault for what the prover does not support.
    if (!state && !isStub(operation)) failures.push(failureWithoutRequest('baseline', operation, problem));
  }
  return undefined;
}

/** Whether an outcome is that of a stub for which the document yields no response. */
const isWithoutResponse = (outcome: Outcome): boolean =>
  !('noResponse' in outcome) && outcome.status >= 500 && header(outcome, STUB) !== undefined;

/** What a response says if it is that of a mock to an operation that it leaves out. */
const leftOutIn = (outcome: Outcome | undefined): string | undefined =>
  outcome && !('noResponse' in outcome) && outcome.status === 501 && header(outcome, STUB) !== undefined
    ? `the mock leaves the operation out: ${summarize(outcome)}`
    : undefined;

/**
 * Asks a black box without parameters and credentials, which cannot be had, whether it is a mock that leaves an operation out.
 * Asks for a safe operation only.
 */
export async function leftOutByMock(
  operation: Operation,
  server: Server,
  client: CaseRunner['client'],
): Promise<string | undefined> {
  if (!isSafe(operation.method) || client.mustEnd() !== undefined) return undefined;
  return leftOutIn(await client.exchange(server, composeRequest(operation, { parameters: new Map() })));
}

/** Tries the minimal requests to a black box, and blocks the operation if none is accepted. */
async function findBaseline(
  common: RunContext,
  operation: Operation,
  server: Server,
  { ledger, fail, probe, record }: CaseRunner,
  state: State,
): Promise<OperationContext | undefined> {
  let refused: string | undefined;
  let status = 0;
  for await (const base of state.candidates(server, operation)) {
    const context = { ...common, operation, base };
    const sent = baselineCase(context, satisfiedByPath(context, base));
    const probed = await probe(server, sent, 'baseline');
    if (!probed) return undefined;
    const { outcome, problems } = probed;
    const left = leftOutIn(outcome);
    if (left !== undefined) {
      ledger.block(operation.id, left, 'OUT OF REACH');
      return undefined;
    }
    if ('noResponse' in outcome || outcome.status >= 500) {
      fail(sent, probed);
      ledger.block(operation.id, problems.join('; '));
      return undefined;
    }
    if (outcome.status < 300 || (outcome.status < 400 && probed.result.response)) {
      record(probed);
      if (problems.length > 0) fail(sent, probed);
      await state.accept(server, context);
      return context;
    }
    refused = summarize(outcome);
    ({ status } = outcome);
  }
  const isCreatable = resourcesOf(operation).some((resource) =>
    sourcesOf(common.document, resource).some(({ creates }) => creates),
  );
  if (!common.target.blackBox?.write && status === 404 && isCreatable)
    ledger.block(operation.id, ADVICE.allowCreation(), 'OUT OF REACH');
  else if (refused === undefined) ledger.block(operation.id, ADVICE.documentResource());
  else {
    const isAboutSender = (status === 401 || status === 403) && takesCredentials(operation);
    const remedy = isAboutSender ? ADVICE.renewCredentials() : ADVICE.documentExample();
    ledger.block(operation.id, `the service does not accept the minimal request: ${refused}: ${remedy}`);
  }
  return undefined;
}

/** Keys of the constraints that the accepted path satisfies: other paths may name nothing. */
function satisfiedByPath(context: OperationContext, { parameters }: Inputs): string[] {
  return slots(context.document, context.operation).flatMap((slot) => {
    const text = slot.parameter?.in === 'path' ? parameters.get(slot.parameter) : undefined;
    const value = text === undefined ? undefined : slot.decode(decodeURIComponent(text));
    return value === undefined ? [] : satisfiedConstraints(context, slot, value);
  });
}

/** A likely cause if the minimal request fails: the service lacks the resource that its path names. */
function likelyCause({ parameters }: Operation): string[] {
  const examples = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, examples: [first], schemaExamples: [second] }) => [name, first ?? second] as const);
  if (examples.length === 0) return [];
  const missing = examples.flatMap(([name, example]) => (example === undefined ? [name] : []));
  const named = examples.map(
    ([name, example]) => `${name} = ${example === undefined ? 'none' : textOf(example)}`,
  );
  return missing.length > 0
    ? [ADVICE.addExample(missing.join(', '))]
    : [ADVICE.holdResource(named.join(', '))];
}
