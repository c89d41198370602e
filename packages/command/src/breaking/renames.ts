import { isObject, OpenApiDocument } from 'contract-first-server/tools';
import { type JsonObject, type Operation } from 'contract-first-server';
import { essenceOf } from './decisions';
import { byRoute } from './operation-changes';

/**
 * The operationId that each operation had in an earlier document, by its later one. An operation is the same at the same method
 * and path, or by its operationId where it has moved, or by its content where both have changed. New ones are left out.
 */
export function earlierIds(was: JsonObject, is: JsonObject): Map<string, string> {
  const [before, after] = [versionOf(was), versionOf(is)];
  const gone = [...before.routes].flatMap(([route, operation]) =>
    after.ids.has(operation.operationId) || after.routes.has(route) ? [] : [operation],
  );
  const found = new Map<string, string>();
  const unplaced: Operation[] = [];
  for (const [route, operation] of after.routes) {
    const { operationId } = operation;
    const [there, same] = [before.routes.get(route), before.ids.get(operationId)];
    const moved = there && after.ids.get(there.operationId);
    const own = same === undefined ? undefined : before.routes.get(same);
    if (own && (!there || own === there || isOther(before, after, operation, there, own)))
      found.set(operationId, operationId);
    // An operation that is at a path of its own now has not become the new one in its place.
    else if (there && (moved === undefined || before.routes.has(moved)))
      found.set(operationId, there.operationId);
    else unplaced.push(operation);
  }
  for (const operation of unplaced) {
    const equals = (one: Operation, other: Operation) =>
      one.method === other.method && contentOf(before, one) === contentOf(after, other);
    const matching = gone.filter((one) => equals(one, operation));
    const [only] = matching;
    const rivals = only ? unplaced.filter((other) => equals(only, other)) : [];
    if (only && matching.length === 1 && rivals.length === 1)
      found.set(operation.operationId, only.operationId);
  }
  return found;
}

function versionOf(root: JsonObject): Version {
  const document = new OpenApiDocument(root);
  const routes = byRoute(document);
  return {
    document,
    routes,
    ids: new Map([...routes].map(([route, { operationId }]) => [operationId, route])),
  };
}

interface Version {
  readonly document: OpenApiDocument;
  readonly routes: ReadonlyMap<string, Operation>;
  /** The method and path of each operationId. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Whether an operation has the content of its own operationId elsewhere, and not that of the one at its path. */
const isOther = (
  before: Version,
  after: Version,
  operation: Operation,
  there: Operation,
  own: Operation,
): boolean => {
  const content = contentOf(after, operation);
  return contentOf(before, own) === content && contentOf(before, there) !== content;
};

/** What an operation promises, without its operationId and the names in its path. */
function contentOf({ document }: Version, { pointer }: Operation): string {
  const { value } = document.follow(pointer);
  const parameters = [value['parameters'] ?? []]
    .flat()
    .filter((one: unknown) => !(isObject(one) && one['in'] === 'path'));
  return essenceOf('Operation', { ...value, operationId: null, parameters });
}
