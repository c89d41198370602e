/** Carries what OpenAPI 3.2 adds past the generator of types, which knows 3.1; types.ts writes it back. */
import {
  isObject,
  joinPointer,
  members,
  type OpenApiDocument,
  operationPlaces,
  walk,
  writeDocument,
} from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';

type Mutable = Record<string, unknown>;

/** The methods of OpenAPI 3.1. */
const KNOWN = /^(get|put|post|delete|options|head|patch|trace)$/i;
/** Ends the path of an operation with another method: no path of a document has a fragment. */
export const FURTHER = '#';
/** The name of a parameter that is the whole query. */
export const WHOLE = '(querystring)';

/**
 * Writes a copy of a document in words of 3.1:
 *
 * - a media type stands where it is referred to, and the schema of its items in `x-item-schema`;
 * - an operation with a further method is the `post` of a path of its own, and so is one beside the reference of its path
 *   item, which a generator would leave out;
 * - the whole query is a parameter of it;
 * - a discriminator that admits other names is none: it does not tell what its property has.
 *
 * @param root a copy of the document, which is changed
 */
export function withoutLaterWords(root: Mutable, document: OpenApiDocument): void {
  const paths = root['paths'] as Mutable | undefined;
  for (const { path, method, item, pointer } of operationPlaces(document)) {
    const beside = document.at(joinPointer('/paths', path));
    const isBeside =
      isObject(beside) && '$ref' in beside && pointer.startsWith(joinPointer('/paths', path, ''));
    if (!paths || (KNOWN.test(method) && !isBeside)) continue;
    const parameters = item.get('parameters');
    paths[`${path}${FURTHER}${method}`] = copyOf({
      post: document.at(pointer),
      ...(parameters !== undefined && { parameters: document.at(parameters) }),
    });
  }
  walk({ pointer: '', value: root, expected: 'OpenAPI', documented: false }, ({ value, kind, expected }) => {
    const object = value as Mutable;
    const content = object['content'];
    if (isObject(content) && /^(RequestBody|Response|Parameter|Header)$/.test(kind))
      inlineMediaTypes(content, document);
    if (expected === 'MediaType' && 'itemSchema' in object) {
      object['x-item-schema'] = object['itemSchema'];
      Reflect.deleteProperty(object, 'itemSchema');
    }
    if (kind === 'Parameter' && object['in'] === 'querystring')
      Object.assign(object, { in: 'query', name: WHOLE });
    const { discriminator } = object;
    if (kind === 'Schema' && isObject(discriminator) && 'defaultMapping' in discriminator)
      Reflect.deleteProperty(object, 'discriminator');
  });
  const { components } = root;
  if (isObject(components)) Reflect.deleteProperty(components, 'mediaTypes');
}

function inlineMediaTypes(content: object, document: OpenApiDocument): void {
  for (const [key, media] of members(content)) {
    const target = isObject(media) ? document.resolve(media['$ref']) : undefined;
    if (target !== undefined) Reflect.set(content, key, copyOf(document.follow(target).value));
  }
}

const copyOf = (value: unknown): unknown => readDocument(writeDocument({ value }))['value'];
