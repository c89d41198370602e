import { responseFor } from '../document';
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
        body: { type: base.body?.type ?? 'application/json', bytes: Buffer.from(body) },
      }),
      expect: expect === 'accepted' ? accepted : refused(expect),
      proves: [],
    })),
  );
}

/** A valid request to a server in a situation that ends in this status, if the operation documents it. */
export function situationCases(context: Context, status: number): Case[] {
  const { operation } = context;
  if (!responseFor(operation, status)) return [];
  const title = `a situation that ends in ${status}`;
  const expect = { kind: 'status', status } as const;
  return [{ family: 'situations', title, operation, request: authorised(context), expect, proves: [] }];
}
