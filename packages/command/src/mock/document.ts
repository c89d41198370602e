import {
  OperationIndex,
  isObject,
  type Kind,
  joinPointer,
  lastStep,
  members,
  NOTHING_SERVED,
  OBJECTS,
  OpenApiDocument,
  operationPlaces,
  REJECTED,
  keywordAt,
  titleOf,
  UNKNOWN,
  versionOf,
  versionFinding,
} from 'contract-first-server/tools';
import {
  type Finding,
  findingLine,
  InvalidContract,
  type JsonObject,
  type Remark,
} from 'contract-first-server';

/** A document that the mock can serve, and the parts of the given document that it lacks. */
export interface Mockable<T> {
  /** The result of `build`; undefined if no operation is left. */
  readonly built: T | undefined;
  /** One sentence for each part that is not served. */
  readonly leftOut: readonly string[];
  /** The pointers of these parts, in the order of their removal, each with all reasons. */
  readonly removed: ReadonlyMap<string, string>;
  /** Keywords that are not enforced. */
  readonly remarks: readonly Remark[];
  /** The number of operations in the given document. */
  readonly total: number;
  /** How many of them are rejected by proof: no request, or no success, can conform. */
  readonly rejected: number;
}

/**
 * Adds missing operationIds and responses of success, and removes each part that cannot be served: an unknown field, an
 * annotation, a webhook, a callback, a default, a response header, or one of several media types. If no such part
 * exists, removes the operations that the finding concerns.
 *
 * @param build throws an InvalidContract while a part cannot be served
 * @throws {InvalidContract} if such a part cannot be removed
 */
export function toMockable<T>(
  given: JsonObject,
  build: (document: OpenApiDocument) => { readonly built: T; readonly remarks: readonly Remark[] },
): Mockable<T> {
  const version = versionFinding(given);
  if (version) throw new InvalidContract([version]);
  // A copy without shared objects, which YAML aliases create.
  const root = copyOf(given) as JsonObject;
  const account = new Account();
  completeInfo(root, account);
  let document = new OpenApiDocument(root);
  const { total, changed } = complete(document);
  if (changed) document = new OpenApiDocument(root);
  for (; ; document = new OpenApiDocument(root)) {
    try {
      const { built, remarks } = build(document);
      return { built, total, ...account.lines(remarks) };
    } catch (error) {
      if (!(error instanceof InvalidContract)) throw error;
      const findings = error.findings.filter(({ message }) => message !== NOTHING_SERVED);
      if (findings.length === 0) {
        return { built: undefined, total, ...account.lines(document.remarks) };
      }
      const removal = new Removal(document, account);
      const taken = findings.filter((finding) => removal.takeOut(finding));
      if (taken.length === 0) throw error;
    }
  }
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  return isObject(value)
    ? Object.fromEntries(members(value).map(([name, item]) => [name, copyOf(item)]))
    : value;
}

/** The removed parts of a document, and the reasons. */
class Account {
  private readonly removed = new Map<string, Set<string>>();
  /** The reasons of each removed part. */
  private readonly reasons = new Map<string, Set<string>>();
  private readonly known = new Set<string>();
  private readonly unknown: Remark[] = [];

  /** Adds a reason once. One component can be the reason for several operations, and be removed later itself. */
  add(leftOut: string, finding: Finding): void {
    const reason = findingLine({ pointer: finding.pointer, message: finding.message });
    const reasons = this.reasons.get(leftOut);
    if (reasons) reasons.add(reason);
    else if (!this.known.has(reason)) this.reasons.set(leftOut, new Set([reason]));
    this.known.add(reason);
  }

