import { isUtf8 } from 'node:buffer';
import { randomInt, randomUUID } from 'node:crypto';
import { authorizedRequest, type Case, type OperationContext, type RunContext } from '../cases/case';
import { toInteger, NumberLiteral, parse, print, type Value } from '../json/value';
import type { Inputs } from '../request/slots';
import type { BlackBox, Server } from '../target';
import type { Client } from '../wire/client';
import {
  isSuccess,
  type Outcome,
  pathOf,
  type RawRequest,
  type RawResponse,
  withPath,
} from '../wire/message';
import { type FreshLeaf, freshLeaves, leavesOf, withFreshLeaves, withNames } from './fresh';
import { openCreated } from './removal';
import {
  encodeName,
  lastParameter,
  namesIn,
  referenced,
  resourcesOf,
  shapeOf,
  singular,
  sourcesOf,
} from './sources';
import { isSafe, type Operation } from '../document/model';
import { composeRequest, minimalInputs } from '../request/compose';
import { withFreshKey } from '../request/idempotency-key';

/** The state of a service that the prover can change only by requests. */
export type State = ReturnType<typeof openState>;

/** An operation whose minimal request is accepted, and what to vary in it. */
interface Accepted {
  readonly context: OperationContext;
  readonly fresh: readonly FreshLeaf[];
}

/** Single fresh values that are tried if all at once are refused. */
const MAX_SINGLES = 12;

/**
 * Finds and creates the resources that operations need, keeps requests from colliding with earlier ones, and removes
 * what the run created.
 */
