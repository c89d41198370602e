import { type JsonObject, objectsIn } from '../json/tree';

/**
 * The URI of the document itself: its `$self` (OpenAPI 3.2 section 4.1). Any will do else: it has no other use than to resolve
 * references against it.
 */
function uriOf({ $self = '' }: JsonObject): string {
  const own = 'document:///openapi';
  const uri = typeof $self === 'string' && URL.canParse($self, own) ? new URL($self, own).href : own;
  return uri.split('#')[0] ?? own;
}

/** Each object of the document, with its pointer and the URI against which it resolves references. */
function* objectsWithBase(json: JsonObject) {
  const document = uriOf(json);
  const bases = new Map<JsonObject | undefined, string>();
  for (const { node, pointer, around } of objectsIn(json)) {
    const { $id } = node;
    const outer = bases.get(around) ?? document;
    const base =
      typeof $id === 'string' && URL.canParse($id, outer) ? new URL($id, outer).href.split('#')[0] : outer;
    bases.set(node, base ?? outer);
    yield { node, pointer, base: base ?? outer };
  }
}

/**
 * The document with each reference as a JSON pointer, and without `$id`, `$anchor` and `$dynamicAnchor` (JSON Schema core
 * section 8.2). A `$dynamicRef` becomes a `$ref` if the document has its anchor once, so that it has one target.
 */
export function resolveIdentifiers(json: JsonObject): JsonObject {
  const document = uriOf(json);
  const resources = new Map([[document, '']]);
  const anchors = new Map<string, string>();
  const dynamicAnchors: string[] = [];
  for (const { node, pointer, base } of objectsWithBase(json)) {
    if (typeof node['$id'] === 'string') resources.set(base, pointer);
    for (const name of [node['$anchor'], node['$dynamicAnchor']])
      if (typeof name === 'string') anchors.set(`${base}#${name}`, pointer);
    if (typeof node['$dynamicAnchor'] === 'string') dynamicAnchors.push(node['$dynamicAnchor']);
  }

  /** The reference as a pointer; unchanged if it leads out of the document. */
  const resolve = (reference: string, base: string): string => {
    if (base === document && /^#(?:\/|$)/.test(reference)) return reference;
    if (!URL.canParse(reference, base)) return reference;
    const [uri = '', fragment = ''] = new URL(reference, base).href.split('#');
    const isPointer = fragment === '' || fragment.startsWith('/');
    const resource = resources.get(uri);
    const target = isPointer
      ? resource === undefined
        ? undefined
        : resource + decodeURIComponent(fragment)
      : anchors.get(`${uri}#${fragment}`);
    return target === undefined ? reference : `#${target.replaceAll('%', '%25')}`;
  };

  const copy = structuredClone(json);
  for (const { node, base } of objectsWithBase(copy)) {
    const { $ref: reference, $dynamicRef: dynamic } = node;
    if (typeof reference === 'string') node['$ref'] = resolve(reference, base);
    else if (typeof dynamic === 'string') {
      const targets = dynamicAnchors.filter((anchor) => anchor === (dynamic.split('#')[1] ?? ''));
      if (targets.length <= 1) {
        node['$ref'] = resolve(dynamic, base);
        Reflect.deleteProperty(node, '$dynamicRef');
      }
    }
    for (const name of ['$id', '$anchor', '$dynamicAnchor'])
      if (typeof node[name] === 'string') Reflect.deleteProperty(node, name);
  }
  return copy;
}