  /** The first reason why a part was removed. */
  reasonOf(pointer: string): string | undefined {
    const [first] = this.removed.get(pointer) ?? [];
    return first?.replace(/^#\S* is left out: /, '');
  }

  addRemoved(pointer: string, reason: string): void {
    const reasons = this.removed.get(pointer);
    if (reasons) reasons.add(reason);
    else this.removed.set(pointer, new Set([reason]));
  }

  addUnknown(remark: Remark): void {
    this.unknown.push(remark);
  }

  lines(remarks: readonly Remark[]): Pick<Mockable<unknown>, 'leftOut' | 'removed' | 'remarks' | 'rejected'> {
    const leftOut = [...this.reasons].map(([what, reasons]) => `${what}: ${[...reasons].join('; ')}`);
    const removed = new Map([...this.removed].map(([pointer, all]) => [pointer, [...all].join('; ')]));
    const rejected = [...removed.values()].filter((reason) => reason.startsWith(REJECTED)).length;
    return { leftOut, removed, rejected, remarks: [...this.unknown, ...remarks] };
  }
}

/** Gives the document the texts that OpenAPI requires. */
function completeInfo(root: JsonObject, account: Account): void {
  const info = isObject(root['info']) ? root['info'] : {};
  for (const name of ['title', 'version']) {
    const { [name]: value } = info;
    if (typeof value === 'string') continue;
    const text = typeof value === 'number' ? String(value) : 'none';
    const finding = { pointer: `/info/${name}`, message: 'is not a string, which OpenAPI requires' };
    account.add(`#/info/${name} is read as ${JSON.stringify(text)}`, finding);
    Object.assign(info, { [name]: text });
  }
  Object.assign(root, { info });
}

/**
 * Gives each operation a unique operationId and a response of success. Returns the number of operations, and whether one
 * lacked them.
 */
function complete(document: OpenApiDocument): { readonly total: number; readonly changed: boolean } {
  let changed = false;
  const owners = new Map<unknown, string>();
  const places = operationPlaces(document);
  for (const place of places) {
    const operation = document.at(place.pointer);
    if (!isObject(operation)) continue;
    const { operationId, responses = {} } = operation;
    const own = operationId !== undefined && (owners.get(operationId) ?? place.pointer) === place.pointer;
    const id = own ? operationId : `${place.method.toLowerCase()} ${place.path}`;
    owners.set(id, place.pointer);
    const succeeds =
      !isObject(responses) || members(responses).some(([status]) => /^([23]|default$)/.test(status));
    if (own && succeeds && 'responses' in operation) continue;
    const all = succeeds ? responses : { ...responses, ...NO_CONTENT };
    Object.assign(operation, { operationId: id, responses: all });
    changed = true;
  }
  return { total: places.length, changed };
}

const NO_CONTENT = { 204: { description: 'not documented' } };

/** Removes parts of a document. Valid until the document is read again. */
class Removal {
  private readonly index: OperationIndex;
  private readonly gone = new Set<string>();

  constructor(
    private readonly document: OpenApiDocument,
    private readonly account: Account,
  ) {
    this.index = new OperationIndex(document);
  }

  /** Removes the part or the operations that a finding concerns. Returns false if there are none. */
  takeOut(found: Finding): boolean {
    const finding = this.explained(found);
    const { pointer, message } = finding;
    if (this.isUnknown(pointer)) {
      this.account.addUnknown({ pointer, message: `${lastStep(pointer)} ${message}`, keyword: UNKNOWN });
      return this.remove(pointer, message);
    }
    const aside = this.carriedPart(pointer);
    if (aside !== undefined) return this.leaveOut([aside], `#${aside} is left out`, finding);
    const operations = this.index.operationsUsing(pointer) ?? [];
    const titles = operations.map(titleOf).join(', ');
    const be = operations.length > 1 ? 'are' : 'is';
    const gone = operations.length > 0 && operations.every((place) => this.gone.has(place.pointer));
    const part = gone ? undefined : this.partOf(pointer);
    if (part !== undefined) {
      return this.leaveOut([part], `${titles} ${be} served without ${lastStep(part)}`, finding);
    }
    if (operations.length > 0) {
      const places = operations.map((place) => place.pointer);
      return this.leaveOut(places, `${titles} ${be} not served`, finding);
    }
    const [unused] = /^\/components\/[^/]+\/[^/]+|^\/paths\/[^/]+|^\/security(?=\/)/.exec(pointer) ?? [];
    return unused !== undefined && this.leaveOut([unused], `#${unused} is left out`, finding);
  }

