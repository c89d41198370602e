import path from 'node:path';
import {
  joinPointer,
  isObject,
  type JsonObject,
  type Kind,
  OBJECTS,
  walk,
  type Walked,
} from '../../src/contract';
import { SourceError, SourceFile, stepsOf } from './source-file';

type Mutable = Record<string, unknown>;

/** The section of `components` for each kind of object. */
const SECTIONS = new Map(
  [...(OBJECTS.get('Components')?.words ?? [])].flatMap(([name, { holds }]) =>
    holds ? [[holds.kind, name] as const] : [],
  ),
);

/** A place in a source file. */
export interface Origin {
  readonly file: SourceFile;
  readonly pointer: string;
}

/**
 * Combines the files of a document. A referenced object of another file becomes a component; a path item replaces the
 * reference to it. A reference to a missing file or value stays unchanged.
 */
export class Bundle {
  readonly document: Mutable;
  readonly files = new Map<string, SourceFile>();
  /** The origin of each imported object, by its pointer in the bundle. */
  readonly origins = new Map<string, Origin>();
  private readonly imported = new Map<string, string>();

  /** @throws {SourceError} if the file does not contain an object */
  constructor(private readonly main: SourceFile) {
    this.files.set(main.path, main);
    const document = copyOf(main.value);
    if (!isObject(document))
      throw new SourceError(`${main.name}: expected an OpenAPI document, got no object`);
    this.document = document;
    this.bring(document, 'OpenAPI', main, '');
  }

  /** The source file of the value at a pointer of the bundle, and the pointer in that file. */
  origin(pointer: string): Origin {
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const origin = this.origins.get(at);
      if (origin) return { ...origin, pointer: origin.pointer + pointer.slice(at.length) };
    }
    return { file: this.main, pointer };
  }

  /** Imports every object of another file that `value` refers to. */
  private bring(value: unknown, kind: Kind, file: SourceFile, at: string): void {
    const referring: Walked[] = [];
    walk({ pointer: '', value, expected: kind, carried: false }, (walked) => {
      if (OBJECTS.get(walked.kind)?.words.has('$ref') === true) referring.push(walked);
      else if (walked.kind === 'Discriminator') this.bringMapping(walked.value['mapping'], file);
    });
    for (const walked of referring) {
      const object = walked.value as Mutable;
      const target = this.target(object['$ref'], file);
      if (!target) continue;
      if (walked.kind !== 'PathItem') object['$ref'] = `#${this.component(target, walked.expected)}`;
      else this.inline(object, target, at + walked.pointer);
    }
  }

  private bringMapping(mapping: unknown, file: SourceFile): void {
    if (!isObject(mapping)) return;
    for (const [name, ref] of Object.entries(mapping)) {
      const target = /[#/]/.test(String(ref)) ? this.target(ref, file) : undefined;
      if (target) (mapping as Mutable)[name] = `#${this.component(target, 'Schema')}`;
    }
  }

  /** The target of a reference; undefined if it is in the main file or does not exist. */
  private target(ref: unknown, file: SourceFile): Origin | undefined {
    if (typeof ref !== 'string' || (ref.startsWith('#') && file === this.main)) return undefined;
    const [name = '', pointer = ''] = decoded(ref).split('#', 2);
    // The document reader resolves anchors, after the schema that contains them is imported.
    if (pointer !== '' && !pointer.startsWith('/')) return undefined;
    const other = name === '' ? file : this.open(path.resolve(path.dirname(file.path), name));
    return other && valueAt(other.value, pointer) !== undefined ? { file: other, pointer } : undefined;
  }

  private open(name: string): SourceFile | undefined {
    const known = this.files.get(name);
    if (known) return known;
    try {
      const file = new SourceFile(name);
      this.files.set(name, file);
      return file;
    } catch (error) {
      // A file that exists and cannot be read is an error. A missing file is a broken reference, which is reported
      // later.
      if (error instanceof SourceError && !error.message.includes('ENOENT')) throw error;
      return undefined;
    }
  }

  private component({ file, pointer }: Origin, kind: Kind): string {
    if (file === this.main) return pointer;
    const key = `${kind} ${file.path}#${pointer}`;
    const known = this.imported.get(key);
    if (known !== undefined) return known;
    const section = SECTIONS.get(kind) ?? '';
    const components = (this.document['components'] ??= {}) as Mutable;
    const all = (components[section] ??= {}) as Mutable;
    const base = (stepsOf(pointer).at(-1) ?? path.parse(file.path).name).replace(/[^\w.-]/g, '_');
    let name = base;
    for (let n = 2; Object.hasOwn(all, name); n++) name = `${base}-${n}`;
    const place = joinPointer('/components', section, name);
    this.imported.set(key, place);
    this.origins.set(place, { file, pointer });
    all[name] = copyOf(valueAt(file.value, pointer));
    this.bring(all[name], kind, file, place);
    return place;
  }

  /** @param at the pointer of the path item */
  private inline(object: Mutable, { file, pointer }: Origin, at: string): void {
    if (file === this.main) {
      object['$ref'] = `#${pointer}`;
      return;
    }
    const item = copyOf(valueAt(file.value, pointer));
    if (!isObject(item)) return;
    // A chain of path items must not return to one of its own.
    const key = `${file.path}#${pointer}`;
    if (this.inlining.has(key)) return;
    this.inlining.add(key);
    this.bring(item, 'PathItem', file, at);
    this.inlining.delete(key);
    const twice = Object.keys(item).find((name) => Object.hasOwn(object, name) && name !== '$ref');
    if (twice !== undefined) {
      const beside = this.origin(joinPointer(at, twice));
      throw new SourceError(
        `${beside.file.locate(beside.pointer)}: ${twice} is also at ${file.locate(joinPointer(pointer, twice))}, the target of the $ref: OpenAPI does not define which one applies; remove one`,
      );
    }
    delete object['$ref'];
    for (const [name, value] of Object.entries(item)) {
      object[name] = value;
      this.origins.set(joinPointer(at, name), { file, pointer: joinPointer(pointer, name) });
    }
  }
  private readonly inlining = new Set<string>();
}

function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
}

function valueAt(value: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>(
    (holder, step) =>
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step)
        ? (holder as JsonObject)[step]
        : undefined,
    value,
  );
}

/** A deep copy of a JSON value that may contain bigints. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}
