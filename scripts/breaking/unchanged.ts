import { canonicalJson, isObject, joinPointer, members, type OpenApiDocument } from '../../src/contract';

/** A place in a component: the pointer of the component. */
const componentOf = (pointer: string): string | undefined => /^\/components\/[^/]*\/[^/]*/.exec(pointer)?.[0];

/**
 * Finds the parts that are the same in two versions of a document, so that a comparison costs what the change says and not
 * what the document says.
 */
export class Unchanged {
  /** The components that differ, or that refer to one that does. */
  private readonly affected = new Set<string>();
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
  ) {
    const users = new Map<string, string[]>();
    for (const [section, components] of members(after.root['components'])) {
      for (const [name, value] of members(components)) {
        const pointer = joinPointer('/components', section, name);
        const used = componentsIn(after, value);
        for (const target of used) users.set(target, [...(users.get(target) ?? []), pointer]);
        if (used.has('') || textAt(before, pointer) !== textAt(after, pointer)) this.affected.add(pointer);
      }
    }
    for (const pointer of this.affected) {
      for (const user of users.get(pointer) ?? []) this.affected.add(user);
    }
  }

  /** Whether these parts have the same text, and all that they refer to is the same. */
  at(was: string, is: string): boolean {
    const component = componentOf(is);
    if (was === is && component !== undefined && !this.affected.has(component)) return true;
    const key = `${was} ${is}`;
    const known = this.known.get(key) ?? this.compare(was, is);
    this.known.set(key, known);
    return known;
  }

  private compare(was: string, is: string): boolean {
    if (textAt(this.before, was) !== textAt(this.after, is)) return false;
    const used = componentsIn(this.after, this.after.at(is));
    return !used.has('') && [...used].every((target) => !this.affected.has(target));
  }
}

/** The components that a value refers to; `''` stands for any other place. */
export function componentsIn(
  document: OpenApiDocument,
  value: unknown,
  found = new Set<string>(),
): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, item] of Object.entries(value)) {
    const refs = name === '$ref' ? [item] : name === 'mapping' && isObject(item) ? Object.values(item) : [];
    for (const ref of refs) {
      if (typeof ref === 'string') found.add(componentOf(document.references.mapped(ref) ?? '') ?? '');
    }
    // Without branches, a discriminator chooses among the components that have its schema in their allOf.
    if (name === 'discriminator' && !('oneOf' in value) && !('anyOf' in value)) found.add('');
    componentsIn(document, item, found);
  }
  return found;
}

function textAt(document: OpenApiDocument, pointer: string): string {
  const value = document.at(pointer);
  return value === undefined ? '' : canonicalJson({ value }, 'value');
}
