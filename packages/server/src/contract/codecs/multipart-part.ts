import { isUtf8 } from 'node:buffer';
import { describeBytes } from '../document/described-bytes';
import { isObject, type JsonObject } from '../document/document';
import {
  coverage,
  isJson,
  isTextual,
  type MediaType,
  parseMediaType,
  specificity,
  splitField,
} from '../http/media-type';
import type { DescribedValue } from '../operations/described-value';
import { Unservable } from '../parameters/parts';
import { isStyled } from './form';
import type { PartHead } from './multipart-head';

/** How the parts of one property are read (OpenAPI 3.1 section 4.8.15.1). */
export interface PartRule {
  /** Whether each part is a file; otherwise it is text, which form.ts reads. */
  readonly isFile: boolean;
  /** Whether the schema admits texts and files: a part with a file name, or of a type that is not text, is a file. */
  readonly isAny: boolean;
  /** Whether the parts of one name are a list. */
  readonly isList: boolean;
  /** Whether a file that is the only one of its name is itself the value. */
  readonly isOne: boolean;
  /** The media types that the document lists; undefined: any that can be read. */
  readonly types: readonly MediaType[] | undefined;
  readonly isJson: boolean;
  /** The coding that its schema names (`contentEncoding`). */
  readonly coding: string | undefined;
  /** For form.ts. */
  readonly encoding: JsonObject;
  readonly isStyled: boolean;
  readonly hasHeaders: boolean;
}

const plain = (essence: string): MediaType => ({ essence, parameters: new Map() });
const PLAIN = plain('text/plain');
const JSON_TYPES = [plain('application/json')];

/** A text that is part of a property. */
const TEXT_PART: PartRule = {
  isFile: false,
  isAny: false,
  isList: false,
  isOne: false,
  types: undefined,
  isJson: false,
  coding: undefined,
  encoding: {},
  isStyled: true,
  hasHeaders: false,
};

/** The rule of a part whose name is that of a property continued in brackets, or that of a part of it. */
export const ruleOfContinued = (rule: PartRule | undefined): PartRule | undefined =>
  rule && (rule.isFile ? rule : { ...TEXT_PART, isStyled: rule.isStyled });

/**
 * Compiles how a part is read.
 *
 * @throws {Unservable} if its schema or encoding cannot be enforced
 */
export function ruleOf(value: DescribedValue, given: unknown): PartRule {
  const own = isObject(given) ? given : {};
  const styled = isStyled(own);
  const isList = !styled && value.types()?.includes('array') === true;
  const item = isList ? value.item(0) : value;
  const kinds = item.types()?.filter((type) => type !== 'null');
  const types = styled ? undefined : typesOf(own['contentType']);
  if (styled && describeBytes([...value.schemas(), ...value.item(0).schemas()]))
    throw new Unservable('style, explode and allowReserved do not apply to files');
  const isFile = describeBytes(item.schemas()) || (!kinds && types?.every(isBinary) === true);
  if (isFile) assertFile(item, isList ? value : undefined);
  else if (types?.every(isBinary) === true)
    throw new Unservable(`${String(own['contentType'])} is not text: use format binary`);
  const admitsObject = !styled && !types && !isFile && kinds?.includes('object') === true;
  const isUnion = admitsObject && kinds.some((kind) => kind !== 'object' && kind !== 'array');
  const isJson = (admitsObject && !isUnion) || (!isFile && types?.every(isJsonType) === true);
  const coding = item.schemas().find(({ contentEncoding }) => contentEncoding !== undefined);
  const contentType = isJson ? 'application/json' : 'text/plain';
  return {
    isFile,
    isAny: !isFile && !styled && !kinds && !types,
    isList,
    isOne: isList && value.types()?.includes('string') === true,
    isJson,
    isStyled: styled,
    hasHeaders: own['headers'] !== undefined,
    types: isUnion ? [PLAIN] : types, // its text is a primitive, and no JSON
    coding: coding && String(coding['contentEncoding']).toLowerCase(),
    encoding: styled ? own : types ? { contentType } : {},
  };
}

