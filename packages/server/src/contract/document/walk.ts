import { joinPointer, isObject, type JsonObject } from './json-pointer';
import { type Kind, OBJECTS, type Keyword, type Version } from './keywords';

/** An object of a document with its kind. */
export interface Walked {
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly value: JsonObject;
  /** The version of its document, which says what may be a reference and which fields there are. */
  readonly version: Version;
  /** `Reference` for a Reference Object, else the expected kind. */
  readonly kind: Kind;
  /** The kind of object that the specification expects here. */
  readonly expected: Kind;
  /** Whether it belongs to a part that is published and not served: a webhook, a callback, a link. */
  readonly documented: boolean;
  /** Whether it is not part of a schema. */
  readonly outermost: boolean;
}

/** The start of a walk. Without a version, all fields and references of the latest count. */
export type Start = Pick<Walked, 'pointer' | 'expected' | 'documented'> & {
  readonly value: unknown;
  readonly version?: Version;
};

const LATEST: Version = '3.2';

/** The members of an object, each with its entry in the table of keywords; undefined if the table has none. */
export function keywordsOf({
  kind,
  value,
  version,
}: Pick<Walked, 'kind' | 'value' | 'version'>): (readonly [
  name: string,
  value: unknown,
  keyword: Keyword | undefined,
])[] {
  return Object.keys(value).map((name) => [name, value[name], keywordAt(kind, name, version)]);
}

/** The entry of a member of an object in the table of keywords; undefined if the table has none. */
export function keywordAt(kind: Kind, name: string, version: Version = LATEST): Keyword | undefined {
  const { keywords, others } = OBJECTS.get(kind) ?? {};
  const known = keywords?.get(name);
  if (known && known.since > version) return undefined;
  if (known || (name.startsWith('x-') && kind !== 'SecurityRequirement')) return known;
  return others?.names.test(name) === true ? others.keyword : undefined;
}

/**
 * Visits each object of a document from `start` down, in the order of the text, by the table of keywords. Data (an example, an
 * enum, a default, an extension) has no objects.
 */
export function walk(start: Start, visit: (walked: Walked) => void, outermost = true): void {
  const { pointer, value, expected, documented, version = LATEST } = start;
  if (!isObject(value)) return;
  const since = OBJECTS.get(expected)?.referable;
  const refers = since !== undefined && since <= version && typeof value['$ref'] === 'string';
  const walked: Walked = {
    pointer,
    value,
    version,
    kind: refers ? 'Reference' : expected,
    expected,
    documented,
    outermost,
  };
  visit(walked);
  for (const name of Object.keys(value)) {
    const keyword = keywordAt(walked.kind, name, version);
    if (!keyword?.holds) continue;
    const operand = value[name];
    const { kind, as } = keyword.holds;
    const here = joinPointer(pointer, name);
    const aside = documented || (keyword.support === 'documented' && UNSERVED.includes(kind));
    const inner = expected !== 'Schema';
    const step = (item: unknown, at: string) => {
      walk({ pointer: at, value: item, expected: kind, documented: aside, version }, visit, inner);
    };
    if (as === 'one') step(operand, here);
    else if (as === 'map' && isObject(operand)) {
      for (const [key, item] of Object.entries(operand)) {
        // OpenAPI 3.1 section 4.9: only the maps that are objects of their own have extensions.
        step(item, joinPointer(here, key));
      }
    } else if (as === 'list' && Array.isArray(operand)) {
      operand.forEach((item: unknown, i) => {
        step(item, joinPointer(here, i));
      });
    }
  }
}

/** Objects that are not served as values of a documented keyword. */
const UNSERVED: readonly Kind[] = ['PathItem', 'Callback', 'Link'];
