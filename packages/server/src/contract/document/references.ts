import type { Findings } from './finding';
import { joinPointer, type JsonObject, lastStep, members } from './json-pointer';
import { walk, type Walked } from './walk';
import { type Kind, OBJECTS, versionOf } from './keywords';

interface Document extends Findings {
  readonly root: JsonObject;
  at(pointer: string): unknown;
}

/** The objects of a document by their pointer, and the references between them. */
export class References {
  private readonly kinds = new Map<string, Walked>();
  private readonly sources = new Map<string, string[]>();
  private readonly anchors = new Map<string, string>();

  constructor(private readonly document: Document) {}

  /** Visits all objects of the document, with those that are only reached by a reference. */
  read(visit: (walked: Walked) => void): void {
    const deferred: { walked: Walked; ref: string }[] = [];
    const record = (walked: Walked) => {
      this.kinds.set(walked.pointer, walked);
      const { $anchor: anchor, $ref: ref } = walked.value;
      if (walked.kind === 'Schema' && typeof anchor === 'string') this.addAnchor(anchor, walked.pointer);
      if (typeof ref === 'string' && mayRefer(walked)) deferred.push({ walked, ref });
      visit(walked);
    };
    const { root } = this.document;
    const version = versionOf(root);
    walk({ pointer: '', value: root, expected: 'OpenAPI', documented: false, version }, record);
    // Resolving needs all anchors, so it follows the first walk. The loop also visits objects that it adds to the list.
    for (const { walked, ref } of deferred) {
      const pointer = joinPointer(walked.pointer, '$ref');
      const target = this.resolve(ref);
      if (target === undefined) {
        this.document.addFinding(pointer, `${JSON.stringify(ref)} ${reasonUnresolved(ref)}`);
        continue;
      }
      this.add(pointer, target);
      const there = this.kinds.get(target);
      if (!there) {
        // For example a schema below an extension: only the reference gives its kind.
        const { expected, documented } = walked;
        walk({ pointer: target, value: this.document.at(target), expected, documented, version }, record);
      } else if (there.expected !== walked.expected) {
        this.document.addFinding(
          pointer,
          `expected ${nameOf(walked.expected)}, got ${nameOf(there.expected)}`,
        );
      }
    }
    for (const walked of this.kinds.values()) this.readNamed(walked);
    const followed = new Set<Walked>();
    for (const walked of this.kinds.values()) if (walked.kind !== 'Schema') this.checkCycle(walked, followed);
  }

  /** The JSON pointer to the target of a URI reference; undefined if it is not in this document. */
  resolve(ref: unknown): string | undefined {
    const own = fragmentOf(ref, this.document.root);
    if (own === undefined) return undefined;
    const fragment = decodeFragment(own);
    const isPointer = fragment === '' || fragment?.startsWith('/') === true;
    const target = isPointer ? fragment : this.anchors.get(fragment ?? '');
    return target !== undefined && this.document.at(target) !== undefined ? target : undefined;
  }

  /** The JSON pointers of all references to exactly this target. */
  to(target: string): readonly string[] {
    return this.sources.get(target) ?? [];
  }

  /** The kind of the object at `pointer`, if there is one. */
  kindAt(pointer: string): Kind | undefined {
    return this.kinds.get(pointer)?.kind;
  }

  /** All objects of a kind, in the order of the document. */
  objects(kind: Kind): Walked[] {
    return [...this.kinds.values()].filter((walked) => walked.kind === kind);
  }

  private add(pointer: string, target: string): void {
    const known = this.sources.get(target);
    if (known) known.push(pointer);
    else this.sources.set(target, [pointer]);
  }

  private addAnchor(name: string, pointer: string): void {
    const other = this.anchors.get(name);
    if (other === undefined) this.anchors.set(name, pointer);
    else
      this.document.addFinding(
        joinPointer(pointer, '$anchor'),
        `${JSON.stringify(name)} is also the $anchor of #${other}`,
      );
  }

  /** Reads references other than `$ref`. */
  private readNamed({ kind, pointer, value, documented }: Walked): void {
    if (kind === 'SecurityRequirement') {
      for (const name of Object.keys(value)) this.readScheme(name, joinPointer(pointer, name), documented);
    } else if (kind === 'Discriminator') {
      for (const [name, ref] of members(value['mapping'])) {
        this.readMapping(ref, joinPointer(pointer, 'mapping', name));
      }
      if ('defaultMapping' in value)
        this.readMapping(value['defaultMapping'], joinPointer(pointer, 'defaultMapping'));
    } else if (kind === 'Link') this.readLink(pointer, value);
  }

  private readScheme(name: string, pointer: string, documented: boolean): void {
    const scheme = this.scheme(name);
    if (scheme !== undefined) this.add(pointer, joinPointer(SECURITY_SCHEMES, scheme));
    // Where an operation is served, another alternative may be: operations/alternatives.ts decides.
    else if (documented || (pointer.startsWith('/security/') && !this.inheritsSecurity()))
      this.document.addFinding(pointer, 'is not among components.securitySchemes');
  }

