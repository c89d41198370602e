import {
  joinPointer,
  certain,
  type Direction,
  type OpenApiDocument,
  type SchemaView,
  viewSchemas,
} from 'contract-first-server/tools';
import { contentOf } from '../document/publish/body-types';
import { decisionOn, keywordMessage } from './decisions';
import { DiscriminatorComparison } from './discriminator-changes';
import { compareKeywords, differences, type ChangeSink } from './keyword-changes';
import { EVALUATORS, wholeKeywords } from './whole-keywords';

/** Records one change. `pointer` is into the later document; for a removed part, into the earlier one. */
export type ReportChange = (pointer: string, message: string, breaking: boolean) => void;

/**
 * What comparing two schemas finds: nothing; changes that break nobody, maybe after properties have gone that clients send, or
 * come that they do not know; or one that breaks a client.
 */
type Finding = 'same' | 'safe' | 'drops' | 'breaks';
/** The schemas of one value, and what they demand together. */
type Side = readonly [view: SchemaView, pointers: readonly string[]];
const isSafe = (finding: Finding): boolean => finding === 'same' || finding === 'safe';

/**
 * Compares the values that schemas admit. A client breaks if a request schema admits less, because the server then
 * refuses its requests. It also breaks if a response schema admits more, because it does not expect the new values. By
 * convention, a client ignores unknown properties and relies on known ones.
 */
