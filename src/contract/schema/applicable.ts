import { isObject, type JsonObject, members } from '../document';
import { compilePattern, type Pattern } from './pattern';

/**
 * A schema as schemas.ts rewrites it. `judge` refers to a component, `discriminate` names one by a property; each branch
 * that says anything about properties, items or directions is a component.
 */
export type Node = JsonObject;

/** Rewritten schemas that others refer to, by identifier. */
export type Components = Readonly<Record<string, Node>>;

/** `discriminate`: the value of the property names the component that judges. */
export interface Discriminate {
  readonly property: string;
  /** By name; null for the schema in which the discriminator stands. */
  readonly branches: Readonly<Record<string, string | null>>;
  /** The branches for a value that is no object: of a `oneOf` exactly one, of an `anyOf` at least one holds. */
  readonly others?: { readonly keyword: 'oneOf' | 'anyOf'; readonly branches: readonly string[] };
}

/** The component that a discriminator names for a value; undefined if there is none. */
export function namedBranch({ property, branches }: Discriminate, value: object): string | null | undefined {
  const name: unknown = Object.hasOwn(value, property) ? Reflect.get(value, property) : undefined;
  return typeof name === 'string' && Object.hasOwn(branches, name) ? branches[name] : undefined;
}

/** Whether a value conforms to the component of this identifier. */
export type Takes = (identifier: string) => boolean;

export interface Applicable {
  readonly nodes: readonly Node[];
  /** Which nodes apply depends on the value. */
  readonly varies: boolean;
}

/**
 * The schemas that apply to a value in place: those given, and through references, `allOf`, discriminators and the
 * branches that the value takes, others (JSON Schema 2020-12 sections 10.2 and 7.7).
 *
 * @param takes undefined to find those that apply to every value
 */
export function applicable(
  nodes: readonly unknown[],
  components: Components,
  value?: unknown,
  takes?: Takes,
): Applicable {
  const found = new Set<Node>();
  let varies = false;
  const takesBranch = (branch: unknown): boolean => {
    const identifier = isObject(branch) ? branch['judge'] : undefined;
    if (typeof identifier !== 'string') return false; // it says nothing about what is below the value
    varies = true;
    return takes?.(identifier) ?? false;
  };
  const visit = (node: unknown): void => {
    if (!isObject(node) || found.has(node)) return;
    found.add(node);
    if (typeof node['judge'] === 'string') visit(components[node['judge']]);
    for (const part of listOf(node['allOf'])) visit(part);
    for (const keyword of ['anyOf', 'oneOf']) {
      for (const branch of listOf(node[keyword])) if (takesBranch(branch)) visit(branch);
    }
    if ('if' in node) {
      const holds = takesBranch(node['if']);
      if (holds) visit(node['if']);
      if (takes) visit(node[holds ? 'then' : 'else']);
    }
    for (const [name, part] of members(node['dependentSchemas'])) {
      varies = true;
      if (takes && isObject(value) && Object.hasOwn(value, name)) visit(part);
    }
    if ('discriminate' in node) visitNamed(node['discriminate'] as Discriminate);
  };
  const visitNamed = (discriminate: Discriminate): void => {
    varies = true;
    if (!takes) return;
    if (isObject(value)) {
      const named = namedBranch(discriminate, value);
      if (typeof named === 'string') visit(components[named]);
    } else {
      for (const branch of discriminate.others?.branches ?? []) if (takes(branch)) visit(components[branch]);
    }
  };
  for (const node of nodes) visit(node);
  return { nodes: [...found], varies };
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const patterns = new WeakMap<Node, readonly (readonly [Pattern, unknown])[]>();

/** The `patternProperties` of a schema, compiled. */
export function patternsOf(node: Node): readonly (readonly [Pattern, unknown])[] {
  const known = patterns.get(node);
  if (known) return known;
  const compiled = members(node['patternProperties']).map(
    ([source, schema]) => [compilePattern(source), schema] as const,
  );
  patterns.set(node, compiled);
  return compiled;
}
