import { checkExtensions, ownerOf } from './extensions';
import type { Findings } from './finding';
import { isObject, joinPointer } from './json-pointer';
import { withDoubles } from './openapi-schema';
import { nameOf } from './references';
import { keywordAt, keywordsOf, type Walked } from './walk';
import { type Kind, OBJECTS, type Version } from './keywords';

/** The objects whose unknown keywords the specifications ignore. */
const OPEN: readonly Kind[] = ['Schema', 'Reference'];

const REASONS: ReadonlyMap<string, string> = new Map([
  ['$id', 'a schema with its own base URI cannot be served: refer to it by a JSON pointer instead'],
  ['$dynamicRef', 'dynamic references cannot be served: use $ref'],
  ['$dynamicAnchor', 'dynamic references cannot be served: use $anchor'],
  ['$recursiveRef', 'is not of JSON Schema 2020-12: use $ref'],
  ['$recursiveAnchor', 'is not of JSON Schema 2020-12: use $anchor'],
]);

/** The dialects of JSON Schema that can be served (OpenAPI 3.1 section 4.8.24): 2020-12, and those of OpenAPI by their dates. */
const DIALECT =
  /^https:\/\/(json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.[12]\/dialect\/(base|\d{4}-\d\d-\d\d))#?$/;

/** Adds a remark for each keyword of an object that is not enforced, and a finding for each keyword that is refused. */
export function accountForKeywords(document: Findings, walked: Walked): void {
  const { kind, pointer, value, documented } = walked;
  for (const [name, operand, keyword] of keywordsOf(walked)) {
    const place = joinPointer(pointer, name);
    if (!keyword) {
      if (!name.startsWith('x-') || kind === 'SecurityRequirement' || ownerOf(name))
        addUnknown(document, walked, name, place);
    } else if (keyword.support === 'refused')
      document.addFinding(place, REASONS.get(name) ?? 'cannot be served');
    else if (keyword.support === 'unenforced' && !documented && operand !== keyword.default) {
      document.addRemark({ pointer: place, message: `${name} is not enforced`, keyword: `${kind} ${name}` });
    }
  }
  checkExtensions(document, walked);
  if (kind === 'OpenAPI') checkTags(document, value['tags']);
  if (kind === 'Schema' && !documented) {
    remarkIdle(document, pointer, value);
    if (value['format'] !== 'int64') remarkRounded(document, pointer, value);
  }
  const dialect = kind === 'Schema' ? '$schema' : kind === 'OpenAPI' ? 'jsonSchemaDialect' : undefined;
  if (dialect !== undefined && dialect in value && !DIALECT.test(String(value[dialect]))) {
    document.addFinding(joinPointer(pointer, dialect), 'only JSON Schema 2020-12 can be served');
  }
}

/** Adds a finding for each parent of a tag that is none, and for each circle of parents (OpenAPI 3.2 section 4.22.1). */
function checkTags(document: Findings, tags: unknown): void {
  const all = [tags ?? []].flat().filter(isObject);
  const parents = new Map(all.map(({ name, parent }) => [name, parent]));
  const seen = new Set<unknown>();
  for (const [i, { name, parent }] of all.entries()) {
    const pointer = joinPointer('/tags', i, 'parent');
    if (parent !== undefined && !parents.has(parent))
      document.addFinding(pointer, `${JSON.stringify(parent)} is not the name of a tag`);
    const chain = new Set<unknown>();
    let one: unknown = name;
    for (; one !== undefined && !chain.has(one) && !seen.has(one); one = parents.get(one)) chain.add(one);
    if (chain.has(one)) document.addFinding(pointer, 'leads to a cycle of tags');
    for (const each of chain) seen.add(each);
  }
}

function addUnknown(document: Findings, { kind, version }: Walked, name: string, pointer: string): void {
  if (name === '$ref' && !OPEN.includes(kind)) {
    const message = `this reference has no target in a file, and OpenAPI does not allow one in place of ${nameOf(kind)}`;
    document.addFinding(pointer, message);
    return;
  }
  const since = keywordAt(kind, name)?.since ?? version;
  const closest = closestWord(kind, name, version);
  const usual = closest === undefined ? 'Begin it with x- if it is your own' : `Do you mean \`${closest}\`?`;
  const later = since > version ? `OpenAPI ${since} adds it: set openapi to ${since}.0` : undefined;
  const owner = ownerOf(name);
  const own = owner && `It is one of ${nameOf(owner)}`;
  const advice = later ?? own ?? EXPECTED[kind] ?? usual;
  const message = `Property \`${name}\` is not expected here. ${advice}`;
  if (OPEN.includes(kind)) document.addRemark({ pointer, message, keyword: UNKNOWN });
  else document.addFinding(pointer, `is not a field of ${nameOf(kind)}. ${advice}`);
}

/** The names in the objects that are maps. */
const EXPECTED: Partial<Record<Kind, string>> = {
  Paths: 'A path begins with /',
  Responses: 'Expected a status such as 200, a range such as 2XX, or default',
};

/** The `keyword` of a remark about a keyword that is not in the table. */
export const UNKNOWN = 'unknown';

/** A keyword that has no effect without another one (JSON Schema 2020-12, core, section 10.2.2; validation, section 6.4). */
const PARTNERS = [
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains'],
] as const;

function remarkIdle(document: Findings, pointer: string, schema: Walked['value']): void {
  for (const [name, partner] of PARTNERS) {
    if (!Object.hasOwn(schema, name) || Object.hasOwn(schema, partner)) continue;
    const message = `${name} has no effect without ${partner}`;
    document.addRemark({ pointer: joinPointer(pointer, name), message, keyword: `Schema ${name}` });
  }
}

/** The keywords whose values are or contain numbers. */
const NUMBERS = [
  'const',
  'enum',
  'default',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
];

/** The validator judges large integers exactly, but handlers receive a bigint only for the format int64. */
function remarkRounded(document: Findings, pointer: string, schema: Walked['value']): void {
  for (const name of NUMBERS.filter(
    (one) => Object.hasOwn(schema, one) && withDoubles(schema[one]) !== schema[one],
  )) {
    const message = `${name} is beyond 2^53: without the format int64, handlers get such integers rounded`;
    document.addRemark({ pointer: joinPointer(pointer, name), message, keyword: `Schema ${name}` });
  }
}

/** The keyword of the table that differs from a name by at most two edits, or by case. */
function closestWord(kind: Kind, name: string, version: Version): string | undefined {
  const candidates = [...(OBJECTS.get(kind)?.keywords ?? [])]
    .flatMap(([keyword, { since }]) => (since > version ? [] : [keyword]))
    .map((keyword) => ({ keyword, edits: editsBetween(name.toLowerCase(), keyword.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const [closest] = candidates;
  return closest && closest.edits <= Math.min(2, name.length / 3) ? closest.keyword : undefined;
}

/** The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbors. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost];
      if (swapped) edits.push((beforeLast[j - 2] ?? 0) + 1);
      row.push(Math.min(...edits));
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
