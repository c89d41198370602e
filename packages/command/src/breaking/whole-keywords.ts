import {
  certain,
  type Direction,
  isObject,
  joinPointer,
  type OpenApiDocument,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { decisionOn, essenceOf, type Resolve } from './decisions';

/** The text of a keyword in all schemas, and the pointer of the last one. */
export interface Whole {
  readonly text: string;
  readonly pointer: string;
}

/** Keywords with a decision of their own that are compared as a whole. */
const WHOLE = ['then', 'else', 'default', 'readOnly', 'writeOnly'];

/** The keywords that are compared as a whole, in all schemas that always apply, without those that have no effect. */
export function wholeKeywords(
  document: OpenApiDocument,
  pointers: readonly string[],
  direction: Direction,
): Map<string, Whole> {
  const found = new Map<string, Whole>();
  const schemas = document.subschemas.traverse(pointers, certain).before;
  for (const { pointer, value } of schemas) {
    for (const keyword of Object.keys(value)) {
      const decision = decisionOn('Schema', keyword, direction) ?? '---';
      if (decision === '---' || !(/^(LLL|BBB)$/.test(decision) || WHOLE.includes(keyword))) continue;
      if (isIdle(keyword, value)) continue;
      const here = joinPointer(pointer, keyword);
      const text = wholeText(document, keyword, value);
      const known = found.get(keyword);
      found.set(keyword, { text: known ? [known.text, text].sort().join() : text, pointer: here });
    }
  }
  for (const { pointer, value } of schemas) {
    for (const keyword of ['unevaluatedItems', 'unevaluatedProperties']) {
      if (!(keyword in value) || isIdle(keyword, value)) continue;
      const text = schemas.map((schema) => evaluates(document, keyword, schema.value)).join('');
      if (text !== '') found.set(`${keyword} `, { text, pointer: joinPointer(pointer, keyword) });
    }
  }
  return found;
}

/** What evaluates properties or items beside an `unevaluated*` keyword, as far as no other comparison reads it. */
function evaluates(document: OpenApiDocument, keyword: string, schema: JsonObject): string {
  const branches = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
  const items = keyword === 'unevaluatedItems';
  const texts = [...branches, ...(items ? ['contains'] : [])].map((keyword) =>
    keyword in schema ? `${keyword} ${wholeText(document, keyword, schema)}` : '',
  );
  if (items)
    texts.push('items' in schema ? 'all' : String([schema['prefixItems'] ?? []].flat().length || ''));
  return texts.join('');
}

/** Whether a keyword has no effect: with this value, or without another keyword. */
function isIdle(keyword: string, schema: JsonObject): boolean {
  const operand = schema[keyword];
  const admitsAll = operand === true || (isObject(operand) && Object.keys(operand).length === 0);
  switch (keyword) {
    case 'not':
    case 'readOnly':
    case 'writeOnly':
      return operand === false;
    case 'if':
      return !('then' in schema) && !('else' in schema);
    case 'then':
    case 'else':
      return !('if' in schema) || admitsAll;
    case 'contains':
      return schema['minContains'] === 0 && !('maxContains' in schema);
    case 'patternProperties':
    case 'propertyNames':
    case 'unevaluatedItems':
    case 'unevaluatedProperties':
    case 'dependentRequired':
    case 'dependentSchemas':
      return admitsAll;
    default:
      return false;
  }
}

/** A keyword as text, references replaced by their targets. Equal texts mean equal constraints. */
function wholeText(document: OpenApiDocument, keyword: string, schema: JsonObject): string {
  const seen = new Set<string>();
  const resolve: Resolve = (ref) => {
    const target = document.resolve(ref);
    if (target === undefined || seen.has(target)) return undefined;
    seen.add(target);
    return { value: document.at(target) };
  };
  return essenceOf('Schema', { [keyword]: schema[keyword] }, resolve).slice(keyword.length + 4, -1);
}
