import type { Document, Operation, Parameter } from '../document/document';
import { locate } from '../json/pointer';
import { fromJson, parse, print } from '../json/value';
import { serialise } from '../request/serialize';
import type { Answer, Members, Said, Step, Target, Values } from '../target';
import { header, type RawResponse, told } from '../wire/message';
import { answered, authorised, type Case, type Context } from './case';

/** A step of a scenario; what is sent may depend on the answers to those before it. */
export interface PendingCase {
  readonly title: string;
  readonly operation: Operation;
  /** @throws {Error} if the answers lack what the step takes from them, or that cannot be sent */
  readonly make: (answers: readonly RawResponse[]) => Case;
}

/**
 * What only a person can think of: requests that belong together, each list to be sent to a fresh service. A scenario
 * with an operation that is blocked is left out.
 *
 * @throws {Error} if a scenario names what neither the document nor the target has
 */
export function scenarioCases(
  { operations }: Document,
  { scenarios = [], ownRefusals = {} }: Target,
  contexts: readonly Context[],
): PendingCase[][] {
  const ids = operations.map(({ id }) => id);
  return scenarios.flatMap(({ title: scenario, steps }) => {
    const pending = steps.flatMap((step, index): PendingCase[] => {
      const title = `${scenario}, step ${index + 1}`;
      try {
        check(step.operation, ids);
        check(step.expect, ['success', ...Object.keys(ownRefusals)]);
        const operation = operations.find(({ id }) => id === step.operation);
        if (operation && typeof step.parameters === 'object') given(operation, step.parameters);
      } catch (error) {
        throw new Error(`scenario "${title}": ${(error as Error).message}`, { cause: error });
      }
      const context = contexts.find(({ operation: { id } }) => id === step.operation);
      if (!context) return [];
      return [
        { title, operation: context.operation, make: (answers) => stepCase(context, step, title, answers) },
      ];
    });
    return pending.length === steps.length ? [pending] : [];
  });
}

function check(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const expected = known.length > 0 ? `one of ${known.join(', ')}` : 'no parameters';
  throw new Error(`expected ${expected}, got ${name}`);
}

/** Parameters as they stand on the wire, in every place where one has the name. */
function given({ parameters }: Operation, values: Values): [Parameter, string][] {
  return Object.entries(values).flatMap(([name, value]) => {
    check(
      name,
      parameters.map((parameter) => parameter.name),
    );
    const places = parameters.filter((parameter) => parameter.name === name);
    return places.map((parameter): [Parameter, string] => {
      const text = serialise(parameter, fromJson(value));
      if (text !== undefined) return [parameter, text];
      throw new Error(
        `expected a value that ${parameter.in} ${name} can carry, got ${print(fromJson(value))}`,
      );
    });
  });
}

function stepCase(context: Context, step: Step, title: string, answers: readonly RawResponse[]): Case {
  const { operation, base } = context;
  const answerTo = (number: number): Answer => {
    const answer = answers[number - 1];
    if (answer) return readable(answer, `the answer to step ${number}`);
    throw new Error(`expected the number of an earlier step, got ${number}`);
  };
  const body = now(step.body, answerTo);
  const members = now(step.answer, answerTo);
  const inputs = {
    ...base,
    parameters: new Map([...base.parameters, ...given(operation, now(step.parameters, answerTo) ?? {})]),
    ...(body !== undefined && {
      body: { type: base.body?.type ?? 'application/json', bytes: Buffer.from(body) },
    }),
  };
  return {
    family: 'scenarios',
    title,
    operation,
    request: authorised(context, inputs),
    expect: { ...answered(step.expect), ...(members && { members }) },
    proves: [],
  };
}

const now = <T extends string | Values | Members>(
  said: Said<T> | undefined,
  answerTo: (step: number) => Answer,
): T | undefined => (typeof said === 'function' ? said(answerTo) : said);

function readable(answer: RawResponse, name: string): Answer {
  return {
    at(pointer) {
      const value = answer.body.length > 0 ? locate(parse(answer.body.toString()), pointer) : undefined;
      if (value !== undefined) return value;
      throw new Error(`expected something at ${pointer} of ${name}, got ${told(answer)}`);
    },
    header(field) {
      const value = header(answer, field.toLowerCase());
      if (value !== undefined) return value;
      throw new Error(`expected the header ${field} in ${name}, got none`);
    },
  };
}
