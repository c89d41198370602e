import { responseFor, type Document } from '../document';
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
  const ids = operations.map(({ id }) => id);
  const outcomes = ['success', ...Object.keys(ownRefusals)];
  for (const { operation, expect } of steps) {
    const [wrong, known] = ids.includes(operation) ? [expect, outcomes] : [operation, ids];
    if (!known.includes(wrong))
      throw new Error(`scenario "${title}": expected one of ${known.join(', ')}, got ${wrong}`);
  }
}

function stepCase(context: Context, { body, expect }: Step, title: string): Case {
  const { operation, base } = context;
  const type = base.body?.type ?? 'application/json';
  const inputs = body === undefined ? base : { ...base, body: { type, bytes: Buffer.from(body) } };
  const request = authorised(context, inputs);
  return { family: 'scenarios', title, operation, request, expect: answered(expect), proves: [] };
}

/** A valid request to a server in a situation that ends in this status, if the operation documents it. */
export function situationCases(context: Context, status: number): Case[] {
  const { operation } = context;
  if (!responseFor(operation, status)) return [];
  const title = `a situation that ends in ${status}`;
  const expect = { kind: 'status', status } as const;
  return [{ family: 'situations', title, operation, request: authorised(context), expect, proves: [] }];
}
