import { responseFor } from '../document/model';
import { authorizedRequest, type Case, type OperationContext } from './case';

/** A valid request to a server in a situation that causes a status, if the operation documents the status. */
export function situationCases(context: OperationContext, status: number): Case[] {
  const { operation } = context;
  if (!responseFor(operation, status)) return [];
  const title = `a situation that causes ${status}`;
  const expect = { kind: 'status', status } as const;
  return [
    { family: 'situations', title, operation, request: authorizedRequest(context), expect, proves: [] },
  ];
}
