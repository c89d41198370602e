import {
  derivedOf,
  isObject,
  joinPointer,
  type JsonObject,
  members,
  type OpenApiDocument,
} from '../document/document';
import type { Place } from '../document/json-pointer';
import { APPLICATORS, inPlace } from '../document/subschemas';
import { essenceOf, isJson } from '../http/media-type';
import { DescribedValue } from './described-value';
import { Discriminators } from '../document/discriminator';

/** The schema that judges events as handlers give them, and what their `data` is. */
export interface EventSchema {
  readonly items: string;
  /** `text`: always a text; `json`: always a value; `both`: a text or a value that is no string. */
  readonly data: 'text' | 'json' | 'both';
}

/** What a schema says about data that is a text: annotations, and that it is a string. */
const PLAIN =
  /^(\$ref|allOf|type|title|description|deprecated|default|examples?|readOnly|\$comment|externalDocs|xml|x-.*)$/;

/**
 * Where the schema of `data` has `contentMediaType: application/json` and no `contentEncoding`, handlers give the value that
 * `contentSchema` describes. Derives the schema that judges such events: a copy of all schemas that apply to the event, in
 * which that value stands in the place of the text.
 *
 * @param given the pointer of the schema of the events
 */
export function eventSchema(document: OpenApiDocument, given: string): EventSchema {
  const pointer = targetOf(document, given);
  const { subschemas } = document;
  if (applies(document, pointer, ({ value }) => [value['required']].flat().some(isNoField)))
    document.addFinding(
      given,
      'requires what no event has: events have event, data, id and retry. Describe JSON in data by contentMediaType: application/json and contentSchema',
    );
  const applying = subschemas.possible(pointer).map((place) => place.pointer);
  const always = new Set(subschemas.certain(pointer).map((place) => place.pointer));
  const json = new Map<string, readonly string[]>();
  const texts = new Map<string, boolean>();
  for (const at of applying) {
    const data = dataAt(document, at);
    if (data === undefined) continue;
    const contents = contentsOf(document, data);
    if (contents) json.set(at, contents);
    else texts.set(at, isPlain(document, data));
  }
  if (json.size === 0) return { items: pointer, data: 'text' };
  for (const at of applying)
    for (const keyword of ['const', 'enum'])
      if (document.at(joinPointer(at, keyword)) !== undefined)
        document.addFinding(
          joinPointer(at, keyword),
          'compares whole events, but their data is JSON: describe each property instead',
        );

  const isAlways = applies(document, pointer, (place) => json.has(place.pointer));
  for (const [at, plain] of texts)
    if (!plain && (isAlways || always.has(at)))
      document.addFinding(
        joinPointer(at, 'properties', 'data'),
        'describes the text of data that another schema of the event describes as JSON',
      );
  for (const content of isAlways ? [] : [...json.values()].flat())
    if (DescribedValue.at(document, content).types()?.includes('string') !== false)
      document.addFinding(
        content,
        'admits a string, which could be the text of another event too: give it a type other than string',
      );
  const dataOf = (at: string): unknown => {
    const contents = json.get(at);
    if (contents) return { allOf: contents.map(refTo) };
    if (texts.get(at) === true && (isAlways || always.has(at))) return true;
    return { type: 'string', allOf: [refTo(joinPointer(at, 'properties', 'data'))] };
  };
  return { items: derive(document, pointer, dataOf), data: isAlways ? 'json' : 'both' };
}

const isNoField = (name: unknown): boolean =>
  typeof name === 'string' && !['event', 'data', 'id', 'retry'].includes(name);

/** Whether one of the schemas for which `is` holds applies to each value of the schema at a pointer. */
function applies(document: OpenApiDocument, pointer: string, is: (place: Place) => boolean): boolean {
  const known = new Map<string, boolean>();
  const applies = document.subschemas.fold(pointer, inPlace, known, (place, parts) => {
    const holds = (...keywords: string[]) =>
      parts.flatMap(({ keyword, pointer: part }) =>
        keywords.includes(keyword) ? [known.get(part) === true] : [],
      );
    const branches = [holds('anyOf'), holds('oneOf'), holds('then', 'else').slice(0, 2)];
    return (
      is(place) ||
      holds('$ref', 'allOf').includes(true) ||
      branches.some((of, i) => of.length > (i === 2 ? 1 : 0) && !of.includes(false))
    );
  });
  return applies === true;
}

