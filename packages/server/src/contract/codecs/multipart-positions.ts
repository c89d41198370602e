import { joinPointer } from '../document/document';
import { MalformedJson } from '../json/parse';
import type { Holder } from '../json/values';
import { DescribedValue } from '../operations/described-value';
import { jsonText, primitiveText, type Read, Unservable } from '../parameters/parts';
import type { DescribedBody, ReadPieces } from './codec';
import { fileNameOf } from './multipart-head';
import { assertFiles, type PartRule, ruleOf, ruleOfAny } from './multipart-part';
import { malformedPart, receiveParts } from './multipart-reception';

/** How the part at a position is read. */
interface Position {
  readonly rule: PartRule;
  readonly read: Read<string>;
}

/**
 * Compiles the reader of a list of parts: `multipart/mixed` or `multipart/related` (OpenAPI 3.2 section 4.14.5).
 *
 * @throws {Unservable} if its schema does not describe a list, or a part of it cannot be read
 */
export function compilePositions(body: DescribedBody): ReadPieces {
  const { document, schema, items, pointer, key } = body;
  const list = DescribedValue.at(document, schema);
  const isList = schema === undefined ? items !== undefined : list.types()?.join() === 'array';
  if (!/^3\.[2-9]/.test(String(document.root['openapi'])) || !isList)
    throw new Unservable(
      `${key} cannot be served: multipart/form-data can, and in OpenAPI 3.2 a list of parts by position`,
    );
  const at = (i: number) => (schema === undefined ? DescribedValue.at(document, items) : list.item(i));
  const encodings = [document.at(joinPointer(pointer, 'prefixEncoding')) ?? []].flat();
  const described = list.schemas().map(({ prefixItems }) => [prefixItems ?? []].flat().length);
  const count = Math.max(encodings.length, ...described);
  const itemEncoding = document.at(joinPointer(pointer, 'itemEncoding'));
  const first = Array.from({ length: count }, (_, i) => positionOf(at(i), encodings[i] ?? itemEncoding));
  const rest = positionOf(at(count), itemEncoding);
  if ([rest, ...first].some(({ rule }) => rule.isFile)) assertFiles(list, /^(uniqueItems|contains)$/);
  return {
    judged: schema,
    items,
    async read(pieces, envelope, type, each) {
      const values: unknown[] = [];
      let index = 0;
      await receiveParts(pieces, type, (head) => {
        const i = index++;
        const name = String(i);
        const { rule, read } = first[i] ?? rest;
        const fileName = fileNameOf(head);
        const done = (value: File | string) => {
          const holder: Holder = {};
          const item = items === undefined ? (values as unknown[] & Holder) : holder;
          const place = items === undefined ? i : 'body';
          if (typeof value === 'string') readText(read, value, item, place, name);
          else item[place] = value;
          if (items === undefined) return;
          each(holder, i);
          values[i] = holder['body'];
        };
        return { name, fileName, rule: ruleOfAny(rule, head, fileName), done };
      });
      envelope['body'] = values;
    },
  };
}

function positionOf(value: DescribedValue, encoding: unknown): Position {
  const rule = ruleOf(value, encoding);
  if (rule.isStyled || rule.hasHeaders)
    throw new Unservable('a part by its position can have a contentType, but neither a style nor headers');
  if (rule.isList && !rule.isJson)
    throw new Unservable('a part that is an array is JSON: use application/json');
  return { rule, read: rule.isFile ? unread : (rule.isJson ? jsonText : primitiveText)(value) };
}

const unread: Read<string> = () => undefined;

function readText(
  read: Read<string>,
  text: string,
  holder: Holder,
  key: string | number,
  name: string,
): void {
  try {
    read(text, holder, key);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw malformedPart(name, `is not well-formed JSON: ${error.message}`);
  }
}