  /** A reference to a part that is left out has the reason of that part. */
  private explained(finding: Finding): Finding {
    const ref = this.document.at(finding.pointer);
    if (lastStep(finding.pointer) !== '$ref' || typeof ref !== 'string' || !ref.startsWith('#/'))
      return finding;
    for (let here = ref.slice(1); here !== ''; here = holderOf(here)) {
      const reason = this.account.reasonOf(here);
      if (reason !== undefined) return { ...finding, message: `${ref} is left out: ${reason}` };
    }
    return finding;
  }

  private leaveOut(pointers: readonly string[], what: string, finding: Finding): boolean {
    if (pointers.filter((pointer) => this.remove(pointer, finding.message)).length === 0) return false;
    this.account.add(what, finding);
    return true;
  }

  /** Whether the table of keywords lacks a field. */
  private isUnknown(pointer: string): boolean {
    const kind = this.document.references.kindAt(holderOf(pointer)) ?? 'Schema';
    const name = lastStep(pointer);
    if (kind === 'Schema' || kind === 'SecurityRequirement' || name === '$ref') return false;
    return keywordAt(kind, name, versionOf(this.document.root)) === undefined;
  }

  /** The part that an operation can be served without: a default, a response header, or one of several media types. */
  private partOf(pointer: string): string | undefined {
    if (lastStep(pointer) === 'default' && this.kindAt(holderOf(pointer)) === 'Schema') return pointer;
    for (let here = pointer; here !== ''; here = holderOf(here)) {
      const holder = holderOf(here);
      if (lastStep(holder) === 'headers' && this.kindAt(holderOf(holder)) === 'Response') return here;
      if (holder === '/components/mediaTypes') return here;
      if (!['MediaType', 'Reference'].includes(this.kindAt(here) ?? '') || lastStep(holder) !== 'content')
        continue;
      const others = members(this.document.at(holder)).length > 1;
      return others || this.gone.has(here) ? here : undefined;
    }
    return undefined;
  }

  /** The annotation, webhook, callback or link that contains a pointer. The table of keywords marks it as documented. */
  private carriedPart(pointer: string): string | undefined {
    let inner: string | undefined;
    for (let here = pointer; here !== ''; inner = here, here = holderOf(here)) {
      const kind = this.kindAt(holderOf(here));
      const keyword = kind && OBJECTS.get(kind)?.keywords.get(lastStep(here));
      if (keyword?.support === 'documented' && !NEEDED.has(here))
        return keyword.holds?.as === 'map' ? (inner ?? here) : here;
    }
    return undefined;
  }

  private kindAt(pointer: string): Kind | undefined {
    return this.document.references.kindAt(pointer);
  }

  private remove(pointer: string, reason: string): boolean {
    // A path stays, so that a template that matches its requests does not answer them.
    if (/^\/paths\/~1[^/]*$/.test(pointer)) {
      const fields = members(this.document.at(pointer)).map(([name]) => joinPointer(pointer, name));
      return fields.map((field) => this.remove(field, reason)).includes(true);
    }
    const holder = this.document.at(holderOf(pointer));
    const name = lastStep(pointer);
    if (isObject(holder) && Object.hasOwn(holder, name) && Reflect.deleteProperty(holder, name))
      this.gone.add(pointer);
    if (this.gone.has(pointer)) this.account.addRemoved(pointer, reason);
    return this.gone.has(pointer);
  }
}

/** The annotations that OpenAPI requires. */
const NEEDED: ReadonlySet<string> = new Set(['/info', '/info/title', '/info/version']);

const holderOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));
