import type { Findings } from './finding';
import { joinPointer, isObject, type JsonObject } from './json-pointer';
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
    for (const walked of this.kinds.values()) {
      if (walked.kind !== 'Schema' && mayRefer(walked)) this.checkCycle(walked);
    }
  }

  /** The JSON pointer to the target of a URI reference; undefined if it is not in this document. */
  resolve(ref: unknown): string | undefined {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
    const fragment = decodeFragment(ref.slice(1));
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
        `${JSON.stringify(name)} is that of #${other} too`,
      );
  }

  /** Reads references other than `$ref`. */
  private readNamed({ kind, pointer, value }: Walked): void {
    if (kind === 'SecurityRequirement') {
      for (const scheme of Object.keys(value)) this.readScheme(scheme, joinPointer(pointer, scheme));
    } else if (kind === 'Discriminator' && isObject(value['mapping'])) {
      for (const [name, ref] of Object.entries(value['mapping'])) {
        this.readMapping(ref, joinPointer(pointer, 'mapping', name));
      }
    } else if (kind === 'Link') this.readLink(pointer, value);
  }

  private readScheme(scheme: string, pointer: string): void {
    const target = joinPointer('/components/securitySchemes', scheme);
    if (this.document.at(target) === undefined) {
      this.document.addFinding(pointer, 'is not among components.securitySchemes');
    } else this.add(pointer, target);
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
    if (typeof operationRef !== 'string' || !operationRef.startsWith('#')) return;
    const target = this.resolve(operationRef);
    if (target === undefined || this.kindAt(target) !== 'Operation') {
      const message = `${JSON.stringify(operationRef)} leads to no operation of this document`;
      this.document.addFinding(joinPointer(pointer, 'operationRef'), message);
    }
  }

  private operationIds(): ReadonlySet<unknown> {
    const operations = [...this.kinds.values()].filter(({ kind }) => kind === 'Operation');
    return (this.ids ??= new Set(operations.map(({ value }) => value['operationId'])));
  }
  private ids: ReadonlySet<unknown> | undefined;

  /** Adds a finding for a cycle of references. Cycles of schemas are valid: each step may describe a part of a value. */
  private checkCycle(start: Walked): void {
    const seen = new Set<string>();
    let here: Walked | undefined = start;
    while (here && mayRefer(here)) {
      if (seen.has(here.pointer)) {
        if (here === start)
          this.document.addFinding(joinPointer(start.pointer, '$ref'), 'leads back to itself');
        return;
      }
      seen.add(here.pointer);
      here = this.kinds.get(this.resolve(here.value['$ref']) ?? '#');
    }
  }
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
