import { responseFor, type Operation } from '../document';
import { authorise, baseInputs, compose } from '../request';
import { accepted, authorised, refused, type Case, type Context } from './case';

/** What only a person can think of: requests that belong together, each list to be sent to a fresh service. */
export function scenarioCases(context: Context): Case[][] {
  const { target, operation, base } = context;
  const own = (target.scenarios ?? []).filter((scenario) => scenario.operation === operation.id);
  return own.map(({ title, steps }) =>
    steps.map(({ body, expect }, index) => ({
      family: 'scenarios',
      title: `${title}, step ${index + 1}`,
      operation,
      request: authorised(context, {
        ...base,
        body: { type: base.body?.type ?? 'application/json', bytes: Buffer.from(JSON.stringify(body)) },
      }),
      expect: expect === 'accepted' ? accepted : refused(expect),
      proves: [],
    })),
  );
}

/** A valid request to a server in a situation that ends in this status, if the operation documents it. */
export function situationCase(
  { document, oracle, target }: Pick<Context, 'document' | 'oracle' | 'target'>,
  operation: Operation,
  status: number,
): Case[] {
  if (!responseFor(operation, status)) return [];
  const request = compose(operation, baseInputs(document, oracle, operation));
  return [
    {
      family: 'situations',
      title: `a situation that ends in ${status}`,
      operation,
      request: authorise(document, target, operation.security[0] ?? [], request),
      expect: { kind: 'status', status },
      proves: [],
    },
  ];
}
