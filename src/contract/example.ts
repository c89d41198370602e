import { below, members, OpenApiDocument, type JsonObject } from './document';
import { stringifyJson } from './json-text';
import { readOperations, type Operation } from './operations';

/** A request, but for the secret that it needs. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** The header that presents a secret, if one is enough: its name, and what stands in it before the secret. */
  readonly credential?: readonly [name: string, prefix: string] | undefined;
  /** JSON, and its media type. */
  readonly body?: { readonly contentType: string; readonly text: string };
}

/**
 * A request that should succeed also where nothing has been created yet, so far as a document can tell: of the operations
 * that require no parameters the first whose JSON body has an example, or else the first that requires no body; those
 * that ask for credentials before those that do not.
 */
export function exampleRequest(root: JsonObject): ExampleRequest | undefined {
  const document = new OpenApiDocument(root);
  const requests = readOperations(document)
    .filter(({ parameters }) => parameters.every(({ required }) => !required))
    .sort((a, b) => Number(isPublic(a)) - Number(isPublic(b)))
    .flatMap((operation) => requestOf(document, operation) ?? []);
  return requests.find(({ body }) => body) ?? requests[0];
}

const isPublic = ({ security }: Operation): boolean => security.every((schemes) => schemes.length === 0);

function requestOf(document: OpenApiDocument, operation: Operation): ExampleRequest | undefined {
  const { operationId, method, paths, pointer, requestBody } = operation;
  const credential = credentialOf(document, operation);
  const request = { operationId, method, path: paths[0] ?? '', credential };
  for (const { key, codec } of requestBody?.content ?? []) {
    const owner = document.follow(below(pointer, 'requestBody')).pointer;
    const example = codec === 'json' ? exampleOf(document, below(owner, 'content', key)) : undefined;
    if (example !== undefined)
      return { ...request, body: { contentType: key, text: stringifyJson(example) } };
  }
  return requestBody?.required === true ? undefined : request;
}

/** Of the first alternative of its security requirement. */
function credentialOf(document: OpenApiDocument, { security: [schemes = []] }: Operation) {
  const [only, ...others] = schemes;
  if (!only || others.length > 0) return undefined;
  const {
    type,
    scheme,
    in: place,
    name,
  } = document.follow(below('/components/securitySchemes', only.scheme)).value;
  if (type === 'apiKey') return place === 'header' ? ([String(name), ''] as const) : undefined;
  const isBearer = type !== 'http' || String(scheme).toLowerCase() === 'bearer';
  return isBearer && type !== 'mutualTLS' ? (['Authorization', 'Bearer '] as const) : undefined;
}

/** The first example of a media type object, or of its schema. */
function exampleOf(document: OpenApiDocument, pointer: string): unknown {
  const ofSchema = document.follow(below(pointer, 'schema')).value['examples'];
  return [...examplesOf(document, pointer), ...[ofSchema].flat()].find((given) => given !== undefined);
}

/** The examples that the media type object at `pointer` has of its own (OpenAPI 3.1 section 4.8.14). */
export function examplesOf(document: OpenApiDocument, pointer: string): unknown[] {
  const { example, examples } = document.follow(pointer).value;
  const named = members(examples).map(
    ([name]) => document.follow(below(pointer, 'examples', name)).value['value'],
  );
  return [example, ...named].filter((given) => given !== undefined);
}