/** The target of what is nothing but a reference: many streams have the same events, whose schema is derived once. */
function targetOf(document: OpenApiDocument, given: string): string {
  const seen = new Set([given]);
  for (const pointer of seen) {
    const value = document.at(pointer);
    const target = document.subschemas.target(pointer);
    if (!isObject(value) || Object.keys(value).length > 1 || target === undefined) return pointer;
    seen.add(target);
  }
  return given;
}

const refTo = (pointer: string) => ({ $ref: `#${encodeURI(pointer)}` });

/** The pointer of the property `data` of the schema at a pointer, if it has one. */
function dataAt(document: OpenApiDocument, pointer: string): string | undefined {
  const data = joinPointer(pointer, 'properties', 'data');
  return document.at(data) === undefined ? undefined : data;
}

const isContent = ({ contentMediaType: type, contentEncoding }: JsonObject): boolean =>
  typeof type === 'string' && isJson(essenceOf(type)) && contentEncoding === undefined;

/** The schemas of the value that is the text at a pointer, as JSON; undefined if it is another text. */
function contentsOf(document: OpenApiDocument, data: string): string[] | undefined {
  const { subschemas } = document;
  if (!subschemas.possible(data).some(({ value }) => isContent(value))) return undefined;
  return subschemas.certain(data).flatMap(({ pointer, value }) => {
    const other = Object.keys(value).find(
      (keyword) => !PLAIN.test(keyword) && !keyword.startsWith('content'),
    );
    if (other !== undefined || !isString(value))
      document.addFinding(
        joinPointer(pointer, other ?? 'type'),
        'data that is JSON has the type string and a contentSchema: describe the value in that',
      );
    for (const keyword of ['contentMediaType', 'contentSchema'])
      document.removeRemarks(joinPointer(pointer, keyword));
    return isContent(value) && 'contentSchema' in value ? [joinPointer(pointer, 'contentSchema')] : [];
  });
}

const isString = ({ type = 'string' }: JsonObject): boolean => [type].flat().join() === 'string';

const isPlain = (document: OpenApiDocument, data: string): boolean =>
  document.at(data) !== false &&
  document.subschemas
    .possible(data)
    .every(({ value }) => Object.keys(value).every((keyword) => PLAIN.test(keyword)) && isString(value));

/** Copies the schema at a pointer, with all that apply to the same value, into derived parts of the document. */
function derive(document: OpenApiDocument, start: string, dataOf: (pointer: string) => unknown): string {
  const discriminators = new Discriminators(document);
  const targets = new Set([start]);
  const refToCopy = (pointer: string) => {
    targets.add(pointer);
    return refTo(derivedOf(pointer, start)).$ref;
  };
  const copy = (pointer: string): unknown => {
    const value = document.at(pointer);
    if (!isObject(value)) return value;
    const copied: Record<string, unknown> = { ...value };
    for (const [keyword, operand] of Object.entries(value)) {
      const here = joinPointer(pointer, keyword);
      const { relation, as } = APPLICATORS.get(keyword) ?? {};
      if (keyword === '$ref') {
        const target = document.resolve(operand);
        if (target !== undefined) copied[keyword] = refToCopy(target);
      } else if (keyword === 'properties') {
        const data = dataAt(document, pointer) === undefined ? {} : { data: dataOf(pointer) };
        copied[keyword] = { ...(operand as JsonObject), ...data };
      } else if (relation !== 'certain' && relation !== 'possible') continue;
      else if (as === 'one') copied[keyword] = copy(here);
      else if (as === 'list') copied[keyword] = [operand].flat().map((_, i) => copy(joinPointer(here, i)));
      else
        copied[keyword] = Object.fromEntries(
          members(operand).map(([name]) => [name, copy(joinPointer(here, name))]),
        );
    }
    const discriminator = discriminators.at(pointer, value);
    if (discriminator)
      copied['discriminator'] = {
        propertyName: discriminator.property,
        mapping: Object.fromEntries([...discriminator.branches].map(([name, at]) => [name, refToCopy(at)])),
      };
    return copied;
  };
  for (const target of targets) document.derive(derivedOf(target, start), copy(target));
  return derivedOf(start, start);
}