/** The media types and ranges of a `contentType`. */
function typesOf(contentType: unknown): readonly MediaType[] | undefined {
  if (typeof contentType !== 'string') return undefined;
  return splitField(contentType, ',').map((field) => {
    const type = parseMediaType(field);
    if (!type) throw new Unservable(`${JSON.stringify(field)} is not a media type`);
    return type;
  });
}

const isJsonType = ({ essence }: MediaType): boolean => isJson(essence);

/** Whether a type covers neither text nor JSON. */
const isBinary = ({ essence }: MediaType): boolean =>
  !isJson(essence) &&
  !isTextual(essence) &&
  !isTextual(essence) &&
  !['text/plain', 'application/json'].some((usual) => coverage(essence, usual) > 0);

const FILE_KEYWORD =
  /^(\$ref|allOf|anyOf|oneOf|type|format|minLength|maxLength|title|description|deprecated|content\w+|default|examples?|readOnly|writeOnly|x-.*)$/;

/**
 * @param list the array that has the files
 * @throws {Unservable} if a keyword judges a file as text
 */
function assertFile(file: DescribedValue, list: DescribedValue | undefined): void {
  const keyword = keywordOf(file, (name) => !FILE_KEYWORD.test(name));
  if (keyword !== undefined) throw new Unservable(`${keyword} does not apply to files`);
  if (list) assertFiles(list, /^(uniqueItems|prefixItems|contains)$/);
  if (isOther(file, 'null') || (list && isOther(list, 'null', 'array')))
    throw new Unservable(
      'its schema allows bytes and other values: use type string with format binary alone',
    );
}

/**
 * @param wrong the keywords that no list of files can have
 * @throws {Unservable} if a list has one of them
 */
export function assertFiles(list: DescribedValue, wrong: RegExp): void {
  const keyword = keywordOf(list, (name) => wrong.test(name));
  if (keyword !== undefined) throw new Unservable(`${keyword} does not apply to files`);
}

const keywordOf = (value: DescribedValue, find: (name: string) => boolean): string | undefined =>
  value.schemas().flatMap(Object.keys).find(find);

/** Whether a value may have another type than these, and than that of bytes. */
const isOther = (value: DescribedValue, ...types: readonly unknown[]): boolean =>
  value
    .schemas()
    .some((schema) =>
      [schema['type'] ?? []]
        .flat()
        .some((type) => !types.includes(type) && !(type === 'string' && describeBytes([schema]))),
    );

/** The rule of a part whose schema admits texts and files. */
export function ruleOfAny(rule: PartRule, { type }: PartHead, fileName: string): PartRule {
  const isFile = rule.isAny && (fileName !== '' || (type !== undefined && isBinary(type)));
  return isFile ? { ...rule, isFile } : rule;
}

/** Finds what is wrong with the header fields of a part, as the predicate of a sentence. */
export function faultOf(rule: PartRule, { type, transferEncoding }: PartHead): string | undefined {
  const { types, isFile, isStyled, coding } = rule;
  if (transferEncoding !== undefined && transferEncoding !== coding)
    return 'has a Content-Transfer-Encoding, which is not accepted';
  const charset = type?.parameters.get('charset');
  if (!isFile && charset !== undefined && charset !== 'us-ascii') return 'must use the charset utf-8';
  const expected = types ?? (rule.isJson ? JSON_TYPES : undefined);
  // Without a Content-Type, a text is read as the document describes it. A file is text then (RFC 7578 section 4.4).
  const actual = type ?? (isFile ? PLAIN : undefined);
  if (!expected || !actual || isStyled) return undefined;
  if (expected.some((range) => specificity(range, actual) > 0)) return undefined;
  if (rule.isJson && isJson(actual.essence)) return undefined;
  return `must have the Content-Type ${expected.map(nameOf).join(' or ')}`;
}

const nameOf = ({ essence, parameters }: MediaType): string =>
  [essence, ...[...parameters].map(([name, value]) => `${name}=${value}`)].join('; ');

/** Decodes a part; undefined if it is not UTF-8. */
export const textOf = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? bytes.toString('utf8') : undefined;
