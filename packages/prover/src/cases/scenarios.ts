import type { Document, Operation, Parameter } from '../document/model';
import { fromJson, parse, print, valueAt } from '../json/value';
import { serializeParameter } from '../request/serialize';
import type { Answer, ExpectedMembers, Resolvable, Step, Target, ParameterValues } from '../target';
import { header, type RawResponse, summarize } from '../wire/message';
import { expectAnswer, authorizedRequest, type Case, type OperationContext } from './case';

/** A step of a scenario. Its request may depend on the answers to earlier steps. */
export interface ScenarioStep {
  readonly title: string;
  readonly operation: Operation;
  /** @throws {Error} if an answer lacks a value that the step needs, or if the request cannot carry it */
  readonly make: (answers: readonly RawResponse[]) => Case;
}

/** A mistake in a scenario that needs no answer to be seen. */
class WrongStep extends Error {}

/**
 * Finds what is wrong with the scenarios before anything runs: functions of earlier answers are called with a stand-in.
 *
 * @throws {Error} if a scenario or an own refusal names an unknown operation, or a scenario an unknown parameter, own
 *   refusal or step, or has a value that no request can carry; with its place
 */
export function assertScenarios(
  { operations }: Document,
  { scenarios = [], ownRefusals = {}, source }: Target,
): void {
  const ids = operations.map(({ id }) => id);
  const check = (place: string, assert: () => void): void => {
    try {
      assert();
    } catch (error) {
      const where = source === undefined ? place : `${source}, ${place}`;
      throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
    }
  };
  for (const { title, steps } of scenarios)
    for (const [index, step] of steps.entries())
      check(`scenario "${title}, step ${index + 1}"`, () => {
        assertKnown(step.operation, ids);
        assertKnown(step.expect, ['success', ...Object.keys(ownRefusals)]);
        const operation = operations.find(({ id }) => id === step.operation);
        if (operation) assertStep(operation, step, index);
      });
  for (const [name, { operations: listed }] of Object.entries(ownRefusals))
    check(`ownRefusals.${name}.operations`, () => {
      for (const id of listed) assertKnown(id, ids);
    });
}

/** @param earlier the number of the steps before it */
function assertStep(operation: Operation, step: Step, earlier: number): void {
  const { parameters, body, answer } = step;
  const names = operation.parameters.map(({ name }) => name);
  const given = dryRun(parameters, earlier);
  for (const name of Object.keys(given ?? {})) assertKnown(name, names);
  if (typeof parameters === 'object') serializeParameters(operation, parameters);
  const text = dryRun(body, earlier);
  if (step.security) assertKnown(step.security.join(), operation.security.map(String));
  if (text !== undefined && typeof text !== 'string')
    throw new WrongStep(`expected the text of a body, got a value of the type ${typeof text}`);
  dryRun(answer, earlier);
}

/** The value for answers that nobody has given yet; undefined if it depends on them. */
function dryRun<T extends string | ParameterValues | ExpectedMembers>(
  value: Resolvable<T> | undefined,
  earlier: number,
): T | undefined {
  try {
    return resolveValue(value, (number) => {
      if (number >= 1 && number <= earlier)
        return { at: () => '1', header: () => '1', body: Buffer.from('{}') };
      throw new WrongStep(`expected the number of an earlier step, got ${number}`);
    });
  } catch (error) {
    if (error instanceof WrongStep) throw error;
    return undefined;
  }
}

/** The steps of each scenario. Omits a scenario with a blocked operation. */
export function scenarioCases(
  { scenarios = [] }: Target,
  contexts: readonly OperationContext[],
): ScenarioStep[][] {
  return scenarios.flatMap(({ title: scenario, steps }) => {
    const found = steps.flatMap((step, index): ScenarioStep[] => {
      const title = `${scenario}, step ${index + 1}`;
      const context = contexts.find(({ operation: { id } }) => id === step.operation);
      if (!context) return [];
      const make: ScenarioStep['make'] = (answers) => stepCase(context, step, title, answers);
      return [{ title, operation: context.operation, make }];
    });
    return found.length === steps.length ? [found] : [];
  });
}

function assertKnown(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const expected = known.length > 0 ? `one of ${known.join(', ')}` : 'no parameters';
  throw new WrongStep(`expected ${expected}, got ${name}`);
}

/** The serialized parameters. A name stands for the parameters of this name in every location. */
function serializeParameters({ parameters }: Operation, values: ParameterValues): [Parameter, string][] {
  return Object.entries(values).flatMap(([name, value]) => {
    assertKnown(
      name,
      parameters.map((parameter) => parameter.name),
    );
    if (value === undefined) return [];
    const named = parameters.filter((parameter) => parameter.name === name);
    return named.map((parameter): [Parameter, string] => {
      const text = serializeParameter(parameter, fromJson(value));
      if (text !== undefined) return [parameter, text];
      throw new Error(
        `expected a value that ${parameter.in} ${name} can carry, got ${print(fromJson(value))}`,
      );
    });
  });
}

function stepCase(
  context: OperationContext,
  step: Step,
  title: string,
  answers: readonly RawResponse[],
): Case {
  const { operation, base } = context;
  const answerTo = (number: number): Answer => {
    const answer = answers[number - 1];
    if (answer) return readAnswer(answer, `the answer to step ${number}`);
    throw new Error(`expected the number of an earlier step, got ${number}`);
  };
  const body = resolveValue(step.body, answerTo);
  const members = resolveValue(step.answer, answerTo);
  const inputs = {
    ...base,
    parameters: new Map([
      ...base.parameters,
      ...serializeParameters(operation, resolveValue(step.parameters, answerTo) ?? {}),
    ]),
    ...(body !== undefined && {
      body: { type: base.body?.type ?? 'application/json', bytes: Buffer.from(body) },
    }),
  };
  return {
    family: 'scenarios',
    title,
    operation,
    request: authorizedRequest(context, inputs, step.security),
    expect: {
      ...expectAnswer(step.expect),
      ...(members && { members }),
      ...(step.bytes !== undefined && { bytes: step.bytes }),
    },
    proves: [],
  };
}

const resolveValue = <T extends string | ParameterValues | ExpectedMembers>(
  value: Resolvable<T> | undefined,
  answerTo: (step: number) => Answer,
): T | undefined => (typeof value === 'function' ? value(answerTo) : value);

function readAnswer(answer: RawResponse, name: string): Answer {
  return {
    body: answer.body,
    at(pointer) {
      const value = answer.body.length > 0 ? valueAt(parse(answer.body.toString()), pointer) : undefined;
      if (value !== undefined) return value;
      throw new Error(`expected a value at ${pointer} of ${name}, got ${summarize(answer)}`);
    },
    header(field) {
      const value = header(answer, field);
      if (value !== undefined) return value;
      throw new Error(`expected the header ${field} in ${name}, got none`);
    },
  };
}
