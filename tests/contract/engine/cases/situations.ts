import { responseFor, type Document, type Parameter } from '../document';
import { fromJson, type Json } from '../json';
import { serialise } from '../parameters';
import type { Scenario, Step, Target } from '../target';
import { answered, authorised, type Case, type Context } from './case';

/**
 * What only a person can think of: requests that belong together, each list to be sent to a fresh service. A scenario
 * with an operation that is blocked is left out.
 *
 * @throws {Error} if a scenario names what neither the document nor the target has
 */
export function scenarioCases(document: Document, target: Target, contexts: readonly Context[]): Case[][] {
  return (target.scenarios ?? []).flatMap((scenario) => {
    checkNames(document, target, scenario);
    const cases = scenario.steps.flatMap((step, index) => {
      const context = contexts.find(({ operation }) => operation.id === step.operation);
      return context ? [stepCase(context, step, `${scenario.title}, step ${index + 1}`)] : [];
    });
    return cases.length === scenario.steps.length ? [cases] : [];
  });
}

function checkNames(
  { operations }: Document,
  { ownRefusals = {} }: Target,
  { title, steps }: Scenario,
): void {
  const check = (names: readonly string[], known: readonly string[]): void => {
    const wrong = names.find((name) => !known.includes(name));
    if (wrong === undefined) return;
    const expected = known.length > 0 ? `one of ${known.join(', ')}` : 'no parameters';
    throw new Error(`scenario "${title}": expected ${expected}, got ${wrong}`);
  };
  for (const step of steps) {
    check(
      [step.operation],
      operations.map(({ id }) => id),
    );
    check([step.expect], ['success', ...Object.keys(ownRefusals)]);
    const parameters = operations.find(({ id }) => id === step.operation)?.parameters ?? [];
    check(
      Object.keys(step.parameters ?? {}),
      parameters.map(({ name }) => name),
    );
    for (const [parameter, value] of given(parameters, step)) {
      if (serialise(parameter, fromJson(value)) === undefined)
        throw new Error(
          `scenario "${title}": expected a value that ${parameter.in} ${parameter.name} can carry, got ${JSON.stringify(value)}`,
        );
    }
  }
}

/** The parameters that a step gives a value, in every place where one has the name. */
const given = (parameters: readonly Parameter[], step: Step): [Parameter, Json][] =>
  Object.entries(step.parameters ?? {}).flatMap(([name, value]) =>
    parameters
      .filter((parameter) => parameter.name === name)
      .map((parameter): [Parameter, Json] => [parameter, value]),
  );

function stepCase(context: Context, step: Step, title: string): Case {
  const { operation, base } = context;
  const type = base.body?.type ?? 'application/json';
  const own = given(operation.parameters, step).map(([parameter, value]): [Parameter, string] => [
    parameter,
    serialise(parameter, fromJson(value)) ?? '',
  ]);
  const inputs = {
    ...base,
    parameters: new Map([...base.parameters, ...own]),
    ...(step.body !== undefined && { body: { type, bytes: Buffer.from(step.body) } }),
  };
  const expect = { ...answered(step.expect), ...(step.answer && { members: step.answer }) };
  return {
    family: 'scenarios',
    title,
    operation,
    request: authorised(context, inputs),
    expect,
    proves: [],
  };
}

/** A valid request to a server in a situation that ends in this status, if the operation documents it. */
export function situationCases(context: Context, status: number): Case[] {
  const { operation } = context;
  if (!responseFor(operation, status)) return [];
  const title = `a situation that ends in ${status}`;
  const expect = { kind: 'status', status } as const;
  return [{ family: 'situations', title, operation, request: authorised(context), expect, proves: [] }];
}