export class SchemaComparison implements ChangeSink {
  private readonly compared = new Set<string>();
  private drops = false;
  private readonly discriminators: DiscriminatorComparison;

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
    private readonly direction: Direction,
    private readonly report: ReportChange,
    /** The finding of each pair. A pair counts as equal while it is compared, which ends recursion. */
    private readonly findings = new Map<string, Finding>(),
    /** Whether the values are server-sent events, whose `data` may be JSON text: what it contains is compared. */
    private readonly areEvents = false,
    private readonly isSilent = false,
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
    // A schema that is no choice compares as a choice of one alternative, and the reverse.
    const [wasChoice, isChoice] = [this.isOnlyBranches(old, was), this.isOnlyBranches(now, is)];
    if (
      (isChoice && !wasChoice && this.isAlternative(old, was, now, 'request')) ||
      (wasChoice && !isChoice && this.isAlternative(now, is, old, 'response'))
    ) {
      const branches = (choice: SchemaView) => choice.unions[0] ?? [];
      this.compareBranches(wasChoice ? branches(old) : was, isChoice ? branches(now) : is, target);
      return;
    }
    this.compareUnions([old, was], [now, is], target);
    compareKeywords(old, now, target, this);
    this.compareProperties([old, was], [now, is], target);
    this.compareItems(old, now, target);
    this.compareWhole([old, was], [now, is], target);
    this.discriminators.compare(old.discriminators, now.discriminators, target, this, (a, b) => {
      this.compare([a], [b], target);
    });
  }

  /** Compares the keywords that are compared as a whole, each with all its values. */
  private compareWhole([old, was]: Side, [now, is]: Side, place: string): void {
    const [before, after] = [
      wholeKeywords(this.before, was, this.direction),
      wholeKeywords(this.after, is, this.direction),
    ];
    const isCounted = [old, now].some(({ least, most }) => least.has('Contains') || most.has('Contains'));
    const patterns = [before, after].map((keywords) => keywords.get('patternProperties'));
    // Where no other properties are admitted, a pattern admits some.
    const isOpening = (patterns[0]?.isClosed ?? old.closed) && (patterns[1]?.isClosed ?? now.closed);
    if (isOpening) {
      const closing = `additionalProperties${EVALUATORS}`;
      const [a = 0, b = 0] = [before, after].map((keywords) => keywords.get(closing)?.texts.length ?? 0);
      for (const keywords of [before, after]) keywords.delete(closing);
      // A further schema without other properties may lack a pattern of the others.
      const pointer = joinPointer(place, 'additionalProperties');
      if (b > a && (patterns[0] || patterns[1]))
        this.narrowed(pointer, 'other properties are refused by one more schema');
    }
    for (const keyword of new Set([...before.keys(), ...after.keys()])) {
      const [a, b] = [before.get(keyword), after.get(keyword)];
      const [gone, added] = differences(a?.texts ?? [], b?.texts ?? []);
      if (gone.length + added.length === 0 || (keyword.endsWith(EVALUATORS) && !(a && b))) continue;
      const pointer = b?.pointer ?? joinPointer(place, keyword);
      const isOpener = keyword === 'patternProperties' && isOpening;
      // The bounds of several `contains` are compared together, so nobody knows which of them is gone.
      const isTied = keyword.endsWith(EVALUATORS) || (keyword === 'contains' && isCounted);
      if (keyword === 'readOnly' || keyword === 'writeOnly') {
        if (b) this.narrowed(pointer, `${keyword} is new: it is refused now`);
        else this.widened(pointer, `${keyword} is gone: it is admitted now`);
      } else if (keyword === 'default' || decisionOn('Schema', keyword, this.direction) === 'LLL')
        this.listed(pointer, keywordMessage(keyword, a?.texts.join(), b?.texts.join()));
      else if ((isTied && a && b) || (gone.length > 0 && added.length > 0))
        this.differ(pointer, `${keyword} differs, in a way that is not judged here`);
      else if (added.length > 0 !== isOpener)
        this.narrowed(pointer, `${keyword} is ${isOpener ? 'gone' : 'new'}: it admits less`);
      else this.widened(pointer, `${keyword} is ${isOpener ? 'new' : 'gone'}: it admits more`);
    }
  }

  /** Reports a default that differs, as breaking. */
  compareDefaults(was: readonly string[], is: readonly string[], place: string): void {
    const [old, now] = [
      wholeKeywords(this.before, was, this.direction).get('default'),
      wholeKeywords(this.after, is, this.direction).get('default'),
    ];
    const [before, after] = [old, now].map((one) => one?.texts.join());
    if (before === after) return;
    const target = is[0] === undefined ? place : this.after.follow(is[0]).pointer;
    const pointer = now?.pointer ?? joinPointer(target, 'default');
    this.differ(pointer, keywordMessage('default', before, after));
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

  /** Compares choices, each of which a value has to meet. */
  private compareUnions([{ unions: old }, was]: Side, [{ unions: now }, is]: Side, place: string): void {
    const request = this.direction === 'request';
    const [others, whole] = request ? [old, was] : [now, is];
    const unused = new Set(others);
    const sides = (strict: readonly string[], other: readonly string[]) =>
      request ? ([other, strict] as const) : ([strict, other] as const);
    // What meets each choice of the strict side, all that was admitted meets: breaks nobody. One choice may ensure several.
    for (const [i, strict] of (request ? now : old).entries()) {
      const isMet = (other: readonly string[]) => {
        const [before, after] = sides(strict, other);
        const found = this.judge(`choice ${before.join(' ')} > ${after.join(' ')}`, (silent) => {
          silent.compareBranches(before, after, place);
        });
        return found !== 'breaks';
      };
      const aligned = old.length === now.length ? others[i] : undefined;
      const near = aligned && isMet(aligned) ? aligned : [...unused, ...others].find(isMet);
      const counterpart = near ?? (this.isWithinOne(whole, strict) ? undefined : aligned);
      if (counterpart) {
        unused.delete(counterpart);
        this.compareBranches(...sides(strict, counterpart), place);
      } else if (!this.isWithinOne(whole, strict))
        this.differ(place, 'its anyOf and oneOf are not comparable to those before');
    }
    if (unused.size > 0)
      this.listed(place, `${request ? 'fewer' : 'more'} choices of anyOf and oneOf must be met now`);
  }

  /** Whether a schema is comparable with the alternatives of a choice. `strict`: where these have to admit all that it admits. */
  private isAlternative(
    { unions }: SchemaView,
    pointers: readonly string[],
    choice: SchemaView,
    strict: Direction,
  ): boolean {
    if (pointers.length !== 1) return false;
    if (unions.length === 0) return true;
    return this.direction === strict && this.isWithinOne(pointers, choice.unions[0] ?? [], isSafe);
  }

  /** Whether one alternative admits all that schemas of the other side admit, and in a `oneOf` no other alternative does. */
  private isWithinOne(
    whole: readonly string[],
    choice: readonly string[],
    // What the other schemas of the value list, an alternative need not.
    isEnough = (finding: Finding): boolean => finding !== 'breaks',
  ): boolean {
    const request = this.direction === 'request';
    const [own, other] = request ? [this.after, this.before] : [this.before, this.after];
    const admits = (branch: string) =>
      isEnough(request ? this.finding(whole, [branch]) : this.finding([branch], whole));
    const mayAdmit = (branch: string) =>
      !isEmpty(meet(this.scalarsOf(own, [branch]), this.scalarsOf(other, whole)));
    const isExclusive = choice[0]?.split('/').at(-2) === 'oneOf';
    return choice.some(
      (branch) =>
        admits(branch) && !(isExclusive && choice.some((rival) => rival !== branch && mayAdmit(rival))),
    );
  }

  /** Compares the branches of one choice. */
  private compareBranches(old: readonly string[], now: readonly string[], place: string): void {
    this.compareKinds(old, now, place);
    const request = this.direction === 'request';
    const [gone, added] = [[...old], [...now]];
    const take = (from: string[], branch: string) => {
      const at = from.indexOf(branch);
      if (at >= 0) from.splice(at, 1);
    };
    const kept = new Set<string>();
    for (const branch of old) {
      const same = added.find((other) => this.finding([branch], [other]) === 'same');
      if (same === undefined) continue;
      kept.add(request ? same : branch);
      take(added, same);
      take(gone, branch);
    }
    // What one alternative admitted, any other one may admit now.
    for (const branch of request ? [...gone] : [...added]) {
      const pairs = (request ? now : old).map((other): [string, string] =>
        request ? [branch, other] : [other, branch],
      );
      const isNamed = ([was, is]: [string, string]) => this.isNamesake(was, is);
      const found = ([was, is]: [string, string]) => this.finding([was], [is]);
      const safe =
        pairs.find((pair) => isNamed(pair) && found(pair) !== 'breaks') ??
        pairs.find((pair) => isSafe(found(pair)));
      if (!safe) continue;
      take(gone, safe[0]);
      take(added, safe[1]);
      this.compareAlternative(...safe, place);
    }
    for (const branch of gone) {
      const counterpart = added.find((other) => this.isNamesake(branch, other));
      if (counterpart === undefined) this.narrowed(branch, 'this alternative is gone');
      else {
        take(added, counterpart);
        this.compareAlternative(branch, counterpart, place);
      }
    }
    for (const branch of added) this.widened(branch, 'this alternative is new');
    this.compareOverlaps(old, now, kept, place);
  }

  /** Compares one alternative. Where nobody reads the changes, what was found of it is enough. */
  private compareAlternative(was: string, is: string, place: string): void {
    if (!this.isSilent) {
      this.compare([was], [is], place);
      return;
    }
    const finding = this.finding([was], [is]);
    this.drops ||= finding === 'drops';
    if (finding !== 'same') this.report(place, 'this alternative differs', finding === 'breaks');
  }

  /** Whether alternatives refer to the same component, or have the same position: they are one changed alternative. */
  private isNamesake(was: string, is: string): boolean {
    return this.before.follow(was).pointer === this.after.follow(is).pointer;
  }

  /**
   * `oneOf` refuses what several alternatives admit. A value is lost that one alternative admitted before, and several admit
   * now; not if these are `kept` as they were.
   */
  private compareOverlaps(
    old: readonly string[],
    now: readonly string[],
    kept: ReadonlySet<string>,
    place: string,
  ): void {
    const [strict, others] = this.direction === 'request' ? [now, old] : [old, now];
    if (strict[0]?.split('/').at(-2) !== 'oneOf') return;
    const [views, admitted] = [strict, others].map((branches) =>
      branches.map((branch) => this.scalarsOf(branches === now ? this.after : this.before, [branch])),
    );
    const isLost = views?.some((one, i) =>
      views.slice(0, i).some((other, k) => {
        if (kept.has(strict[i] ?? '') && kept.has(strict[k] ?? '')) return false;
        return admitted?.some((was) => !isEmpty(meet(meet(one, other), was)));
      }),
    );
    if (isLost === true)
      this.differ(joinPointer(place, 'oneOf'), 'its alternatives overlap, and what several admit is refused');
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

  /** The texts, numbers, booleans and null that an alternative may admit. Objects are taken to exclude each other. */
  private scalarsOf(
    document: OpenApiDocument,
    pointers: readonly string[],
    within: readonly string[] = [],
  ): Scalars {
    const { types, values, properties, unions } = viewSchemas(document, pointers, this.direction);
    // Many schemas of objects leave out the type.
    const scalars = properties.size > 0 ? [] : [...types].filter((type) => !/^(object|array)$/.test(type));
    const own: Scalars = { types: new Set(scalars), values: values && new Set(values.keys()) };
    if (pointers.some((pointer) => within.includes(pointer))) return own;
    return unions
      .map((branches) =>
        branches.map((branch) => this.scalarsOf(document, [branch], [...within, ...pointers])).reduce(join),
      )
      .reduce(meet, own);
  }

  private finding(was: readonly string[], is: readonly string[]): Finding {
    return this.judge(`${was.join(' ')} > ${is.join(' ')}`, (silent) => {
      silent.compare(was, is, is[0] ?? '');
    });
  }

  /** What a comparison finds that reports nothing. `pair` names what it compares. */
  private judge(pair: string, compare: (silent: SchemaComparison) => void): Finding {
    const known = this.findings.get(pair);
    if (known !== undefined) return known;
    const earlier = this.findings.size;
    this.findings.set(pair, 'same');
    const reported = { any: false, breaking: false };
    const note: ReportChange = (_pointer, _message, breaking) => {
      reported.any = true;
      reported.breaking ||= breaking;
    };
    const { before, after, direction, findings, areEvents } = this;
    const silent = new SchemaComparison(before, after, direction, note, findings, areEvents, true);
    compare(silent);
    const harmless = silent.drops ? 'drops' : reported.any ? 'safe' : 'same';
    const finding = reported.breaking ? 'breaks' : harmless;
    // What was found meanwhile may rest on this pair being equal. That something breaks never does.
    if (finding !== 'same' && findings.size > earlier + 1)
      for (const [other, of] of [...findings].slice(earlier)) if (of !== 'breaks') findings.delete(other);
    findings.set(pair, finding);
    return finding;
  }

  private compareProperties([old, was]: Side, [now, is]: Side, place: string): void {
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
        this.drops ||= request && now.properties.size > 0;
        this.report(first, `the property ${name} ${message}`, refused || !request);
        if (request && !refused && later.length > 0) this.compare(earlier, later, place);
      } else if (second !== undefined) {
        const demanded = request && now.required.has(name);
        const message = old.withheld.has(name) ? `is no longer ${oneWay}` : 'is new';
        this.drops ||= !request && old.properties.size > 0;
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

interface Scalars {
  readonly types: ReadonlySet<string>;
  /** As canonical JSON; undefined if any value of the types may be admitted. */
  readonly values: ReadonlySet<string> | undefined;
}

type Texts = ReadonlySet<string>;
const common = (a: Texts, b: Texts): Texts => new Set([...a].filter((text) => b.has(text)));
const meet = (a: Scalars, b: Scalars): Scalars => ({
  types: common(a.types, b.types),
  values: a.values && b.values ? common(a.values, b.values) : (a.values ?? b.values),
});
const join = (a: Scalars, b: Scalars): Scalars => ({
  types: new Set([...a.types, ...b.types]),
  values: a.values && b.values && new Set([...a.values, ...b.values]),
});
const isEmpty = ({ types, values }: Scalars): boolean => types.size === 0 || values?.size === 0;

/**
 * The schemas of the property of a name, in all schemas that always apply. `unevaluatedProperties` counts unless the schema that
 * has it evaluates the property: what is beside that schema does not.
 */
function propertyOf(document: OpenApiDocument, pointers: readonly string[], name: string): string[] {
  const { subschemas } = document;
  const isEvaluated = (pointer: string): boolean =>
    subschemas
      .possible(pointer)
      .some((place) => place.pointer !== pointer && subschemas.property(place.pointer, name).length > 0);
  return subschemas.traverse(pointers, certain).before.flatMap(({ pointer }) =>
    subschemas
      .property(pointer, name)
      .filter(({ keyword }) => keyword !== 'unevaluatedProperties' || !isEvaluated(pointer))
      .map((part) => part.pointer),
  );
}
