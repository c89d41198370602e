import { accountForKeywords } from './accounting';
import { type Finding, InvalidContract, type Remark } from './finding';
import { OBJECTS } from './keywords';
import { isObject, type JsonObject, lastStep, type Place, sourceOf } from './json-pointer';
import { OperationIndex, titleOf } from './path-items';

import { type DocumentError, documentErrors, versionFinding } from './openapi-schema';
import { References } from './references';
import { Subschemas } from './subschemas';
import { MAX_DOCUMENT_DEPTH, readTexts } from './document-text';
import { keywordAt } from './walk';

export { type Finding, InvalidContract, type Remark } from './finding';
export { derivedOf, joinPointer, isObject, type JsonObject, members, type Place } from './json-pointer';

/** One OpenAPI document of 3.1 or 3.2 in one piece, as it was read, with its findings and remarks. Reading costs what its size says. */
export class OpenApiDocument {
  /** The objects of the document by their pointer, and the references between them. */
  readonly references: References = new References(this);
  /** Which schemas each schema consists of, and which of them apply to the same value. */
  readonly subschemas = new Subschemas(this);
  /** The outermost schemas, which are not part of another schema. */
  readonly schemas: readonly string[];
  /** Whether the document has a name that every object inherits. */
  readonly inheritedNames: boolean;
  private readonly found = new Map<string, Finding>();
  private readonly unenforced = new Map<string, Remark>();
  private readonly values = new Map<string, unknown>();

  /** @param root does not change any more: who changes it reads it again */
  constructor(readonly root: JsonObject) {
    this.values.set('', root);
    const { illFormed, inherited, tooDeep } = readTexts(root);
    this.inheritedNames = inherited;
    const schemas: string[] = [];
    this.schemas = schemas;
    if (tooDeep !== undefined) {
      this.addFinding(
        tooDeep,
        `is nested so deep that the document has more than ${MAX_DOCUMENT_DEPTH} levels`,
      );
      return;
    }
    const errors = documentErrors(this);
    for (const { pointer, message, field } of errors)
      if (field === undefined) this.addFinding(pointer, message);
    for (const pointer of illFormed) this.addFinding(pointer, 'has half of a surrogate pair');
    if (versionFinding(root)) return; // keywords of other versions have other meanings
    this.references.read((walked) => {
      this.values.set(walked.pointer, walked.value);
      accountForKeywords(this, walked);
      if (walked.kind === 'Schema' && walked.outermost) schemas.push(walked.pointer);
    });
    for (const error of errors) this.addFieldError(error);
  }

  /** Adds a finding for a field that the server needs, and a remark for one that only documentation does. */
  private addFieldError({ pointer, message, field }: DocumentError): void {
    if (field === undefined) return;
    const kind = this.references.kindAt(field.slice(0, field.lastIndexOf('/')));
    const name = lastStep(field);
    const isServed = [...(OBJECTS.get(kind ?? 'Schema')?.keywords.values() ?? [])].some(
      ({ support }) => support === 'enforced',
    );
    const keyword = kind && keywordAt(kind, name);
    const isNeeded = keyword?.support !== 'documented' || keyword.holds !== undefined;
    if (isNeeded || (field !== pointer && !isServed)) this.addFinding(pointer, message);
    else {
      const effect = `${message}: only documentation needs it, requests and responses are the same`;
      this.addRemark({ pointer, message: effect, keyword: `${kind} ${name}` });
    }
  }

  /** The findings so far, each with the operations that it concerns. */
  get findings(): readonly Finding[] {
    if (this.found.size === 0) return [];
    const index = new OperationIndex(this);
    return [...this.found.values()].map((finding) => {
      const operations = index.operationsUsing(finding.pointer)?.map(titleOf);
      return operations ? { ...finding, operations } : finding;
    });
  }

  /** Parts of the document that are not enforced. */
  get remarks(): readonly Remark[] {
    return [...this.unenforced.values()];
  }

  /** Adds a finding, once for each JSON pointer and message. */
  addFinding(pointer: string, message: string): void {
    const place = sourceOf(pointer);
    this.found.set(`${place} ${message}`, { pointer: place, message });
  }

  /** Adds a remark, once for each JSON pointer and message. */
  addRemark(remark: Remark): void {
    this.unenforced.set(`${remark.pointer} ${remark.message}`, remark);
  }

  /** Removes the remarks about a keyword that is enforced where it stands. */
  removeRemarks(pointer: string): void {
    for (const [key, remark] of this.unenforced) if (remark.pointer === pointer) this.unenforced.delete(key);
  }

  /** Sets a value at a pointer of `derivedOf`. It is not published. */
  derive(pointer: string, value: unknown): void {
    this.values.set(pointer, value);
  }

  /** @throws {InvalidContract} if there are findings so far */
  assertValid(): void {
    if (this.found.size > 0) throw new InvalidContract(this.findings);
  }

  /** The value at a JSON pointer, undefined if there is none. */
  at(pointer: string): unknown {
    if (this.values.has(pointer)) return this.values.get(pointer);
    const slash = pointer.lastIndexOf('/');
    const holder = slash < 0 ? undefined : this.at(pointer.slice(0, slash));
    const key = lastStep(pointer);
    const holds = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key);
    const value = holds ? (holder as JsonObject)[key] : undefined;
    this.values.set(pointer, value);
    return value;
  }

  /** The JSON pointer to the target of a `$ref`. A reference without a target is already a finding. */
  resolve(ref: unknown): string | undefined {
    return this.references.resolve(ref);
  }

  /** The object at `pointer`, or the target of its `$ref`s; an empty object if there is none. */
  follow(pointer: string): Place {
    const seen = new Set<string>();
    let place = pointer;
    let value = this.at(pointer);
    while (isObject(value) && '$ref' in value && !seen.has(place)) {
      seen.add(place);
      const target = this.resolve(value['$ref']);
      if (target === undefined) return { pointer: place, value: {} };
      place = target;
      value = this.at(target);
    }
    return { pointer: place, value: isObject(value) ? value : {} };
  }
}
