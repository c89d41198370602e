import {
  certain,
  type Direction,
  isObject,
  joinPointer,
  type OpenApiDocument,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { decisionOn, essenceOf, type Resolve } from './decisions';

/** The text of a keyword in each schema, and the pointer of the last one. */
export interface Whole {
  readonly texts: readonly string[];
  readonly pointer: string;
  /** Whether no schema that has it admits other properties: then one pattern more admits more. */
  readonly isClosed: boolean;
}

/** Keywords with a decision of their own that are compared as a whole. */
const WHOLE = ['then', 'else', 'default', 'readOnly', 'writeOnly'];

/** Ends the name of what evaluates before a keyword that judges the others. It counts only where both documents have the keyword. */
export const EVALUATORS = ' and what it depends on';

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
      if (decision === '---' || !(/^(LLL|BLB|LBB)$/.test(decision) || WHOLE.includes(keyword))) continue;
      if (isIdle(keyword, value)) continue;
      const here = joinPointer(pointer, keyword);
      const condition = /^(then|else)$/.test(keyword) ? wholeText(document, 'if', value) : '';
      const text = condition + wholeText(document, keyword, value);
      const { texts = [], isClosed = true } = found.get(keyword) ?? {};
      found.set(keyword, {
        texts: [...texts, text].sort(),
        pointer: here,
        isClosed: isClosed && value['additionalProperties'] === false,
      });
    }
  }
  for (const { pointer, value } of schemas) {
    for (const keyword of EVALUATING.keys()) {
      if (!(keyword in value) || isIdle(keyword, value)) continue;
      const beside = keyword === 'additionalProperties' ? [value] : schemas.map((schema) => schema.value);
      const text = beside.map((schema) => evaluates(document, keyword, schema)).join('');
      const key = `${keyword}${EVALUATORS}`;
      found.set(key, {
        texts: [...(found.get(key)?.texts ?? []), text],
        pointer: joinPointer(pointer, keyword),
        isClosed: false,
      });
    }
  }
  return found;
}

const BRANCHES = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
/** What evaluates properties or items before a keyword that judges the others, as far as no other comparison reads it. */
const EVALUATING: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    additionalProperties: ['patternProperties'],
    unevaluatedProperties: [...BRANCHES, 'patternProperties'],
    unevaluatedItems: [...BRANCHES, 'contains'],
  }),
);

function evaluates(document: OpenApiDocument, keyword: string, schema: JsonObject): string {
  const texts = (EVALUATING.get(keyword) ?? [])
    .filter((name) => name in schema && (name === 'if' || !isIdle(name, schema)))
    .map((name) => `${name} ${wholeText(document, name, schema)}`);
  if (keyword === 'unevaluatedItems')
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
    case 'additionalProperties':
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
