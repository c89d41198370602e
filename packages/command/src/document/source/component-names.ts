import { isObject, joinPointer, lastStep, members, versionOf, walk } from 'contract-first-server/tools';
import { decoded, type Mutable, SECTIONS, sectionsIn } from './origin';
import { valueAt } from './values';

/** OpenAPI 3.1.1 section 4.8.7. */
const NAME = /^[\w.-]+$/;

/** The new pointers of renamed components, by the old ones. */
type Renamed = ReadonlyMap<string, string>;

/**
 * Gives each component whose name OpenAPI does not allow, such as `Page«Pet»`, one that it allows, in place: generators of
 * documents write such names, and the references to them are clear.
 *
 * @returns the new pointers of these components, by the old ones
 */
export function renameComponents(document: Mutable): Renamed {
  const renamed = new Map<string, string>();
  for (const [section, kind] of sectionsIn(document['components'])) {
    const here = joinPointer('/components', SECTIONS.get(kind) ?? '');
    const names = Object.keys(section);
    const taken = new Set(names);
    if (names.every((name) => NAME.test(name))) continue;
    for (const [name, value] of Object.entries(section)) {
      Reflect.deleteProperty(section, name); // each is put back, so that their order stays
      const allowed = NAME.test(name) ? name : freeName(name.replace(/[^\w.-]+/g, '_'), taken);
      taken.add(allowed);
      section[allowed] = value;
      if (allowed !== name) renamed.set(joinPointer(here, name), joinPointer(here, allowed));
    }
  }
  if (renamed.size > 0) follow(document, renamed);
  return renamed;
}

function freeName(base: string, taken: ReadonlySet<string>): string {
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  return name;
}

/** Lets what refers to renamed components refer to them by their new names. */
function follow(document: Mutable, renamed: Renamed): void {
  const followed = (ref: unknown): string | undefined => {
    if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
    const pointer = decoded(ref.slice(1));
    const [, section = '', name = ''] = /^(\/components\/[^/]+)(\/[^/]*)/.exec(pointer) ?? [];
    const to = renamed.get(section + name);
    return to && `#${to}${pointer.slice(section.length + name.length)}`;
  };
  const selecting: Mutable[] = [];
  const start = { pointer: '', value: document, expected: 'OpenAPI', documented: false } as const;
  walk({ ...start, version: versionOf(document) }, ({ kind, value }) => {
    const object = value as Mutable;
    const ref = followed(object['$ref']);
    if (ref !== undefined) object['$ref'] = ref;
    if (kind === 'Schema' && isObject(object['discriminator'])) selecting.push(object);
    if (kind === 'Discriminator') {
      const mapping = object['mapping'] as Mutable | undefined;
      for (const [name, target] of members(mapping)) {
        const to = followed(target) ?? renamed.get(joinPointer('/components/schemas', String(target)));
        if (mapping && to !== undefined) mapping[name] = to.replace(/^(?!#)/, '#');
      }
    }
    if (kind !== 'SecurityRequirement') return;
    for (const [name, scopes] of members(object)) {
      const to = renamed.get(joinPointer('/components/securitySchemes', name));
      if (to === undefined) continue;
      Reflect.deleteProperty(object, name);
      object[lastStep(to)] = scopes;
    }
  });
  for (const [from, to] of renamed) keepName(document, selecting, lastStep(from), `#${to}`);
}

/** Maps the earlier name of a schema to it where the name was what a discriminator selects it by (section 4.8.25). */
function keepName(document: Mutable, selecting: readonly Mutable[], name: string, ref: string): void {
  const own = valueAt(document, ref.slice(1));
  const parents = refsIn(own, 'allOf').map((parent) => valueAt(document, decoded(parent.slice(1))));
  for (const schema of selecting) {
    const isBranch = ['oneOf', 'anyOf'].some((keyword) => refsIn(schema, keyword).includes(ref));
    if (!isBranch && !parents.includes(schema)) continue;
    const discriminator = schema['discriminator'] as Mutable;
    const mapping = (discriminator['mapping'] ??= {}) as Mutable;
    if (!Object.values(mapping).includes(ref)) mapping[name] = ref;
  }
}

/** The references in a list of schemas. */
function refsIn(schema: unknown, keyword: string): string[] {
  const list = isObject(schema) ? schema[keyword] : undefined;
  return Array.isArray(list) ? list.flatMap((one) => (isObject(one) ? String(one['$ref']) : [])) : [];
}
