/** Makes any document servable: names its operations, and leaves out what this server cannot serve. */
import {
  camelCase,
  compileContract,
  isObject,
  joinPointer,
  type JsonObject,
  lastStep,
  members,
  OpenApiDocument,
  operationPlaces,
  readDocument,
  writeDocument,
} from '../../src/contract';
import { toMockable } from '../mock/document';
import { isUnknown } from '../publish/remarks';
import { type Action, jsonPath } from './overlay';

export interface Servable {
  /** The document that can be served. */
  readonly root: JsonObject;
  /** The actions that lead from the given document to it. */
  readonly actions: readonly Action[];
  /** The number of operations of the given document. */
  readonly total: number;
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
  const { removed, total } = toMockable(root, (mockable) => {
    const { remarks } = compileContract(mockable);
    served = mockable.root;
    return { built: mockable, remarks };
  });
  const reasons = new Map([...removed, ...removeUnknown(served)]);
  const removals = [...reasons].map(([pointer, reason]): Action => ({
    target: jsonPath(document, pointer),
    description: `left out: ${reason}`,
    remove: true,
  }));
  return { root: served, actions: [...removals, ...named], total };
}

/** Adds an operationId, and a response of success, to each operation that lacks them. */
function nameOperations(root: JsonObject): Action[] {
  const document = new OpenApiDocument(root);
  const owners = new Map<string, string>();
  const places = operationPlaces(document);
  for (const { pointer } of places) {
    const { operationId } = document.follow(pointer).value;
    if (typeof operationId === 'string' && !owners.has(operationId)) owners.set(operationId, pointer);
  }
  return places.flatMap(({ pointer, method, path }): Action[] => {
    const operation = document.at(pointer);
    if (!isObject(operation)) return [];
    const { operationId, responses } = operation;
    const missing: Record<string, unknown> = {};
    if (typeof operationId !== 'string' || owners.get(operationId) !== pointer) {
      const base = camelCase(`${method} ${path}`);
      let id = base;
      for (let n = 2; (owners.get(id) ?? pointer) !== pointer; n++) id = `${base}${n}`;
      owners.set(id, pointer);
      missing['operationId'] = id;
    }
    const documented = isObject(responses) ? responses : {};
    const succeeds = members(documented).some(
      ([status]) =>
        /^[23]/.test(status) ||
        (status === 'default' && !describesError(document, joinPointer(pointer, 'responses', status))),
    );
    if (!succeeds) missing['responses'] = { 204: { description: 'not documented' } };
    if (Object.keys(missing).length === 0) return [];
    Object.assign(
      operation,
      missing,
      !succeeds && { responses: { ...documented, 204: { description: 'not documented' } } },
    );
    return [
      {
        target: jsonPath(document, pointer),
        description: 'proposed: the document has none',
        update: missing,
      },
    ];
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
    const holder = document.at(pointer.slice(0, pointer.lastIndexOf('/')));
    if (isObject(holder) && Reflect.deleteProperty(holder, lastStep(pointer))) reasons.set(pointer, message);
  }
  return reasons;
}
