/** Makes any document servable: names its operations, and leaves out what this server cannot serve. */
import {
  camelCase,
  compileContract,
  isObject,
  joinPointer,
  jsonPath,
  lastStep,
  members,
  OpenApiDocument,
  operationPlaces,
  writeDocument,
} from 'contract-first-server/tools';
import { type JsonObject, readDocument, type Remark, UNSERVED_ALTERNATIVE } from 'contract-first-server';
import { toMockable } from '../mock/document';
import { isUnknown } from '../document/publish/remarks';
import type { Action } from './overlay';

export interface Servable {
  /** The document that can be served. */
  readonly root: JsonObject;
  /** The actions that lead from the given document to it. */
  readonly actions: readonly Action[];
  /** The number of operations of the given document. */
  readonly total: number;
  /** How many of them are rejected by proof. */
  readonly rejected: number;
}

/**
 * @throws {InvalidContract} if a part can neither be served nor left out
 */
export function toServable(given: JsonObject): Servable {
  // A copy without shared objects, which YAML aliases create.
  const root = readDocument(writeDocument(given));
  const document = new OpenApiDocument(readDocument(writeDocument(given)));
  const named = nameOperations(root);
  let served: JsonObject = root;
  const { removed, total, rejected, remarks } = toMockable(root, (mockable) => {
    const { remarks } = compileContract(mockable);
    served = mockable.root;
    return { built: mockable, remarks };
  });
  const reasons = new Map([...removed, ...removeUnknown(served)]);
  // An overlay may name nothing inside of what it has removed.
  const isGone = (pointer: string) => [...reasons.keys()].some((gone) => pointer.startsWith(`${gone}/`));
  const removals = [...reasons]
    .filter(([pointer]) => !isGone(pointer))
    .map(([pointer, reason]): Action => ({
      target: jsonPath(document, pointer),
      description: `left out: ${reason}`,
      remove: true,
    }));
  const kept = named.filter(([pointer]) => !reasons.has(pointer) && !isGone(pointer));
  const alternatives = keepAlternatives(served, remarks);
  return {
    root: served,
    actions: [...removals, ...alternatives, ...kept.map(([, action]) => action)],
    total,
    rejected,
  };
}

/**
 * Leaves the alternatives of security that are served. The overlay replaces the list, because one without its last alternative
 * would let everybody in.
 */
function keepAlternatives(root: JsonObject, remarks: readonly Remark[]): Action[] {
  const document = new OpenApiDocument(root);
  const unserved = remarks.flatMap(({ keyword, pointer }) =>
    keyword === UNSERVED_ALTERNATIVE ? pointer : [],
  );
  return [...Map.groupBy(unserved, holderOf)].flatMap(([list, places]): Action[] => {
    const security = [document.at(list)].flat().filter((_, i) => !places.includes(joinPointer(list, i)));
    Object.assign(document.at(holderOf(list)) as JsonObject, { security });
    const description = `an alternative cannot be served: ${places.map(lastStep).join(', ')}`;
    return [
      { target: jsonPath(document, list), description, remove: true },
      { target: jsonPath(document, holderOf(list)), description, update: { security } },
    ];
  });
}

const holderOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

const NO_CONTENT = { 204: { description: 'not documented' } };

/** Adds an operationId, and a response of success, to each operation that lacks them. */
function nameOperations(root: JsonObject): (readonly [pointer: string, action: Action])[] {
  const document = new OpenApiDocument(root);
  const places = operationPlaces(document);
  const idOf = (pointer: string) => document.follow(pointer).value['operationId'];
  // The first operation with an operationId keeps it.
  const owners = new Map(places.toReversed().map(({ pointer }) => [idOf(pointer), pointer]));
  return places.flatMap(({ pointer, method, path }): (readonly [string, Action])[] => {
    const operation = document.at(pointer);
    if (!isObject(operation)) return [];
    const { operationId } = operation;
    const base = camelCase(`${method.toLowerCase()} ${path}`);
    let id = typeof operationId === 'string' && owners.get(operationId) === pointer ? operationId : base;
    for (let n = 2; (owners.get(id) ?? pointer) !== pointer; n++) id = `${base}${n}`;
    owners.set(id, pointer);
    const responses = isObject(operation['responses']) ? operation['responses'] : {};
    const succeeds = members(responses).some(
      ([status]) =>
        /^[23]/.test(status) ||
        (status === 'default' && !describesError(document, joinPointer(pointer, 'responses', status))),
    );
    const update = {
      ...(id !== operationId && { operationId: id }),
      ...(!succeeds && { responses: NO_CONTENT }),
    };
    if (Object.keys(update).length === 0) return [];
    Object.assign(operation, update, !succeeds && { responses: { ...responses, ...NO_CONTENT } });
    const target = jsonPath(document, pointer);
    const description =
      operationId === undefined || id === operationId
        ? 'proposed: the document has none'
        : 'proposed: another operation has the same operationId';
    return [[pointer, { target, description, update }]];
  });
}

/** Whether the description of a response speaks of an error: `default` may be the success or the errors. */
function describesError(document: OpenApiDocument, pointer: string): boolean {
  const { description } = document.follow(pointer).value;
  return (
    typeof description === 'string' && /\b(errors?|fail(s|ed|ures?)?|problem|unexpected)\b/i.test(description)
  );
}

/** Removes unknown keywords: a validator ignores them, so that the value would be unchecked. */
function removeUnknown(root: JsonObject): Map<string, string> {
  const reasons = new Map<string, string>();
  const document = new OpenApiDocument(root);
  for (const { pointer, message } of document.remarks.filter(isUnknown)) {
    const holder = document.at(holderOf(pointer));
    if (isObject(holder) && Reflect.deleteProperty(holder, lastStep(pointer))) reasons.set(pointer, message);
  }
  return reasons;
}
