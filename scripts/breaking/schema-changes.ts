import {
  joinPointer,
  canonicalJson,
  type Direction,
  isObject,
  type OpenApiDocument,
  type SchemaView,
  viewSchemas,
} from '../../src/contract';
import { compareKeywords, differences, type ChangeSink } from './keyword-changes';

/** Records one change. `pointer` is into the later document; for a removed part, into the earlier one. */
export type ReportChange = (pointer: string, message: string, breaking: boolean) => void;

/**
 * Compares the values that schemas admit. A client breaks if a request schema admits less, because the server then
 * refuses its requests. It also breaks if a response schema admits more, because it does not expect the new values. By
 * convention, a client ignores unknown properties and relies on known ones.
 */
export class SchemaComparison implements ChangeSink {
  private readonly compared = new Set<string>();

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
    private readonly direction: Direction,
    private readonly report: ReportChange,
    /** The result for each pair of branches. A pair counts as equal while it is compared, which ends recursion. */
    private readonly same = new Map<string, boolean>(),
  ) {}

  /**
   * @param was the pointers of the schemas of one value in the earlier document; no schema admits anything
   * @param is the pointers in the later document
   * @param place the pointer to report if `is` is empty
   */
  compare(was: readonly string[], is: readonly string[], place: string): void {
    const pair = `${was.join(' ')} > ${is.join(' ')}`;
    if (this.compared.has(pair)) return;
    this.compared.add(pair);
    const old = viewSchemas(this.before, was, this.direction);
    const now = viewSchemas(this.after, is, this.direction);
    const target = is[0] === undefined ? place : this.after.follow(is[0]).pointer;
    if (old.unions.length === now.unions.length) {
      this.compareUnions(old.unions, now.unions, target);
    } else if (
      (old.unions.length === 0 && was.length === 1 && this.isOnlyBranches(now, is)) ||
      (now.unions.length === 0 && is.length === 1 && this.isOnlyBranches(old, was))
    ) {
      // A schema without branches compares as a schema with one branch, and the reverse.
      this.compareUnions([old.unions[0] ?? [...was]], [now.unions[0] ?? [...is]], target);
      return;
    } else this.differ(target, 'its anyOf and oneOf are not comparable to those before');
    compareKeywords(old, now, target, this);
    this.compareProperties(old, now, target);
    this.compareItems(old, now, target);
    for (const keyword of new Set([...old.further.keys(), ...now.further.keys()])) {
      const [a, b] = [old.further.get(keyword) ?? [], now.further.get(keyword) ?? []];
      if (expand(this.before, a) !== expand(this.after, b))
        this.differ(
          b[0] ?? joinPointer(target, keyword),
          `${keyword} differs, in a way that is not judged here`,
        );
    }
  }

  narrowed(pointer: string, message: string): void {
    this.report(pointer, message, this.direction === 'request');
  }

  widened(pointer: string, message: string): void {
    this.report(pointer, message, this.direction === 'response');
  }

  private differ(pointer: string, message: string): void {
    this.report(pointer, message, true);
  }

  /** Whether the only constraint of the schemas is one `anyOf` or `oneOf`. */
  private isOnlyBranches(view: SchemaView, pointers: readonly string[]): boolean {
    const constrained = Object.entries(view).some(
      ([keyword, constraint]: [string, SchemaView[keyof SchemaView]]) => {
        if (/^(types|unions|examples|withheld)$/.test(keyword)) return false;
        return typeof constraint === 'object'
          ? ('size' in constraint ? constraint.size : constraint.length) > 0
          : constraint;
      },
    );
    return pointers.length === 1 && view.unions.length === 1 && view.types.size === 7 && !constrained;
  }

  private compareUnions(old: readonly string[][], now: readonly string[][], place: string): void {
    for (const [i, branches] of old.entries()) {
      const rest = [...(now[i] ?? [])];
      this.compareKinds(branches, rest, place);
      const unpaired = branches.filter((branch) => {
        const same = rest.findIndex((other) => this.isSame(branch, other));
        if (same >= 0) rest.splice(same, 1);
        return same < 0;
      });
      // Branches that refer to the same component, or have the same position, are one changed branch.
      for (const branch of unpaired) {
        const name = (document: OpenApiDocument, pointer: string) => document.follow(pointer).pointer;
        const at = rest.findIndex((other) => name(this.after, other) === name(this.before, branch));
        const [counterpart] = at < 0 ? [] : rest.splice(at, 1);
        if (counterpart === undefined) this.narrowed(branch, 'this alternative is gone');
        else this.compare([branch], [counterpart], place);
      }
      for (const branch of rest) this.widened(branch, 'this alternative is new');
    }
  }

  /** `oneOf` refuses a value that several branches admit. If no two branches share a type, it equals `anyOf`. */
  private compareKinds(old: readonly string[], now: readonly string[], place: string): void {
    const [was, is] = [old, now].map(([branch]) => branch?.split('/').at(-2));
    const types = now.flatMap((branch) => [...viewSchemas(this.after, [branch], this.direction).types]);
    if (was === is || new Set(types).size === types.length) return;
    if (is === 'oneOf')
      this.narrowed(joinPointer(place, is), 'was anyOf: what several alternatives admit is refused');
    if (was === 'oneOf') this.widened(place, 'was oneOf: what several alternatives admit is admitted now');
  }

  private isSame(was: string, is: string): boolean {
    const pair = `${was} > ${is}`;
    const known = this.same.get(pair);
    if (known !== undefined) return known;
    this.same.set(pair, true);
    const differs = () => void this.same.set(pair, false);
    new SchemaComparison(this.before, this.after, this.direction, differs, this.same).compare(
      [was],
      [is],
      is,
    );
    return this.same.get(pair) === true;
  }

  private compareProperties(old: SchemaView, now: SchemaView, place: string): void {
    const request = this.direction === 'request';
    for (const name of new Set([...old.properties.keys(), ...now.properties.keys()])) {
      const was = old.withheld.has(name) ? undefined : old.properties.get(name);
      const is = now.withheld.has(name) ? undefined : now.properties.get(name);
      if (was && is) this.compare(was, is, place);
      else if (was) {
        const refused = request && (now.closed || now.withheld.has(name));
        this.report(was[0] ?? place, `the property ${name} is gone`, refused || !request);
        if (request && !refused && now.otherProperties.length > 0)
          this.compare(was, now.otherProperties, place);
      } else if (is) {
        const demanded = request && now.required.has(name);
        this.report(
          is[0] ?? place,
          `the property ${name} is new${demanded ? ' and required' : ''}`,
          demanded,
        );
      }
    }
    const both = (name: string) => !request || old.properties.has(name) || !now.properties.has(name);
    const [optional, required] = differences(old.required, now.required);
    for (const name of required.filter(both))
      this.narrowed(joinPointer(place, 'required'), `${name} is required now`);
    for (const name of optional)
      this.widened(joinPointer(place, 'required'), `${name} is no longer required`);
    this.compareOthers(old, now, place);
  }

  private compareOthers(old: SchemaView, now: SchemaView, place: string): void {
    const pointer = joinPointer(place, 'additionalProperties');
    if (now.closed && !old.closed) this.narrowed(pointer, 'properties that are not listed are refused now');
    else if (old.closed && !now.closed) {
      this.report(pointer, 'properties that are not listed are admitted now', false);
    } else this.compare(old.otherProperties, now.otherProperties, pointer);
  }

  private compareItems(old: SchemaView, now: SchemaView, place: string): void {
    for (let i = 0; i < Math.max(old.prefixItems.length, now.prefixItems.length); i++) {
      this.compare(
        old.prefixItems[i] ?? old.items,
        now.prefixItems[i] ?? now.items,
        joinPointer(place, 'items'),
      );
    }
    this.compare(old.items, now.items, joinPointer(place, 'items'));
  }
}

/** The values at these pointers as canonical JSON, references expanded. Equal texts mean equal constraints. */
function expand(document: OpenApiDocument, pointers: readonly string[]): string {
  const seen = new Set<string>();
  const resolve = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) return value.map((item, i) => resolve(item, joinPointer(pointer, i)));
    if (!isObject(value)) return value;
    const target = typeof value['$ref'] === 'string' ? document.resolve(value['$ref']) : undefined;
    const entries = Object.entries(value).filter(([name]) => target === undefined || name !== '$ref');
    const own = Object.fromEntries(
      entries.map(([name, item]) => [name, resolve(item, joinPointer(pointer, name))]),
    );
    if (target === undefined || seen.has(target)) return own;
    seen.add(target);
    return { ...own, $ref: resolve(document.at(target), target) };
  };
  return canonicalJson({ all: pointers.map((pointer) => resolve(document.at(pointer), pointer)) }, 'all');
}
