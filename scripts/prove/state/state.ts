import { isUtf8 } from 'node:buffer';
import { randomInt, randomUUID } from 'node:crypto';
import { authorizedRequest, type Case, type OperationContext, type RunContext } from '../cases/case';
import { isSafe, type Operation } from '../document/model';
import { toInteger } from '../json/number';
import { rewriteLeaves } from '../json/leaves';
import { NumberLiteral, parse, print, type Value } from '../json/value';
import { composeRequest, minimalInputs } from '../request/minimal';
import { type Inputs, slots } from '../request/slots';
import type { BlackBox, Server } from '../target';
import type { Client } from '../wire/client';
import type { Outcome, RawRequest, RawResponse } from '../wire/message';
import { send } from '../wire/send';
import { type FreshLeaf, freshLeaves, withFreshLeaves } from './fresh';
import { withNames } from './references';
import { type Created, describeLeft, removeAll } from './removal';
import { lastParameter, namesIn, referenced, resourcesOf, shapeOf, singular, sourcesOf } from './sources';

/** The state of a service that the engine can change only by requests. */
export type State = ReturnType<typeof openState>;

/** An operation whose minimal request is accepted, and what to vary in it. */
interface Accepted {
  readonly context: OperationContext;
  readonly fresh: readonly FreshLeaf[];
}