  private inheritsSecurity(): boolean {
    return this.objects('Operation').some(({ value, documented }) => !documented && !('security' in value));
  }

  /** The component that a security requirement means by its name, or since 3.2 by its URI (section 4.30.1). */
  scheme(name: string): string | undefined {
    const { root } = this.document;
    if (this.document.at(joinPointer(SECURITY_SCHEMES, name)) !== undefined) return name;
    const target = versionOf(root) === '3.1' ? undefined : this.resolve(name);
    const component = target === undefined ? '' : lastStep(target);
    return target === joinPointer(SECURITY_SCHEMES, component) ? component : undefined;
  }

  /** The schema of a value of a mapping: the name of a component, or a URI reference (OpenAPI 3.1 section 4.8.25). */
  mapped(ref: unknown): string | undefined {
    const named = joinPointer('/components/schemas', String(ref));
    return this.document.at(named) === undefined ? this.resolve(ref) : named;
  }

  private readMapping(ref: unknown, pointer: string): void {
    const target = this.mapped(ref);
    if (target === undefined) {
      this.document.addFinding(
        pointer,
        `${JSON.stringify(ref)} is neither a component nor a reference to a schema`,
      );
    } else this.add(pointer, target);
  }

  /** Reads the reference of a Link Object (OpenAPI 3.1 section 4.8.20). Clients resolve links to other documents. */
  private readLink(pointer: string, { operationId, operationRef }: JsonObject): void {
    if (operationId !== undefined && !this.operationIds().has(operationId)) {
      const message = `no operation has the operationId ${JSON.stringify(operationId)}`;
      this.document.addFinding(joinPointer(pointer, 'operationId'), message);
    }
    if (fragmentOf(operationRef, this.document.root) === undefined) return;
    const target = this.resolve(operationRef);
    if (target === undefined || this.kindAt(target) !== 'Operation') {
      const message = `${JSON.stringify(operationRef)} does not lead to an operation of this document`;
      this.document.addFinding(joinPointer(pointer, 'operationRef'), message);
    }
  }

  private operationIds(): ReadonlySet<unknown> {
    const operations = [...this.kinds.values()].filter(({ kind }) => kind === 'Operation');
    return (this.ids ??= new Set(operations.map(({ value }) => value['operationId'])));
  }
  private ids: ReadonlySet<unknown> | undefined;

  /**
   * Adds a finding for each reference of a cycle. Cycles of schemas are valid: each step may describe a part of a value.
   *
   * @param followed the references that were followed already, so that each is followed once
   */
  private checkCycle(start: Walked, followed: Set<Walked>): void {
    const path = new Set<Walked>();
    let here: Walked | undefined = start;
    while (here && mayRefer(here) && !path.has(here) && !followed.has(here)) {
      path.add(here);
      here = this.kinds.get(this.resolve(here.value['$ref']) ?? '#');
    }
    for (const one of path) followed.add(one);
    if (!here || !path.has(here)) return;
    const all = [...path];
    for (const one of all.slice(all.indexOf(here)))
      this.document.addFinding(joinPointer(one.pointer, '$ref'), 'leads back to itself');
  }
}

const SECURITY_SCHEMES = '/components/securitySchemes';

/** A base for a `$self` that is relative: its document has no other URI. */
const NO_BASE = 'document://self/';

/**
 * The fragment of a reference to the document itself, by nothing else or by its `$self` (OpenAPI 3.2 section 4.1.1); undefined
 * for one to another document.
 */
export function fragmentOf(ref: unknown, root: JsonObject): string | undefined {
  if (typeof ref !== 'string') return undefined;
  if (ref.startsWith('#')) return ref.slice(1);
  const { $self } = root;
  if (typeof $self !== 'string' || versionOf(root) === '3.1') return undefined;
  const self = URL.parse($self, NO_BASE);
  const target = self && URL.parse(ref, self.href);
  if (!target) return undefined;
  const { hash } = target;
  target.hash = '';
  return target.href === self.href ? hash.slice(1) : undefined;
}

/** Whether a `$ref` of this object is a reference. */
const mayRefer = ({ kind, value }: Walked): boolean =>
  typeof value['$ref'] === 'string' && OBJECTS.get(kind)?.keywords.has('$ref') === true;

/** Why a URI reference has no target. */
const reasonUnresolved = (ref: string): string =>
  /^([a-z][a-z\d+.-]+:|\/\/)/i.test(ref)
    ? 'is not read: only files beside the document are. Save it there, and refer to it by a relative path'
    : 'leads nowhere in this document';

/** The name of an object in the specification: `a Path Item Object`. */
export function nameOf(kind: Kind): string {
  const name = kind.replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ');
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name} Object`;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
