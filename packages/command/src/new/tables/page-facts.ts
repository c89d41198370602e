/** Writes what the envelope of a list says of its page: `{ page: 2, per_page: 20, total_pages: 7, next_page: 3 }`. */
import { type OpenApiDocument, viewSchemas } from 'contract-first-server/tools';
import { Expression } from '../code';
import { wordsOf } from '../names';

/** Code of numbers. */
export interface PageNumbers {
  readonly page: string;
  readonly size: string;
  /** How many objects all pages have. */
  readonly count: string;
}

/** A number as code; null if a condition holds. */
interface Fact {
  readonly number: string;
  readonly absentIf?: string;
}

const FACTS: readonly (readonly [name: RegExp, of: (numbers: PageNumbers) => Fact])[] = [
  [/^(current)?(page|pagenumber|pageno|pageindex)$/, ({ page }) => ({ number: page })],
  [/^(perpage|pagesize|limit|size)$/, ({ size }) => ({ number: size })],
  [
    /^(totalpages|totalpagecount|pagecount|pages|numberofpages)$/,
    ({ size, count }) => ({ number: `Math.ceil(${count} / ${size})` }),
  ],
  [/^lastpage$/, ({ size, count }) => ({ number: `Math.max(Math.ceil(${count} / ${size}), 1)` })],
  [
    /^next(page)?$/,
    ({ page, size, count }) => ({ number: `${page} + 1`, absentIf: `${page} * ${size} >= ${count}` }),
  ],
  [/^prev(ious)?(page)?$/, ({ page }) => ({ number: `${page} - 1`, absentIf: `${page} <= 1` })],
  [/^(total|count|total(count|entries|items|elements|records|results))$/, ({ count }) => ({ number: count })],
];

/** A property of the envelope of a numbered page as a value with code in it; undefined: the document has another fact there. */
export function pageFact(
  document: OpenApiDocument,
  name: string,
  schemas: readonly string[],
  numbers: PageNumbers,
): unknown {
  const { types, formats, properties, required, values, unions } = viewSchemas(document, schemas, 'response');
  if (unions.length > 0 || values) return undefined;
  if (types.has('object')) {
    const members = [...properties].map(
      ([inner, own]) => [inner, pageFact(document, inner, own, numbers)] as const,
    );
    const known = members.filter(([, value]) => value !== undefined);
    const isKnown = known.length > 0 && [...required].every((one) => known.some(([inner]) => inner === one));
    return isKnown ? Object.fromEntries(known) : undefined;
  }
  const plain = wordsOf(name).join('');
  const code = FACTS.find(([pattern]) => pattern.test(plain))?.[1](numbers);
  if (code === undefined || !types.has('integer')) return undefined;
  if (code.absentIf !== undefined && !types.has('null')) return undefined;
  const number = formats.has('int64') ? `BigInt(${code.number})` : code.number;
  return new Expression(code.absentIf === undefined ? number : `${code.absentIf} ? null : ${number}`);
}
