import { type Json, type JsonObject } from '../json/tree';
import { escapeToken } from '../json/pointer';

/** Fields whose values are data, though they may look like a schema. */
const DATA = ['enum', 'const', 'default', 'example', 'examples', 'value'];

/** The pointer of an object whose fields have names of the user. */
const HOLDERS = /\/(?:properties|patternProperties|dependentSchemas|\$defs|schemas)$/;

const IDENTIFIERS = ['$id', '$anchor', '$dynamicAnchor'];

/** The URI of the document itself. Any will do: it has no other use than to resolve references against it. */
const DOCUMENT = 'document:///openapi';

/**
 * The document with each reference as a JSON pointer, and without `$id`, `$anchor` and `$dynamicAnchor` (JSON Schema core
 * section 8.2). A `$dynamicRef` becomes a `$ref` if the document has its anchor once, so that it has one target.
 */
export function resolveIdentifiers(json: JsonObject): JsonObject {
  const resources = new Map([[DOCUMENT, '']]);
  const anchors = new Map<string, string>();
  const dynamicAnchors = new Map<string, number>();
  visit(json, '', DOCUMENT, (node, pointer, base) => {
    if (typeof node['$id'] === 'string') resources.set(base, pointer);
    for (const keyword of ['$anchor', '$dynamicAnchor'] as const) {
      const name = node[keyword];
      if (typeof name !== 'string') continue;
      anchors.set(`${base}#${name}`, pointer);
      if (keyword === '$dynamicAnchor') dynamicAnchors.set(name, (dynamicAnchors.get(name) ?? 0) + 1);
    }
  });

  /** The reference as a pointer; unchanged if it leads out of the document. */
  const resolve = (reference: string, base: string): string => {
    if (base === DOCUMENT && /^#(?:\/|$)/.test(reference)) return reference;
    if (!URL.canParse(reference, base)) return reference;
    const [uri = '', fragment = ''] = new URL(reference, base).href.split('#');
    const resource = resources.get(uri);
    const isPointer = fragment === '' || fragment.startsWith('/');
    const pointer = isPointer
      ? resource && resource + decodeURIComponent(fragment)
      : anchors.get(`${uri}#${fragment}`);
    const target = isPointer && resource === '' ? decodeURIComponent(fragment) : pointer;
    return target === undefined ? reference : `#${target.replaceAll('%', '%25')}`;
  };

  const copy = structuredClone(json);
  visit(copy, '', DOCUMENT, (node, _, base) => {
    const { $ref: reference, $dynamicRef: dynamic } = node;
    if (typeof reference === 'string') node['$ref'] = resolve(reference, base);
    const anchor = typeof dynamic === 'string' ? (dynamic.split('#')[1] ?? '') : '';
    if (typeof dynamic === 'string' && reference === undefined && (dynamicAnchors.get(anchor) ?? 1) === 1) {
      node['$ref'] = resolve(dynamic, base);
      Reflect.deleteProperty(node, '$dynamicRef');
    }
  });
  visit(copy, '', DOCUMENT, (node) => {
    for (const name of IDENTIFIERS) if (typeof node[name] === 'string') Reflect.deleteProperty(node, name);
  });
  return copy;
}

/** Calls `see` for every object of the document, with its pointer and the URI against which it resolves references. */
function visit(
  json: Json,
  pointer: string,
  base: string,
  see: (node: JsonObject, pointer: string, base: string) => void,
): void {
  if (Array.isArray(json)) {
    json.forEach((entry, index) => {
      visit(entry, `${pointer}/${index}`, base, see);
    });
    return;
  }
  if (json === null || typeof json !== 'object') return;
  const id = json['$id'];
  const own =
    typeof id === 'string' && URL.canParse(id, base) ? (new URL(id, base).href.split('#')[0] ?? base) : base;
  const children = Object.entries(json);
  see(json, pointer, own);
  for (const [name, child] of children)
    if (!DATA.includes(name) || HOLDERS.test(pointer))
      visit(child, `${pointer}/${escapeToken(name)}`, own, see);
}
