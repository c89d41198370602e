import { joinPointer, members, type OpenApiDocument } from '../document/document';
import { type OperationPlace, operationPlaces } from '../document/path-items';
import { camelCase, checkJson, type Operation, readSentOperation } from './operations';
import { parseExpression, type Template } from './runtime-expression';

/** An operation that the server sends and others serve: of a webhook or of a callback. */
export interface SentOperation {
  /** That of the webhook, or `operationId.callback`; a dot and its method or operationId follow where there are several. */
  readonly name: string;
  readonly operation: Operation;
  /** The URL of a callback; undefined for a webhook, whose receivers the document does not know. */
  readonly url: Template | undefined;
  /** The method of the operation that a callback belongs to. */
  readonly method: string | undefined;
}

/** What a request by the server has no place for. A path parameter is a finding already: no URL has a template for it. */
const LOCATIONS: readonly string[] = ['cookie', 'querystring'];

/**
 * Reads the operations under `webhooks`, and those of the callbacks of each operation under `paths` and `webhooks` (OpenAPI
 * 3.1 sections 4.8.1 and 4.8.18). Faults become findings of the document.
 */
export function readSentOperations(document: OpenApiDocument): readonly SentOperation[] {
  const webhooks = members(document.at('/webhooks')).map(([name]) => name);
  const placed = operationPlaces(document, '/webhooks');
  const sent = new Map<string, SentOperation>();
  const add = (base: string, places: readonly OperationPlace[], method?: string) => {
    for (const place of places) {
      const { operationId = place.method.toLowerCase() } = document.follow(place.pointer).value;
      let name = places.length === 1 ? base : `${base}.${String(operationId)}`;
      while (sent.has(name)) name += '_';
      const operation = readSentOperation(document, place, name);
      for (const one of operation.parameters) checkJson(document, one);
      for (const { in: location, name: parameter, pointer } of operation.parameters)
        if (LOCATIONS.includes(location))
          document.addFinding(
            pointer,
            `${parameter} is in the ${location} of a request that the server sends`,
          );
      const url = method === undefined ? undefined : urlOf(document, place);
      sent.set(name, { name, operation, url, method });
    }
  };
  for (const webhook of webhooks)
    add(
      webhook,
      placed.filter(({ path }) => path === webhook),
    );
  // Several paths may refer to one path item.
  const owners = new Map([...operationPlaces(document), ...placed].map((place) => [place.pointer, place]));
  for (const { method, path, pointer } of owners.values()) {
    const owner = document.follow(pointer);
    const { operationId = camelCase(`${method.toLowerCase()} ${path}`) } = owner.value;
    const callbacks = joinPointer(owner.pointer, 'callbacks');
    for (const [name] of members(document.at(callbacks))) {
      const places = operationPlaces(document, document.follow(joinPointer(callbacks, name)).pointer);
      add(`${String(operationId)}.${name}`, places, method);
    }
  }
  return [...sent.values()];
}

function urlOf(document: OpenApiDocument, { path, pointer }: OperationPlace): Template | undefined {
  const template = parseExpression(path);
  if (!template)
    document.addFinding(pointer, `${JSON.stringify(path)} is not a URL with runtime expressions`);
  return template;
}
