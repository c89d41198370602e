import {
  joinPointer,
  certain,
  type Direction,
  type OpenApiDocument,
  type SchemaView,
  viewSchemas,
} from '../../src/contract';
import { contentOf } from '../publish/body-types';
import { decisionOn, keywordMessage } from './decisions';
import { DiscriminatorComparison } from './discriminator-changes';
import { compareKeywords, differences, type ChangeSink } from './keyword-changes';
import { wholeKeywords } from './whole-keywords';

/** Records one change. `pointer` is into the later document; for a removed part, into the earlier one. */
export type ReportChange = (pointer: string, message: string, breaking: boolean) => void;

/**
 * Compares the values that schemas admit. A client breaks if a request schema admits less, because the server then
 * refuses its requests. It also breaks if a response schema admits more, because it does not expect the new values. By
 * convention, a client ignores unknown properties and relies on known ones.
 */
export class SchemaComparison implements ChangeSink {
  private readonly compared = new Set<string>();
  private readonly discriminators: DiscriminatorComparison;

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
    private readonly direction: Direction,
    private readonly report: ReportChange,
    /** The result for each pair of branches. A pair counts as equal while it is compared, which ends recursion. */
    private readonly same = new Map<string, boolean>(),
    /** Whether the values are server-sent events, whose `data` may be JSON text: what it contains is compared. */
    private readonly areEvents = false,
  ) {
    this.discriminators = new DiscriminatorComparison(before, after);
  }

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
    this.compareProperties([old, was], [now, is], target);
    this.compareItems(old, now, target);
    this.compareWhole(was, is, target);
    this.discriminators.compare(old.discriminators, now.discriminators, target, this, (a, b) => {
      this.compare([a], [b], target);
    });
  }

  /** Compares the keywords that are compared as a whole, each with all its values. */
  private compareWhole(was: readonly string[], is: readonly string[], place: string): void {
    const [old, now] = [
      wholeKeywords(this.before, was, this.direction),
      wholeKeywords(this.after, is, this.direction),
    ];
    for (const keyword of new Set([...old.keys(), ...now.keys()])) {
      const [a, b] = [old.get(keyword), now.get(keyword)];
      if (a?.text === b?.text) continue;
      const pointer = b?.pointer ?? joinPointer(place, keyword);
      if (keyword === 'readOnly' || keyword === 'writeOnly') {
        if (b) this.narrowed(pointer, `${keyword} is new: it is refused now`);
        else this.widened(pointer, `${keyword} is gone: it is admitted now`);
      } else if (keyword === 'default' || decisionOn('Schema', keyword, this.direction) === 'LLL')
        this.listed(pointer, keywordMessage(keyword, a?.text, b?.text));
      else this.differ(pointer, `${keyword} differs, in a way that is not judged here`);
    }
  }

  /** Reports a default that differs, as breaking. */
  compareDefaults(was: readonly string[], is: readonly string[], place: string): void {
    const [old, now] = [
      wholeKeywords(this.before, was, this.direction).get('default'),
      wholeKeywords(this.after, is, this.direction).get('default'),
    ];
    if (old?.text === now?.text) return;
    const target = is[0] === undefined ? place : this.after.follow(is[0]).pointer;
    const pointer = now?.pointer ?? joinPointer(target, 'default');
    this.differ(pointer, keywordMessage('default', old?.text, now?.text));
  }

  listed(pointer: string, message: string): void {
    this.report(pointer, message, false);
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
      this.compareOverlaps(branches, now[i] ?? [], place);
    }
  }

  /** `oneOf` refuses what several alternatives admit: where they may overlap, a change of one turns on the others too. */
  private compareOverlaps(old: readonly string[], now: readonly string[], place: string): void {
    const overlaps = (document: OpenApiDocument, branches: readonly string[]) =>
      branches[0]?.split('/').at(-2) === 'oneOf' && this.overlap(document, branches);
    if (old.length === now.length && old.every((branch, i) => this.isSame(branch, now[i] ?? ''))) return;
    if (overlaps(this.before, old) || overlaps(this.after, now))
      this.differ(joinPointer(place, 'oneOf'), 'its alternatives overlap, and what several admit is refused');
  }

  /** Whether two alternatives may admit the same text, number, boolean or null. Objects are taken to exclude each other. */
  private overlap(document: OpenApiDocument, branches: readonly string[]): boolean {
    const views = branches.map((branch) => {
      const { types, values, properties } = viewSchemas(document, [branch], this.direction);
      const scalars = [...types].filter((type) => !/^(object|array)$/.test(type));
      // Many schemas of objects leave out the type.
      return { types: new Set(properties.size > 0 ? [] : scalars), values };
    });
    return views.some((one, i) =>
      views.slice(0, i).some((other) => {
        if (![...one.types].some((type) => other.types.has(type))) return false;
        const [a, b] = [one.values, other.values];
        return !a || !b || [...a.keys()].some((value) => b.has(value));
      }),
    );
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
    const { before, after, direction } = this;
    new SchemaComparison(before, after, direction, differs, this.same, this.areEvents).compare(
      [was],
      [is],
      is,
    );
    return this.same.get(pair) === true;
  }

  private compareProperties(
    [old, was]: readonly [SchemaView, readonly string[]],
    [now, is]: readonly [SchemaView, readonly string[]],
    place: string,
  ): void {
    const request = this.direction === 'request';
    for (const name of new Set([...old.properties.keys(), ...now.properties.keys()])) {
      // With the schemas that describe it by a pattern, or as one of the others.
      const [earlier, later] = [this.property(this.before, was, name), this.property(this.after, is, name)];
      const [first] = (old.withheld.has(name) ? undefined : old.properties.get(name)) ?? [];
      const [second] = (now.withheld.has(name) ? undefined : now.properties.get(name)) ?? [];
      const oneWay = request ? 'readOnly' : 'writeOnly';
      if (first !== undefined && second !== undefined) this.compare(earlier, later, place);
      else if (first !== undefined) {
        const refused = request && (now.closed || now.withheld.has(name));
        const message = now.withheld.has(name) ? `is ${oneWay} now` : 'is gone';
        this.report(first, `the property ${name} ${message}`, refused || !request);
        if (request && !refused && later.length > 0) this.compare(earlier, later, place);
      } else if (second !== undefined) {
        const demanded = request && now.required.has(name);
        const message = old.withheld.has(name) ? `is no longer ${oneWay}` : 'is new';
        this.report(second, `the property ${name} ${message}${demanded ? ' and required' : ''}`, demanded);
        // A client of an object that is a map sends any name.
        if (request && earlier.length > 0 && !old.closed && !old.withheld.has(name))
          this.compare(earlier, later, place);
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

  /** The schemas of the property of a name, in all schemas that always apply; of what JSON text contains, where it counts. */
  private property(document: OpenApiDocument, pointers: readonly string[], name: string): string[] {
    const all = propertyOf(document, pointers, name);
    if (!this.areEvents || name !== 'data') return all;
    return all.map((pointer) => contentOf(document, pointer) ?? pointer);
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

/** The schemas of the property of a name, in all schemas that always apply. */
function propertyOf(document: OpenApiDocument, pointers: readonly string[], name: string): string[] {
  const { subschemas } = document;
  const parts = subschemas
    .traverse(pointers, certain)
    .before.flatMap(({ pointer }) => subschemas.property(pointer, name));
  const evaluated = parts.filter(({ keyword }) => keyword !== 'unevaluatedProperties');
  return (evaluated.length > 0 ? evaluated : parts).map(({ pointer }) => pointer);
}
