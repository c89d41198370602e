import { documentErrors } from './validator';

/** Something in the document (or in what was wired to it) that this server cannot serve. */
export interface Finding {
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly message: string;
}

/** Everything that is wrong with a document, all at once. */
export class InvalidContract extends Error {
  override name = 'InvalidContract';
  constructor(readonly findings: readonly Finding[]) {
    super(findings.map(({ pointer, message }) => `#${pointer}: ${message}`).join('\n'));
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object, of none if it is none. */
export function members(value: unknown): [name: string, value: unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The pointer one or more steps below `pointer`. */
export function below(pointer: string, ...steps: (string | number)[]): string {
  return steps.reduce<string>(
    (p, step) => `${p}/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`,
    pointer,
  );
}

/** An object of the document, and where it stands. */
export interface Place {
  readonly pointer: string;
  readonly value: JsonObject;
}

/** One OpenAPI 3.1 document in one piece, and what was found wrong with it. */
export class OpenApiDocument {
  readonly findings: Finding[] = [];
  private anchors: Map<string, string> | undefined;

  constructor(readonly root: JsonObject) {
    for (const { pointer, message } of documentErrors(root)) this.addFinding(pointer, message);
  }

  addFinding(pointer: string, message: string): void {
    const known = this.findings.some((finding) => finding.pointer === pointer && finding.message === message);
    if (!known) this.findings.push({ pointer, message });
  }

  /** @throws {InvalidContract} if anything was found so far */
  assertValid(): void {
    if (this.findings.length > 0) throw new InvalidContract(this.findings);
  }

  at(pointer: string): unknown {
    let value: unknown = this.root;
    for (const step of pointer.split('/').slice(1)) {
      const key = step.replace(/~1/g, '/').replace(/~0/g, '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as JsonObject)[key];
    }
    return value;
  }

  /** The pointer that a `$ref` at `pointer` leads to, undefined (and a finding) if it leads nowhere. */
  target(ref: unknown, pointer: string): string | undefined {
    const target = this.resolve(ref);
    if (target !== undefined) return target;
    this.addFinding(below(pointer, '$ref'), `${JSON.stringify(ref)} leads nowhere in this document`);
    return undefined;
  }

  /** The pointer that a reference leads to, undefined if it leads nowhere. */
  resolve(ref: unknown): string | undefined {
    const fragment =
      typeof ref === 'string' && ref.startsWith('#') ? decodeFragment(ref.slice(1)) : undefined;
    const target =
      fragment === '' || fragment?.startsWith('/')
        ? fragment
        : (this.anchors ??= anchorsOf(this.root)).get(fragment ?? '');
    return target !== undefined && this.at(target) !== undefined ? target : undefined;
  }

  /** Whether the schema at `pointer` says `keyword: true`: itself, beside a `$ref` too, or in what it is made of. */
  isMarked(pointer: string, keyword: 'readOnly' | 'writeOnly', seen = new Set<string>()): boolean {
    const value = this.at(pointer);
    if (!isObject(value) || seen.has(pointer)) return false;
    seen.add(pointer);
    return (
      value[keyword] === true || this.partsOf(pointer).some((part) => this.isMarked(part, keyword, seen))
    );
  }

  /** What else holds for every value of the schema at `pointer`: where its `$ref` leads, and the parts of its `allOf`. */
  partsOf(pointer: string): string[] {
    const value = this.at(pointer);
    if (!isObject(value)) return [];
    const target = '$ref' in value ? this.target(value['$ref'], pointer) : undefined;
    const parts = [value['allOf'] ?? []].flat().map((_, i) => below(pointer, 'allOf', i));
    return target === undefined ? parts : [target, ...parts];
  }

  /** The object at `pointer`, or the one that its `$ref`s lead to; an empty one if there is none. */
  follow(pointer: string): Place {
    const seen = new Set<string>();
    let place = pointer;
    let value = this.at(pointer);
    while (isObject(value) && '$ref' in value && !seen.has(place)) {
      seen.add(place);
      const target = this.target(value['$ref'], place);
      if (target === undefined) return { pointer: place, value: {} };
      place = target;
      value = this.at(target);
    }
    return { pointer: place, value: isObject(value) ? value : {} };
  }
}

/** Where the schemas stand that have an `$anchor`, by its name. */
function anchorsOf(root: JsonObject): Map<string, string> {
  const anchors = new Map<string, string>();
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      if (key === '$anchor' && typeof item === 'string') anchors.set(item, pointer);
      else walk(item, below(pointer, key));
    }
  };
  walk(root, '');
  return anchors;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
