import { ADVICE } from './advice';
import type { Replay } from './failure';
import { resourcesOf, sourcesOf } from './state/sources';
import type { Target } from './target';
import { type Document, isSafe, type Operation } from './document/model';
import { usableAlternative } from './request/compose';

const METHOD_ORDER = ['POST', 'PUT', 'GET'];

/** The operations of a black box: those on resources after those that create them, those that remove them last. */
export function inOrder(operations: readonly Operation[]): Operation[] {
  const depth = ({ path }: Operation): number => path.split('{').length;
  const rank = ({ method }: Operation): number =>
    METHOD_ORDER.includes(method) ? METHOD_ORDER.indexOf(method) : METHOD_ORDER.length;
  const removes = ({ method }: Operation): boolean => method === 'DELETE';
  return [
    ...operations.filter((one) => !removes(one)).sort((a, b) => depth(a) - depth(b) || rank(a) - rank(b)),
    ...operations.filter(removes).sort((a, b) => depth(b) - depth(a)),
  ];
}

/** The operations of a black box that name resources, if they are not among those to test. */
export function supporting(
  document: Document,
  operations: readonly Operation[],
  target: Target,
): Operation[] {
  if (!target.blackBox || operations.length === document.operations.length) return [];
  const resources = new Set(document.operations.flatMap(resourcesOf));
  const sources = [...resources].flatMap((resource) => sourcesOf(document, resource));
  const named = new Set(sources.map(({ operation }) => operation));
  return inOrder([...named]).filter(
    (operation) => !operations.includes(operation) && !obstacleTo(operation, document, target),
  );
}

/** Why no request of an operation is sent to a black box; undefined if they are. */
export function obstacleTo(
  { method, security, untestable }: Operation,
  { schemes }: Document,
  target: Target,
): { state: 'BLOCKED' | 'OUT OF REACH'; reason: string } | undefined {
  if (untestable !== undefined) return { state: 'OUT OF REACH', reason: untestable };
  if (!target.blackBox) return undefined;
  if (!target.blackBox.write && !isSafe(method))
    return { state: 'OUT OF REACH', reason: ADVICE.allowWrites() };
  if (usableAlternative(security, target)) return undefined;
  const isOther = (name: string): boolean => schemes[name]?.['type'] === 'mutualTLS';
  if (security.every((alternative) => alternative.some(isOther)))
    return {
      state: 'OUT OF REACH',
      reason: 'it takes a certificate of the client, which the prover cannot present',
    };
  const missing = (security[0] ?? []).filter((name) => target.credentials[name] === undefined);
  return { state: 'BLOCKED', reason: ADVICE.addCredentials(missing) };
}

/** @throws {Error} if an operation is unknown */
export function selectOperations(
  { operations }: Document,
  { only, replay }: { readonly only?: readonly string[] | undefined; readonly replay?: Replay | undefined },
): readonly Operation[] {
  const names = replay ? [replay.operation] : only;
  const unknown = names?.find((name) => operations.every(({ id }) => id !== name));
  if (unknown !== undefined)
    throw new Error(
      `expected one of the operations ${operations.map(({ id }) => id).join(', ')}, got ${unknown}`,
    );
  return names ? operations.filter(({ id }) => names.includes(id)) : operations;
}
