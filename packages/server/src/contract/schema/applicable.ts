/**
 * Finds the rewritten schemas that apply to a value, by the branches that the value takes. document/subschemas.ts walks the
 * schemas of the document, without a value.
 */
import { isObject, type JsonObject, members } from '../document/document';
import { APPLICATORS, type Relation } from '../document/subschemas';
import type { Holder } from '../json/values';
import { compilePattern, type Pattern } from '../pattern/pattern';

/**
 * A schema as rewrite.ts rewrites it. `component` refers to a component, `discriminate` names one by a property. Each branch
 * that describes properties, items or directions is a component.
 */
export type Node = JsonObject;

/** Rewritten schemas that others refer to, by identifier. */
export type Components = Readonly<Record<string, Node>>;

/** `discriminate`: the value of the property names the component that judges. */
export interface Discriminate {
  readonly property: string;
  /**
   * The component by name; null for the schema of the discriminator itself. ajv would take a text for the value of a
   * keyword where the name is `$anchor`.
   */
  readonly branches: Readonly<Record<string, Named>>;
  /** The component for a value without such a name; undefined: it is rejected. */
  readonly otherwise?: Named;
  /** The branches for a value that is no object: of a `oneOf` exactly one, of an `anyOf` at least one holds. */
  readonly others?: { readonly keyword: 'oneOf' | 'anyOf'; readonly branches: readonly string[] };
}

type Named = { readonly component: string } | null;

/** The component that a discriminator names for a value; undefined if there is none. */
export function namedBranch(
  { property, branches, otherwise }: Discriminate,
  value: object,
): string | null | undefined {
  const name: unknown = Object.hasOwn(value, property) ? Reflect.get(value, property) : undefined;
  const branch = typeof name === 'string' && Object.hasOwn(branches, name) ? branches[name] : otherwise;
  return branch === null ? null : branch?.component;
}

/** Whether the value at `holder[key]` conforms. `root` is one object for all calls about the values below it. */
export type Holds = (value: unknown, holder: Holder, key: string | number, root: object) => boolean;

/** The judge of the component of this identifier. */
export type HoldsOf = (identifier: string) => Holds;

/**
 * The schemas that apply to a value in place: those given, and through references, `allOf`, discriminators and the
 * branches that the value takes, others (JSON Schema 2020-12 sections 10.2 and 7.7).
 *
 * @param answerOf answers a question about the value; undefined to find the schemas that apply to every value
 */
export function applicable(
  nodes: readonly unknown[],
  components: Components,
  answerOf?: (question: Question) => unknown,
): readonly Node[] {
  const found = new Set<Node>();
  const takesBranch = (branch: unknown): boolean => {
    const identifier = isObject(branch) ? branch['component'] : undefined;
    if (typeof identifier !== 'string') return false; // the branch describes no part of the value
    return answerOf?.({ component: identifier }) === true;
  };
  const visit = (node: unknown): void => {
    if (!isObject(node) || found.has(node)) return;
    found.add(node);
    if (typeof node['component'] === 'string') visit(components[node['component']]);
    for (const part of listOf(node['allOf'])) visit(part);
    for (const keyword of ['anyOf', 'oneOf']) {
      for (const branch of listOf(node[keyword])) if (takesBranch(branch)) visit(branch);
    }
    if ('if' in node) {
      const holds = takesBranch(node['if']);
      if (holds) visit(node['if']);
      if (answerOf) visit(node[holds ? 'then' : 'else']);
    }
    for (const [name, part] of members(node['dependentSchemas'])) {
      if (answerOf?.({ property: name }) === true) visit(part);
    }
    if ('discriminate' in node) visitNamed(node['discriminate'] as Discriminate);
  };
  const visitNamed = (discriminate: Discriminate): void => {
    const named = answerOf?.(discriminate);
    if (typeof named === 'string') visit(components[named]);
    if (named !== OTHER_TYPE) return;
    for (const branch of discriminate.others?.branches ?? []) {
      if (answerOf?.({ component: branch }) === true) visit(components[branch]);
    }
  };
  for (const node of nodes) visit(node);
  return [...found];
}

/** A question whose answer decides which schemas apply to a value. */
type Question = { readonly component: string } | { readonly property: string } | Discriminate;

/** A step of the decision: a question with the step after each answer, or the result. */
interface Step<T> {
  readonly evaluate: Evaluate | undefined;
  readonly result: T;
  readonly next: Map<unknown, Step<T>>;
}

type Evaluate = (value: unknown, holder: Holder, key: string | number, root: object) => unknown;

/** The maximum number of cached steps. A client can choose among twelve branches of an anyOf in thousands of ways. */
const MAX_STEPS = 10_000;
const OTHER_TYPE = Symbol('other type');

/**
 * Caches a result that depends on the schemas that apply to a value in place, for each sequence of answers. The order of the
 * questions is always the same.
 */
export class Applicables<T> {
  private first: Step<T> | undefined;
  private steps = 0;

  /** @param compute computes the result for the schemas that apply */
  constructor(
    private readonly nodes: readonly unknown[],
    private readonly components: Components,
    private readonly holdsOf: HoldsOf,
    private readonly compute: (nodes: readonly Node[]) => T,
  ) {}