export function openState(common: RunContext, client: Client, bounds: BlackBox) {
  const { document, oracle } = common;
  const accepted = new Map<string, Accepted>();
  /** The encoded name of a resource that exists, by whether the run created it, and its path template. */
  const names = new Map<string, string>();
  const created = openCreated(common);
  /** The values of varied leaves that were accepted, by operation. */
  const taken = new Map<string, Set<string>>();

  const encode = (resource: string, values: readonly Value[]): string | undefined =>
    encodeName(common, resource, values);

  /** The inputs with the names of existing resources in the path; undefined if one is missing. */
  const locate = async (
    server: Server,
    operation: Operation,
    base: Inputs,
    write: boolean,
  ): Promise<Inputs | undefined> => {
    const parameters = new Map(base.parameters);
    for (const resource of resourcesOf(operation)) {
      const key = keyOf(resource, write);
      const name =
        names.get(key) ??
        (await obtain(server, resource, write)) ??
        (write ? choose(operation, resource) : undefined);
      if (name === undefined) return undefined;
      names.set(key, name);
      const parameter = operation.parameters.find(
        (one) => one.in === 'path' && one.name === lastParameter(resource),
      );
      if (parameter) parameters.set(parameter, name);
    }
    return { ...base, parameters };
  };

  /** The encoded name of a resource: a new one where the bounds allow it, else one that a list contains. */
  const obtain = async (server: Server, resource: string, write: boolean): Promise<string | undefined> => {
    for (const source of sourcesOf(document, resource)) {
      const known = accepted.get(source.operation.id);
      if (!known || (source.creates && !write) || (write && !source.creates)) continue;
      const sent = await sendMinimal(server, known);
      if (!isSuccess(sent?.outcome)) continue;
      const name = encode(resource, namesIn(source, resource, sent.request, sent.outcome));
      if (name !== undefined) return name;
    }
    return undefined;
  };

  /** A new name for a resource that PUT creates. */
  const choose = ({ method, path }: Operation, resource: string): string | undefined =>
    method === 'PUT' && path === resource
      ? encode(resource, [randomUUID(), new NumberLiteral(String(randomInt(1_000_000, 2 ** 31)))])
      : undefined;

  /** Sends the minimal request of an accepted operation, with fresh values. */
  const sendMinimal = async (server: Server, { context, fresh }: Accepted) => {
    const inputs = (await locate(server, context.operation, context.base, bounds.write)) ?? context.base;
    const keyed = withFreshKey(common, context.operation, authorizedRequest(context, inputs));
    const request = refresh(keyed, fresh);
    const outcome = await client.exchange(server, request);
    if (outcome) observe(context.operation, request, outcome);
    return outcome && { request, outcome };
  };

  const refresh = (request: RawRequest, fresh: readonly FreshLeaf[]): RawRequest => {
    if (!request.body || fresh.length === 0 || !isUtf8(request.body)) return request;
    const text = withFreshLeaves(request.body.toString(), fresh);
    return text === undefined ? request : { ...request, body: Buffer.from(text) };
  };

  /** The values of a request in the leaves that the state varies. */
  const variedValues = (operation: Operation, { body }: RawRequest): string[] => {
    const pointers = (accepted.get(operation.id)?.fresh ?? []).map(({ pointer }) => pointer);
    if (!body || pointers.length === 0) return [];
    const leaves = [...leavesOf(body.toString())].filter(([pointer]) => pointers.includes(pointer));
    return leaves.map(([pointer, text]) => `${pointer} ${normalize(text)}`);
  };

  /** Learns what a request has created or removed. */
  const observe = (operation: Operation, request: RawRequest, outcome: Outcome): void => {
    if (isSafe(operation.method) || request.method !== operation.method || !isSuccess(outcome)) return;
    const values = taken.get(operation.id) ?? new Set<string>();
    for (const value of variedValues(operation, request)) values.add(value);
    taken.set(operation.id, values);
    if (operation.method === 'DELETE') {
      created.forget(pathOf(request));
      const resource = resourcesOf(operation).at(-1);
      if (resource !== undefined) names.delete(keyOf(resource, true));
    } else
      created.learn(operation, request, outcome, (resource) =>
        encode(resource, namesIn({ operation, creates: true }, resource, request, outcome)),
      );
  };

  /** The inputs to try for an operation, the best first. */
  async function* candidates(server: Server, operation: Operation): AsyncGenerator<Inputs> {
    const base = minimalInputs(document, oracle, operation);
    const write = bounds.write;
    const hasPath = operation.parameters.some((parameter) => parameter.in === 'path');
    const isExemplary = operation.parameters.every(
      ({ in: location, examples, schemaExamples }) =>
        location !== 'path' || examples.length + schemaExamples.length > 0,
    );
    const made = hasPath && write ? await locate(server, operation, base, true) : undefined;
    // Without an example, the path of a request that changes something leads to what the run created, or nowhere.
    if (hasPath && !isSafe(operation.method) && !made && !isExemplary && bounds.writeAll !== true) return;
    const located = made ?? base;
    if (hasPath && isSafe(operation.method) && isExemplary) yield base;
    if (made) yield made;
    if (hasPath && isSafe(operation.method)) {
      const listed = await locate(server, operation, base, false);
      if (listed) yield listed;
    }
    if (!hasPath || !isSafe(operation.method) || !isExemplary) yield base;
    const related = await withNames(located, (name) => findNamed(server, name));
    if (related) yield related;
    // An earlier run may have left what the examples create.
    const leaves = isSafe(operation.method)
      ? []
      : freshLeaves({ ...common, operation, base: located }, located);
    const variations = [leaves, ...leaves.slice(0, MAX_SINGLES).map((leaf) => [leaf])];
    for (const { body, ...inputs } of related ? [located, related] : [located])
      for (const some of body ? variations : []) {
        const text = body && some.length > 0 ? withFreshLeaves(body.bytes.toString(), some) : undefined;
        if (body && text !== undefined) yield { ...inputs, body: { ...body, bytes: Buffer.from(text) } };
      }
  }

  /** The encoded name of a resource to which a name refers: `authorId`, if there is a collection of authors. */
  const findNamed = async (server: Server, name: string): Promise<string | undefined> => {
    const noun = referenced(name);
    const resource = document.operations
      .flatMap(resourcesOf)
      .find((one) => noun !== undefined && singular(one.split('/').at(-2) ?? '') === noun);
    if (resource === undefined) return undefined;
    return names.get(keyOf(resource, bounds.write)) ?? (await obtain(server, resource, bounds.write));
  };

  /** Remembers an operation whose minimal request is accepted, and finds the values that a repetition must vary. */
  const accept = async (server: Server, context: OperationContext): Promise<void> => {
    const { operation, base } = context;
    const remember = (fresh: readonly FreshLeaf[]) => accepted.set(operation.id, { context, fresh });
    remember([]);
    const leaves = operation.method === 'POST' ? freshLeaves(context, base) : [];
    if (leaves.length === 0) return;
    const works = async (fresh: readonly FreshLeaf[]): Promise<boolean> =>
      isSuccess((await sendMinimal(server, { context, fresh }))?.outcome);
    if (await works(leaves)) {
      remember(leaves);
      return;
    }
    const fresh: FreshLeaf[] = [];
    for (const leaf of leaves.slice(0, MAX_SINGLES)) if (await works([leaf])) fresh.push(leaf);
    remember(fresh);
  };

  /** The request of a case as it is sent: with fresh values, and to a resource that exists. */
  const prepare = async (server: Server, sent: Case): Promise<RawRequest> => {
    const known = accepted.get(sent.operation.id);
    if (!known) return sent.request;
    // A fresh value would differ from the one that the case repeats.
    const repeats = sent.about?.endsWith(' uniqueItems | violates') === true;
    const request = repeats ? sent.request : refresh(sent.request, known.fresh);
    return sent.operation.method === 'DELETE' && sent.expect.kind === 'answered'
      ? ((await relocate(server, known, request)) ?? request)
      : request;
  };

  /** The request to a new resource, if it is to the one of the minimal request. */
  const relocate = async (
    server: Server,
    { context }: Accepted,
    request: RawRequest,
  ): Promise<RawRequest | undefined> => {
    const { operation, base } = context;
    const resource = resourcesOf(operation).at(-1);
    const isOwn = pathOf(request) === pathOf(composeRequest(operation, base));
    if (resource === undefined || !bounds.write || !isOwn) return undefined;
    names.delete(keyOf(resource, true));
    const located = await locate(server, operation, base, true);
    return located && withPath(request, pathOf(composeRequest(operation, located)));
  };

  /** The request to a new resource, if the service no longer holds the one that a valid request names. */
  const renew = async (server: Server, sent: Case, outcome: Outcome): Promise<RawRequest | undefined> => {
    const known = accepted.get(sent.operation.id);
    const isGone = !('noResponse' in outcome) && (outcome.status === 404 || outcome.status === 410);
    const isValid = sent.expect.kind === 'answered' || sent.expect.kind === 'handled';
    if (!known || !isGone || !isValid || sent.operation.method === 'DELETE') return undefined;
    return relocate(server, known, sent.request);
  };

  /** Why the service may refuse a request that repeats a value; undefined if it repeats none. */
  const repetition = ({ operation, request }: Case, { status }: RawResponse): string | undefined => {
    const values = taken.get(operation.id);
    const repeated = variedValues(operation, request).find((value) => values?.has(value) === true);
    return repeated === undefined || status === 401 || status >= 500
      ? undefined
      : `the service refused it with ${status}: an earlier request has sent the same value of ${repeated}`;
  };

  /** Removes what the run created. From the interrupt on, there is less than a second left. */
  const cleanUp = (server: Server, interrupt?: AbortSignal): Promise<void> =>
    created.removeAll(server, ({ id }) => accepted.get(id)?.context.base, interrupt);

  return { candidates, accept, prepare, renew, observe, repetition, cleanUp, leftBehind: created.left };
}

const keyOf = (resource: string, isOwn: boolean): string => `${isOwn} ${shapeOf(resource)}`;

/** Equal JSON values have equal texts. */
function normalize(text: string): string {
  const value = parse(text);
  return value instanceof NumberLiteral ? String(toInteger(value.text) ?? Number(value.text)) : print(value);
}
