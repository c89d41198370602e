import path from 'node:path';
import {
  fragmentOf,
  joinPointer,
  isObject,
  type Kind,
  lastStep,
  members,
  OBJECTS,
  type Version,
  versionOf,
  walk,
  type Walked,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { BOUNDS } from './bounds';
import {
  decoded,
  hasKeywordOf,
  isCopy,
  isReference,
  keyOf,
  type Mutable,
  nameOf,
  type Origin,
  placeOf,
  SECTIONS,
  sectionsIn,
  sizeOf,
  within,
} from './origin';
import { SourceError } from './read-file';
import type { SourceFile } from './source-file';
import { SourceFiles } from './source-files';
import { valueAt } from './values';

/**
 * Combines the files of a document. A referenced object of another file becomes a component. A path item, and any value to
 * which OpenAPI allows no reference, replaces the reference to it. A reference to a missing file or value, or to another
 * host, stays unchanged.
 *
 * @redocly/openapi-core bundles too, but rounds integers beyond 2^53, asks other hosts, imports any file that a reference names,
 * also outside of the folder, and does not tell where a part of its result comes from.
 */
export class Bundle {
  readonly document: Mutable;
  /** The origin of each imported object, by its pointer in the bundle. */
  readonly origins = new Map<string, Origin>();
  /** The places of references that OpenAPI does not allow, and that are replaced by their targets. */
  readonly replaced: string[] = [];
  readonly sources: SourceFiles;
  private readonly main: SourceFile;
  private readonly imported = new Map<string, string>();
  private readonly pending: { readonly kind: Kind; readonly place: string; readonly file: SourceFile }[] = [];
  private readonly inlining = new Set<string>();
  private readonly version: Version;
  private copied = 0;

  /**
   * @param allowOutside whether parts may be outside of the folder of the document; undefined: never
   * @throws {SourceError} if the file does not contain an object
   */
  constructor(file: string, allowOutside: boolean | undefined) {
    this.sources = new SourceFiles(file, allowOutside);
    this.main = this.sources.main;
    const document = structuredClone(this.main.value);
    if (!isObject(document))
      throw new SourceError(`${this.main.name}: expected an OpenAPI document, which is an object`);
    this.document = document;
    this.version = versionOf(document);
    this.bring(document, 'OpenAPI', this.main, '');
    // A queue instead of recursion: a chain of references can be longer than the stack.
    for (const { kind, place, file } of this.pending) this.bring(valueAt(document, place), kind, file, place);
  }

  /** The place of a pointer of the bundle in its sources, as `file:line:column`. */
  locate(pointer: string): string {
    return placeOf(this.origin(pointer));
  }

  /** Tells it that objects have other pointers. */
  move(pointers: ReadonlyMap<string, string>): void {
    for (const [from, to] of pointers) this.origins.set(to, this.origin(from));
  }

  private origin(pointer: string): Origin {
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const origin = this.origins.get(at);
      if (origin) return { ...origin, pointer: origin.pointer + pointer.slice(at.length) };
    }
    return { file: this.main, pointer };
  }

  /** Imports every object of another file that `value` refers to. */
  private bring(value: unknown, kind: Kind, file: SourceFile, at: string): void {
    const found: Walked[] = [];
    walk({ pointer: '', value, expected: kind, documented: false, version: this.version }, (walked) => {
      found.push(walked);
    });
    // What was found is that of this file, and what is put into its place now is not.
    if (kind === 'OpenAPI' && isObject(value))
      for (const [section, held] of sectionsIn(value['components']))
        this.adopt(section, held, file, joinPointer('/components', SECTIONS.get(held) ?? ''));
    // Imported objects become components, so that those of the document have their names first.
    const isFirst = ({ kind: own }: Walked) => own === 'Components';
    for (const walked of [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))]) {
      const here = at + walked.pointer;
      const { keywords } = OBJECTS.get(walked.kind) ?? {};
      const refers = typeof walked.value['$ref'] === 'string';
      if (walked.kind === 'Discriminator') this.bringMapped(walked.value, file, here);
      else if (walked.kind === 'SecurityRequirement') this.nameSchemes(walked.value, file, here);
      else if (refers && keywords?.has('$ref') === true && walked.kind !== 'PathItem')
        this.import(walked, file, here);
      else if (refers) this.inline(walked, file, here);
      for (const [name, { holds }] of keywords ?? [])
        if (holds && holds.as !== 'one') this.include(walked.value, name, holds.kind, file, here);
    }
  }

  /**
   * Puts the target of each component that is a reference to another file, and nothing else, in its place: what the files have
   * under one name keeps it. Those that are named like their targets are first.
   *
   * @returns their names
   */
  private adopt(section: Mutable, kind: Kind, file: SourceFile, at: string): ReadonlySet<string> {
    const adopted = new Set<string>();
    const found = Object.keys(section).flatMap((name) => {
      const chain = this.targets(section[name], file, joinPointer(at, name));
      const origin = chain.at(-1);
      return origin ? [{ name, chain, origin, isNamesake: nameOf(origin) === name }] : [];
    });
    for (const { name, chain, origin } of found.toSorted((a, b) => +b.isNamesake - +a.isNamesake)) {
      const value = valueAt(origin.file.value, origin.pointer);
      const isKnown = origin.file === this.main || this.imported.has(keyOf(kind, origin));
      if (isKnown || !hasKeywordOf(kind, value)) continue;
      const place = joinPointer(at, name);
      for (const each of chain) this.imported.set(keyOf(kind, each), place);
      this.origins.set(place, origin);
      section[name] = structuredClone(value);
      this.pending.push({ kind, place, file: origin.file });
      adopted.add(name);
    }
    return adopted;
  }

  /** The targets of a reference that stands alone, each the target of the one before it; none in a circle. */
  private targets(value: unknown, file: SourceFile, at: string): Origin[] {
    const chain: Origin[] = [];
    let target = isReference(value) ? this.target(value.$ref, file, at) : undefined;
    while (target) {
      const { file: from, pointer } = target;
      if (chain.some((one) => one.file === from && one.pointer === pointer)) return [];
      chain.push(target);
      const next = valueAt(from.value, pointer);
      if (from === this.main || !isReference(next)) break;
      target = this.target(next.$ref, from, at, true);
    }
    return chain;
  }

  /** Replaces a reference by one to a component. */
  private import({ value, expected }: Walked, file: SourceFile, at: string): void {
    const target = this.target(value['$ref'], file, at);
    if (target) (value as Mutable)['$ref'] = `#${this.component(target, expected, at)}`;
  }

  /** Imports the schemas that a discriminator names. A name is one of the main document first (OpenAPI 3.1.1 section 4.8.25). */
  private bringMapped(discriminator: JsonObject, file: SourceFile, at: string): void {
    const { mapping, defaultMapping } = discriminator;
    for (const [name, ref] of members(mapping)) {
      const place = this.mapped(ref, file, joinPointer(at, 'mapping', name));
      if (place !== undefined) (mapping as Mutable)[name] = place;
    }
    if (defaultMapping === undefined) return;
    const place = this.mapped(defaultMapping, file, joinPointer(at, 'defaultMapping'));
    if (place !== undefined) (discriminator as Mutable)['defaultMapping'] = place;
  }

  private mapped(ref: unknown, file: SourceFile, at: string): string | undefined {
    const named = joinPointer('/components/schemas', String(ref));
    if (valueAt(this.main.value, named) !== undefined) return undefined;
    const own = valueAt(file.value, named) !== undefined && { file, pointer: named };
    const target = own || this.target(ref, file, at);
    return target && `#${this.component(target, 'Schema', at)}`;
  }

  /** Replaces the URI of a security scheme by its name among the components (OpenAPI 3.2 section 4.30.1), as 3.1 has it. */
  private nameSchemes(requirement: JsonObject, file: SourceFile, at: string): void {
    if (this.version === '3.1') return;
    const schemes = joinPointer('/components', 'securitySchemes');
    for (const [name, scopes] of members(requirement)) {
      const isName =
        !/[#/:]/.test(name) || valueAt(this.main.value, joinPointer(schemes, name)) !== undefined;
      const target = isName ? undefined : this.target(name, file, at);
      const place = target ? this.component(target, 'SecurityScheme', at) : fragmentOf(name, this.document);
      Reflect.deleteProperty(requirement, name);
      (requirement as Mutable)[place?.startsWith(`${schemes}/`) === true ? lastStep(place) : name] = scopes;
    }
  }

  /**
   * The target of a reference; undefined if it is in the main file, on another host, or does not exist.
   *
   * @param at the pointer of the referring object in the bundle
   * @throws {SourceError} if the file may not be read
   */
  private target(ref: unknown, file: SourceFile, at: string, inMain = false): Origin | undefined {
    if (typeof ref !== 'string' || (ref.startsWith('#') && file === this.main && !inMain)) return undefined;
    const hash = ref.indexOf('#');
    const [name, pointer] = hash < 0 ? [ref, ''] : [ref.slice(0, hash), decoded(ref.slice(hash + 1))];
    // A URI with a scheme or a host, that is not beside `$self`. The document reader resolves or reports it.
    const isUri = /^([a-z][a-z\d+.-]+:|\/\/)/i.test(name);
    const beside = isUri ? besideSelf(this.document['$self'], name) : undefined;
    if (isUri && beside === undefined) return undefined;
    // The document reader resolves anchors, after the schema that contains them is imported.
    if (pointer !== '' && !pointer.startsWith('/')) return undefined;
    const folder = path.dirname((beside === undefined ? file : this.main).path);
    const other = name === '' ? file : this.open(path.resolve(folder, decoded(beside ?? name)), at);
    return other && valueAt(other.value, pointer) !== undefined ? { file: other, pointer } : undefined;
  }

  private open(name: string, at: string): SourceFile | undefined {
    const found = this.sources.open(name);
    if (typeof found === 'string') throw this.refusal(at, found);
    return found;
  }

  /** @param at the pointer of a reference in the bundle */
  private refusal(at: string, sentence: string): SourceError {
    return new SourceError(`${this.locate(joinPointer(at, '$ref'))}: ${sentence}`);
  }

  private component(origin: Origin, kind: Kind, at: string): string {
    const { file, pointer } = origin;
    if (file === this.main) return pointer;
    const key = keyOf(kind, origin);
    const known = this.imported.get(key);
    if (known !== undefined) return known;
    const value = valueAt(file.value, pointer);
    // Files name what they take from others: it is one component, unless they give it another name.
    const real = this.targets(value, file, at).at(-1);
    if (real && nameOf(real) === nameOf(origin)) return this.component(real, kind, at);
    // The content of any other file, such as one with passwords, must not be published.
    if (!hasKeywordOf(kind, value)) {
      const what = `${file.name}${pointer === '' ? '' : `#${pointer}`}`;
      throw this.refusal(at, `expected ${kind} at ${what}, got a value with none of its fields`);
    }
    const section = SECTIONS.get(kind) ?? '';
    const components = (this.document['components'] ??= {}) as Mutable;
    const all = (components[section] ??= {}) as Mutable;
    const base = nameOf(origin);
    let name = base;
    for (let n = 2; Object.hasOwn(all, name) && !isCopy(all[name], value); n++) name = `${base}-${n}`;
    const place = joinPointer('/components', section, name);
    this.imported.set(key, place);
    if (Object.hasOwn(all, name)) return place;
    this.origins.set(place, origin);
    all[name] = structuredClone(value);
    this.pending.push({ kind, place, file });
    return place;
  }

  /** Replaces a reference to an object by the members of that object. */
  private inline({ value, kind }: Walked, file: SourceFile, at: string): void {
    const object = value as Mutable;
    const target = this.target(object['$ref'], file, at, kind !== 'PathItem');
    if (!target) return;
    if (target.file === this.main && kind === 'PathItem') {
      object['$ref'] = `#${target.pointer}`;
      return;
    }
    const item = this.copyFor(target, at);
    // A chain of references must not return to one of its own.
    const key = keyOf(kind, target);
    if (!isObject(item) || this.inlining.has(key)) return;
    if (this.inlining.size >= BOUNDS.depth)
      throw this.refusal(at, `a $ref leads through more than ${BOUNDS.depth} other $refs`);
    if (kind !== 'PathItem') this.replaced.push(at);
    const here = this.origin(at);
    for (const name of Object.keys(item)) this.origins.set(joinPointer(at, name), within(target, name));
    if (kind !== 'Components') {
      this.inlining.add(key);
      this.bring(item, kind, target.file, at);
      this.inlining.delete(key);
    }
    const twice = Object.keys(item).find((name) => Object.hasOwn(object, name) && name !== '$ref');
    if (twice !== undefined)
      throw new SourceError(
        `${placeOf(within(here, twice))}: ${twice} is also at ${this.locate(joinPointer(at, twice))}, the target of the $ref: OpenAPI does not define which one applies; remove one`,
      );
    delete object['$ref'];
    Object.assign(object, item);
    // What these refer to becomes a component beside them.
    if (kind === 'Components') this.bringSections(object, Object.keys(item), target, at);
  }

  /** Imports what the sections of a Components Object refer to, later. */
  private bringSections(components: Mutable, names: readonly string[], origin: Origin, at: string): void {
    for (const name of names) {
      const kind = OBJECTS.get('Components')?.keywords.get(name)?.holds?.kind;
      const section = components[name];
      if (!kind || !isObject(section)) continue;
      if (typeof section['$ref'] === 'string') this.include(components, name, kind, origin.file, at);
      else this.bringLater(section, kind, within(origin, name), joinPointer(at, name));
    }
  }

  /** Imports what the members of a map or list refer to, after what was found before. */
  private bringLater(map: object, kind: Kind, origin: Origin, at: string): void {
    const isSection = at.startsWith('/components/');
    // References of its own file lead to it, and need no further component.
    if (isSection)
      for (const name of Object.keys(map))
        this.imported.set(keyOf(kind, within(origin, name)), joinPointer(at, name));
    const adopted = isSection ? this.adopt(map as Mutable, kind, origin.file, at) : new Set();
    for (const name of Object.keys(map))
      if (!adopted.has(name)) this.pending.push({ kind, place: joinPointer(at, name), file: origin.file });
  }

  /** Replaces a reference in the place of a map or a list by that map or list. */
  private include(holder: Mutable, name: string, kind: Kind, file: SourceFile, at: string): void {
    const map = holder[name];
    if (!isObject(map) || typeof map['$ref'] !== 'string') return;
    const here = joinPointer(at, name);
    const target = this.target(map['$ref'], file, here, true);
    const value = target && this.copyFor(target, here);
    if (!target || typeof value !== 'object' || value === null) return;
    this.replaced.push(here);
    holder[name] = value;
    this.origins.set(here, target);
    this.bringLater(value, kind, target, here);
  }

  private copyFor({ file, pointer }: Origin, at: string): unknown {
    const value = valueAt(file.value, pointer);
    this.copied += sizeOf(value);
    if (this.copied > BOUNDS.copied)
      throw this.refusal(at, `references expand to more than ${BOUNDS.copied} values`);
    return structuredClone(value);
  }
}

/**
 * The path of a URI from the folder of the document, which lies where its `$self` says (OpenAPI 3.2 section 4.1.1); undefined
 * for the document itself, and on another host.
 */
function besideSelf(self: unknown, uri: string): string | undefined {
  const [from, to] = [URL.parse(String(self)), URL.parse(uri)];
  if (!from || !to || new URL('/', from).href !== new URL('/', to).href || from.pathname === to.pathname)
    return undefined;
  return path.posix.relative(path.posix.dirname(from.pathname), to.pathname);
}