  /** @param root one object for all calls about the values below it */
  of(value: unknown, holder: Holder, key: string | number, root: object): T {
    let step = this.first;
    while (step?.evaluate !== undefined) step = step.next.get(step.evaluate(value, holder, key, root));
    return step ? step.result : this.addResult(value, holder, key, root);
  }

  /** The result for every value; undefined if it depends on the value. */
  constant(): T | undefined {
    const questions: Question[] = [];
    const nodes = applicable(this.nodes, this.components, (question) => questions.push(question));
    return questions.length > 0 ? undefined : this.compute(nodes);
  }

  private addResult(value: unknown, holder: Holder, key: string | number, root: object): T {
    const answers: { readonly evaluate: Evaluate; readonly answer: unknown }[] = [];
    const nodes = applicable(this.nodes, this.components, (question) => {
      const evaluate = this.evaluatorOf(question);
      const answer = evaluate(value, holder, key, root);
      answers.push({ evaluate, answer });
      return answer;
    });
    const result = this.compute(nodes);
    if (this.steps + answers.length > MAX_STEPS) [this.first, this.steps] = [undefined, 0];
    const stepAt = (i: number): Step<T> => ({ evaluate: answers[i]?.evaluate, result, next: new Map() });
    let step = (this.first ??= stepAt(0));
    for (const [i, { answer }] of answers.entries()) {
      const known = step.next.get(answer);
      const next = known ?? stepAt(i + 1);
      if (!known) this.steps++;
      step.next.set(answer, next);
      step = next;
    }
    return result;
  }

  private evaluatorOf(question: Question): Evaluate {
    if ('component' in question) return this.holdsOf(question.component);
    if ('branches' in question)
      return (value) => (isObject(value) ? namedBranch(question, value) : OTHER_TYPE);
    return (value) => isObject(value) && Object.hasOwn(value, question.property);
  }
}

/** Of the schemas that apply to a value, those that do so because `node` does, without itself. */
export function inPlaceOf(node: Node, components: Components, applied: ReadonlySet<Node>): Node[] {
  const found = new Set([node]);
  for (const next of found) {
    for (const part of partsOf(next, components, ['certain', 'possible']))
      if (isObject(part) && applied.has(part)) found.add(part);
  }
  found.delete(node);
  return [...found];
}

/** The schemas that a rewritten one consists of or refers to, by their relation to it. */
export function partsOf(node: Node, components: Components, relations: readonly Relation[]): unknown[] {
  const { containing, component, remainingProperties, remainingItems } = node;
  const named = node['discriminate'] as Discriminate | undefined;
  const all = [...Object.values(named?.branches ?? {}), named?.otherwise];
  const branches = all.map((branch) => branch?.component);
  const identifiers = [component, ...branches, ...(named?.others?.branches ?? [])];
  if (relations.includes('child')) {
    identifiers.push(remainingProperties, remainingItems, isObject(containing) && containing['component']);
  }
  const held = Object.entries(node).flatMap(([keyword, operand]) => {
    const { relation, as } = APPLICATORS.get(keyword) ?? {};
    if (!relation || !relations.includes(relation)) return [];
    return as === 'map'
      ? members(operand).map(([, part]) => part)
      : as === 'list'
        ? listOf(operand)
        : [operand];
  });
  const referred = identifiers.flatMap((identifier) =>
    typeof identifier === 'string' ? [components[identifier]] : [],
  );
  return [...referred, ...held];
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

/** The schemas by which a node itself describes a property; without a name, one that it neither lists nor matches. */
export function propertiesOf(node: Node, name: string | undefined): unknown[] {
  const { properties, additionalProperties: others = false } = node;
  const listed = name !== undefined && isObject(properties) && Object.hasOwn(properties, name);
  const matching = name === undefined ? [] : patternsOf(node).filter(([pattern]) => pattern.test(name));
  const own = [...(listed ? [properties[name]] : []), ...matching.map(([, schema]) => schema)];
  return own.length > 0 || others === false ? own : [others];
}

/** The schemas by which a node itself describes the item at an index. */
export function itemsOf(node: Node, index: number): unknown[] {
  const prefixItems = listOf(node['prefixItems']);
  if (index < prefixItems.length) return [prefixItems[index]];
  return 'items' in node ? [node['items']] : [];
}

/** The names of `required` and `dependentRequired`, and that of a discriminator. */
export function demandedNames({ required, dependentRequired, discriminate }: Node): string[] {
  const chooses = isObject(discriminate) ? [discriminate['property']] : [];
  return [required, chooses, ...members(dependentRequired).map(([, names]) => names)]
    .flatMap(listOf)
    .map(String);
}

/**
 * Finds whether a rewritten schema, or one below it, is sought. The result is kept for each. It does not recurse: a chain of
 * schemas may be longer than the stack.
 */
export function seeker(
  components: Components,
  isSought: (node: Node) => boolean,
): (root: unknown) => boolean {
  const known = new WeakMap<object, boolean>();
  const search = (root: Node): boolean => {
    const schemas = new Set<unknown>([root]);
    for (const node of schemas) {
      if (!isObject(node)) continue;
      if (isSought(node)) return true;
      for (const part of partsOf(node, components, ['certain', 'possible', 'child'])) schemas.add(part);
    }
    return false;
  };
  return (root) => {
    if (!isObject(root)) return false;
    const found = known.get(root) ?? search(root);
    known.set(root, found);
    return found;
  };
}