/** Milliseconds to remove what was created, after an interrupt. */
const LAST_REMOVALS_MS = 700;

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
  const created: Created[] = [];
  /** The values of varied leaves that were accepted, by operation. */
  const taken = new Map<string, Set<string>>();

  const isAccepted = (outcome: Outcome | undefined): outcome is RawResponse =>
    outcome !== undefined && !('noResponse' in outcome) && outcome.status >= 200 && outcome.status < 300;

  /** The name of a resource in a path, for a parameter that takes it. */
  const encode = (resource: string, values: readonly Value[]): string | undefined => {
    const parameter = lastParameter(resource);
    const owner = document.operations.find(({ path }) => path.startsWith(resource));
    const slot = owner && slots(document, owner).find(({ label }) => label === `path ${parameter}`);
    if (!slot?.parameter) return undefined;
    for (const value of values) {
      const decoded = slot.decode(value);
      if (decoded === undefined || !oracle.valid(slot.schema, decoded)) continue;
      return slot.fill({ parameters: new Map() }, value).parameters.get(slot.parameter);
    }
    return undefined;
  };

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
      if (!isAccepted(sent?.outcome)) continue;
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
    const request = refresh(authorizedRequest(context, inputs), fresh);
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
    const found: string[] = [];
    if (body && pointers.length > 0)
      rewriteLeaves(body.toString(), (pointer, text) => {
        if (pointers.includes(pointer)) found.push(`${pointer} ${normalize(text)}`);
        return undefined;
      });
    return found;
  };

  /** Learns what a request has created or removed. */
  const observe = (operation: Operation, request: RawRequest, outcome: Outcome): void => {
    if (isSafe(operation.method) || request.method !== operation.method || !isAccepted(outcome)) return;
    const values = taken.get(operation.id) ?? new Set<string>();
    for (const value of variedValues(operation, request)) values.add(value);
    taken.set(operation.id, values);
    const path = request.target.split('?')[0] ?? '';
    if (operation.method === 'DELETE') {
      const at = created.findIndex((one) => one.path === path);
      if (at >= 0) created.splice(at, 1);
      const [resource] = resourcesOf(operation).slice(-1);
      if (resource !== undefined) names.delete(keyOf(resource, true));
      return;
    }
    const [own] = resourcesOf(operation).slice(-1);
    const isNew = outcome.status === 201 && !created.some((one) => one.path === path);
    if (operation.method === 'PUT' && isNew && own !== undefined && operation.path === own)
      created.push({ resource: own, path });
    if (operation.method !== 'POST') return;
    const items = document.operations.flatMap((other) =>
      resourcesOf(other).filter(
        (resource) => shapeOf(resource.slice(0, resource.lastIndexOf('/'))) === shapeOf(operation.path),
      ),
    );
    const [resource] = items;
    if (resource === undefined) return;
    const name = encode(resource, namesIn({ operation, creates: true }, resource, request, outcome));
    if (name !== undefined) created.push({ resource, path: `${path}/${name}` });
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
    const related = await withReferences(server, operation, located);
    if (related) yield related;
    // An earlier run may have left what the examples create.
    const leaves = isSafe(operation.method)
      ? []
      : freshLeaves({ ...common, operation, base: located }, located);
    for (const inputs of [located, ...(related ? [related] : [])]) {
      for (const some of [leaves, ...leaves.slice(0, MAX_SINGLES).map((leaf) => [leaf])]) {
        const { body } = inputs;
        const text = body && some.length > 0 ? withFreshLeaves(body.bytes.toString(), some) : undefined;
        if (body && text !== undefined) yield { ...inputs, body: { ...body, bytes: Buffer.from(text) } };
      }
    }
  }

  /** The inputs with existing resources where a name refers to one: `authorId`, if there is a collection of authors. */
  const withReferences = async (
    server: Server,
    operation: Operation,
    inputs: Inputs,
  ): Promise<Inputs | undefined> => {
    const resources = [...new Set(document.operations.flatMap(resourcesOf))];
    const find = async (name: string): Promise<string | undefined> => {
      const noun = referenced(name);
      const resource = resources.find(
        (one) => noun !== undefined && singular(one.split('/').at(-2) ?? '') === noun,
      );
      if (resource === undefined) return undefined;
      return names.get(keyOf(resource, bounds.write)) ?? (await obtain(server, resource, bounds.write));
    };
    return withNames(inputs, find);
  };

  /** Remembers an operation whose minimal request is accepted, and finds the values that a repetition must vary. */
  const accept = async (server: Server, context: OperationContext): Promise<void> => {
    const { operation, base } = context;
    accepted.set(operation.id, { context, fresh: [] });
    if (operation.method !== 'POST') return;
    const leaves = freshLeaves(context, base);
    const works = async (some: readonly FreshLeaf[]): Promise<boolean> =>
      isAccepted((await sendMinimal(server, { context, fresh: some }))?.outcome);
    if (leaves.length === 0) return;
    if (await works(leaves)) {
      accepted.set(operation.id, { context, fresh: leaves });
      return;
    }
    const fresh: FreshLeaf[] = [];
    for (const leaf of leaves.slice(0, MAX_SINGLES)) if (await works([leaf])) fresh.push(leaf);
    accepted.set(operation.id, { context, fresh });
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
    const [path = '', ...query] = request.target.split('?');
    const [resource] = resourcesOf(operation).slice(-1);
    if (resource === undefined || !bounds.write || path !== pathOf(operation, base)) return undefined;
    names.delete(keyOf(resource, true));
    const located = await locate(server, operation, base, true);
    if (!located) return undefined;
    return { ...request, target: [pathOf(operation, located), ...query].join('?') };
  };

  /** The request to a new resource, if the service no longer holds the one that a valid request names. */
  const renew = async (server: Server, sent: Case, outcome: Outcome): Promise<RawRequest | undefined> => {
    const known = accepted.get(sent.operation.id);
    const isGone = !('noResponse' in outcome) && (outcome.status === 404 || outcome.status === 410);
    if (!known || !isGone || sent.expect.kind !== 'answered' || sent.operation.method === 'DELETE')
      return undefined;
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

  /**
   * Removes what the run created, the last first.
   *
   * @param interrupt from it on, there is less than a second left
   */
  const cleanUp = async (server: Server, interrupt?: AbortSignal): Promise<void> => {
    const end = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const hurry = (): void => {
      timer = setTimeout(() => {
        end.abort();
      }, LAST_REMOVALS_MS);
    };
    if (interrupt?.aborted === true) hurry();
    else interrupt?.addEventListener('abort', hurry);
    const remove = async (remover: Operation, path: string): Promise<boolean> => {
      const base = accepted.get(remover.id)?.context.base ?? minimalInputs(document, oracle, remover);
      const request = authorizedRequest({ ...common, operation: remover, base });
      const [, ...query] = request.target.split('?');
      const outcome = await send(server, { ...request, target: [path, ...query].join('?') }, end.signal);
      return !('noResponse' in outcome) && (outcome.status < 300 || outcome.status === 404);
    };
    await removeAll(document, created, remove, end.signal);
    clearTimeout(timer);
    interrupt?.removeEventListener('abort', hurry);
  };

  const leftBehind = (): string[] => describeLeft(document, created);

  return { candidates, accept, prepare, renew, observe, repetition, cleanUp, leftBehind };
}

const keyOf = (resource: string, isOwn: boolean): string => `${isOwn} ${shapeOf(resource)}`;

const pathOf = (operation: Operation, inputs: Inputs): string =>
  composeRequest(operation, inputs).target.split('?')[0] ?? '';

/** Equal JSON values have equal texts. */
function normalize(text: string): string {
  const value = parse(text);
  return value instanceof NumberLiteral ? String(toInteger(value.text) ?? Number(value.text)) : print(value);
}
