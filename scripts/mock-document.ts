import { compileContract } from '../src/contract/contract';
import {
  below,
  type Finding,
  InvalidContract,
  isObject,
  type JsonObject,
  members,
  OpenApiDocument,
} from '../src/contract/document';
import { METHODS } from '../src/contract/operations';

/** A document that can be mocked, and what of the given one is not in it: a sentence each. */
export interface Mockable {
  readonly root: JsonObject;
  readonly leftOut: readonly string[];
}

/**
 * Adds what a mock can do without (an operationId, a response), and takes out media types that cannot be served where
 * there are others, and operations that have no others.
 *
 * @throws {InvalidContract} if there is more that cannot be served
 */
export function toMockable(given: JsonObject): Mockable {
  // A copy in which no two places share an object, as they do where YAML has aliases.
  const root = JSON.parse(JSON.stringify(given)) as JsonObject;
  complete(root);
  const leftOut: string[] = [];
  for (;;) {
    try {
      compileContract(root, undefined);
      return { root, leftOut };
    } catch (error) {
      if (!(error instanceof InvalidContract)) throw error;
      const document = new OpenApiDocument(root);
      const taken = error.findings.filter((finding) => takeOut(document, finding));
      if (taken.length === 0) throw error;
      leftOut.push(...taken.map(({ pointer, message }) => `#${pointer}: ${message}`));
    }
  }
}

function complete(root: JsonObject): void {
  const document = new OpenApiDocument(root);
  for (const [path] of members(root['paths'])) {
    for (const [method, operation] of members(document.follow(below('/paths', path)).value)) {
      if (!METHODS.includes(method) || !isObject(operation)) continue;
      const { operationId = `${method} ${path}`, responses = {} } = operation;
      const some = members(responses).length > 0 ? responses : { 204: { description: 'not documented' } };
      Object.assign(operation, { operationId, responses: some });
    }
  }
}

/** Takes out the media type that a finding is about, or the operation that has no other. */
function takeOut(document: OpenApiDocument, { pointer }: Finding): boolean {
  const [, owner = '', type = ''] = /^(.*\/content)\/([^/]+)(?:\/schema)?$/.exec(pointer) ?? [];
  const content = document.at(owner);
  const [, methods = '', method = ''] = /^(\/paths\/[^/]+)\/([^/]+)\//.exec(pointer) ?? [];
  if (type === '' || !isObject(content)) return false;
  if (Object.keys(content).length > 1) return Reflect.deleteProperty(content, unescape(type));
  const item = document.at(methods);
  return isObject(item) && method in item && Reflect.deleteProperty(item, method);
}

const unescape = (step: string) => step.replace(/~1/g, '/').replace(/~0/g, '~');
