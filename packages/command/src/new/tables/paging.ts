/** Finds what a list can be asked for: filters by columns, and pages. */
import { type OpenApiDocument, type Parameter, viewSchemas } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { isIdentifier, quoted } from '../../generate/handler-names';
import { typeOf } from '../../generate/column-types';
import type { Column } from './columns';
import { camelOf, wordsOf } from '../names';
import type { PageNumbers } from './page-facts';
import { isFreeIn, type Table } from './tables';

export interface Filter {
  readonly column: Column;
  /** The variable with its value, and how it is taken from the query. */
  readonly variable: string;
  readonly taken: string;
}

/** The values of a parameter that sorts a list. */
export interface Sort {
  readonly variable: string;
  /** Whether the parameter may be left out. */
  readonly isOptional: boolean;
  readonly columns: ReadonlyMap<string, { readonly column: Column; readonly isDown: boolean }>;
}

export interface Paging {
  /** The TypeScript type of the query; undefined: the operation has none. */
  readonly query: string | undefined;
  /** What is taken from the query: `limit = 20`. */
  readonly names: readonly string[];
  readonly filters: readonly Filter[];
  /** The variable with the key that comes before the page. */
  readonly after: string | undefined;
  /** The parameter with the key that comes after the page, and its variable. */
  readonly before: Readonly<Record<'name' | 'variable', string>> | undefined;
  /** How the size of a page is taken from the query, and its property and variable; undefined: no number says it. */
  readonly limit: Readonly<Record<'taken' | 'name' | 'variable', string>> | undefined;
  /** What a list is sorted by before its keys, as a parameter asks; undefined: nothing. */
  readonly sort: Sort | undefined;
  /** The direction of the order, as code; undefined: ascending. */
  readonly direction: string | undefined;
  /** The numbers of a page as code, with what they take from the query; undefined: pages have no numbers. */
  readonly numbered: (Omit<PageNumbers, 'count'> & { readonly names: readonly string[] }) | undefined;
  /** What ends the statement: `LIMIT ${limit}`. */
  readonly page: string;
  /** What the list is, for people. */
  readonly says: string;
  /** The parameters of the query whose meaning the document does not tell. */
  readonly unknown: readonly string[];
}

const LIMIT = /^(limit|perpage|pagesize|size|count|maxresults|take|top|maxitems)$/;
const OFFSET = /^(offset|skip|startindex)$/;
const PAGE = /^(page|pagenumber|pageno|pageindex)$/;
const AFTER = /^(after|startingafter|cursor|sinceid|startafter|aftercursor)$/;
const BEFORE = /^(before|endingbefore|endbefore|beforecursor|untilid)$/;
const SORT = /^(sort|sortby|orderby|sortfield|sortkey|sortcolumn)$/;
const DIRECTION = /^(order|direction|sortorder|sortdirection|sortdir|dir|orderdirection)$/;
/** The size of a page where neither the client nor the document says it, and the largest one. */
const [USUAL, MOST] = [20, 1000];

/** @param maxItems of the list in the document, if it says */
export function pagingOf(
  document: OpenApiDocument,
  list: Operation,
  table: Table,
  maxItems: number | undefined,
): Paging {
  const own = table.keys.at(-1);
  const taken = new Set([table.variable, ...table.keys.map(({ name }) => name)]);
  let [limit, offset, page, after, direction]: (string | undefined)[] = [];
  let sort: Sort | undefined;
  let before: Paging['before'];
  let limitTaken: Paging['limit'];
  const names: string[] = [];
  const numbers: string[] = [];
  const filters: Filter[] = [];
  const unknown: string[] = [];
  const lowest = new Map<string, number>();
  const atLeast = (number: string, least: number): string =>
    (lowest.get(number) ?? -Infinity) >= least ? number : `Math.max(${number}, ${least})`;
  const parameters = list.parameters.filter((parameter) => parameter.in === 'query');
  const plainOf = ({ name }: Parameter) => wordsOf(name).join('');
  const isNumbered = parameters.some((parameter) => PAGE.test(plainOf(parameter)));
  for (const parameter of parameters) {
    const { name, schemaPointer } = parameter;
    const plain = plainOf(parameter);
    const schemas = schemaPointer === undefined ? [] : [schemaPointer];
    const { type, nullable } = typeOf(document, schemas);
    const column =
      table.columns.find((one) => one.property === name) ??
      table.columns.find((one) => wordsOf(one.name).join('') === plain);
    const variable = variableOf(name, taken);
    const { least } = viewSchemas(document, schemas, 'request');
    const isNumber = type === 'INTEGER' && !nullable;
    const isNumeric = type === 'INTEGER' || type === 'INT64' || type === 'DOUBLE';
    // Nothing is computed of a bigint, unless pages are numbered.
    const isBig = type === 'INT64' && !isNumbered;
    /** Takes a whole number. What is no usual number becomes one. */
    const whole = (absent: number): string => {
      const taken = entry(parameter, variable, document, nullable ? undefined : absent);
      names.push(taken);
      numbers.push(taken);
      const isPlain = isNumber || (isBig && !nullable && Number(least.get('imum')?.value ?? -1) >= 0);
      const number = isPlain ? variable : wholeOf(type, nullable ? `${variable} ?? ${absent}` : variable);
      lowest.set(number, Number(least.get('imum')?.value ?? -Infinity));
      return number;
    };
    if (isNumeric && LIMIT.test(plain) && limit === undefined) {
      const size = sizeOf(document, parameter, maxItems);
      limit = whole(size);
      if (isNumber) limitTaken = { taken: entry(parameter, variable, document, size), name, variable };
    } else if (isNumeric && OFFSET.test(plain) && offset === undefined) {
      offset = whole(0);
    } else if (isNumeric && PAGE.test(plain) && page === undefined) {
      page = whole(1);
    } else if (AFTER.test(plain) && after === undefined && own?.type === type && !own.narrow && !nullable) {
      after = variable;
      names.push(entry(parameter, variable, document));
    } else if (BEFORE.test(plain) && before === undefined && own?.type === type && !own.narrow && !nullable) {
      before = { name, variable };
      names.push(entry(parameter, variable, document));
    } else if (SORT.test(plain) && sort === undefined && sortOf(document, parameter, table)) {
      sort = {
        ...{ variable, isOptional: !isThere(parameter, document) },
        columns: sortOf(document, parameter, table) ?? new Map(),
      };
      names.push(entry(parameter, variable, document));
    } else if (DIRECTION.test(plain) && direction === undefined && isDirection(document, schemas)) {
      direction = `/^desc/i.test(${isThere(parameter, document) ? variable : `${variable} ?? ''`})`;
      names.push(entry(parameter, variable, document));
    } else if (column && isComparable(document, column, schemas)) {
      filters.push({
        column,
        variable: nullable ? `${variable} ?? undefined` : variable,
        taken: entry(parameter, variable, document),
      });
      names.push(entry(parameter, variable, document));
    } else unknown.push(name);
  }
  // A cursor is a key: it tells nothing of the place in another order.
  if ((sort || direction !== undefined) && (after !== undefined || before))
    unknown.push('a cursor in another order');
  if (direction !== undefined && [...(sort?.columns.values() ?? [])].some(({ isDown }) => isDown))
    unknown.push('a second direction');
  const most = Math.min(maxItems ?? MOST, MOST);
  const isPaged = page !== undefined || offset !== undefined;
  const usual = Math.min(isPaged ? USUAL : most, most);
  const size = limit === undefined ? String(usual) : `\${${atLeast(limit, 0)}}`;
  const earlier =
    page === undefined
      ? undefined
      : `Math.min((${atLeast(page, 1)} - 1) * ${limit ?? usual}, Number.MAX_SAFE_INTEGER)`;
  const skipped = offset === undefined ? earlier : atLeast(offset, 0);
  const start = skipped === undefined ? undefined : `\${${skipped}}`;
  const sorted = sort ? `as ${sort.variable} says, then ` : '';
  const what = `${filters.length > 0 ? `with what the filters name, ` : ''}${sorted}`;
  return {
    query:
      parameters.length === 0
        ? undefined
        : `NonNullable<operations[${quoted(list.operationId)}]['parameters']['query']>`,
    ...{ names, filters, after, before, sort, direction, unknown },
    limit: limitTaken,
    numbered:
      page === undefined
        ? undefined
        : {
            page: atLeast(page, 1),
            size: limit === undefined ? String(usual) : atLeast(limit, 1),
            names: numbers,
          },
    page: `LIMIT ${size}${start === undefined ? '' : ` OFFSET ${start}`}`,
    says: `${limit === undefined && page === undefined && offset === undefined ? `At most ${most}` : 'A page'}, ${what}in the order of ${table.keys.length > 1 ? 'their keys' : `${own?.name}`}.`,
  };
}

/** A number as code that is whole, and that the database can hold. */
const wholeOf = (type: Column['type'], number: string): string =>
  type === 'INTEGER'
    ? `(${number})`
    : `Math.min(${type === 'DOUBLE' ? 'Math.trunc' : 'Number'}(${number}), Number.MAX_SAFE_INTEGER)`;

/** The columns that the values of a parameter name: `name`, `-name`, `name:desc`; undefined if a value names none. */
function sortOf(
  document: OpenApiDocument,
  { schemaPointer }: Parameter,
  table: Table,
): Sort['columns'] | undefined {
  const { values } = viewSchemas(document, schemaPointer === undefined ? [] : [schemaPointer], 'request');
  const found = new Map<string, { column: Column; isDown: boolean }>();
  for (const value of values?.values() ?? []) {
    const [, sign = '', name = '', ending = ''] =
      (typeof value === 'string' ? /^([-+]?)(.*?)(?:[:_ .-](asc|desc))?$/i.exec(value) : undefined) ?? [];
    const column = [...table.keys, ...table.columns].find(
      (one) => one.type !== 'JSON_VALUE' && wordsOf(one.property ?? one.name).join() === wordsOf(name).join(),
    );
    if (typeof value !== 'string' || !column) return undefined;
    found.set(value, { column, isDown: sign === '-' || /^desc$/i.test(ending) });
  }
  return found.size > 0 ? found : undefined;
}

/** Whether all values of a parameter are directions. */
function isDirection(document: OpenApiDocument, schemas: readonly string[]): boolean {
  const { values } = viewSchemas(document, schemas, 'request');
  return (
    values !== undefined &&
    [...values.values()].every((value) => typeof value === 'string' && /^(asc|desc)(ending)?$/i.test(value))
  );
}

/** Whether each value of a parameter is one that a column can have. */
function isComparable(document: OpenApiDocument, column: Column, schemas: readonly string[]): boolean {
  const { type } = typeOf(document, schemas);
  if (type === 'JSON_VALUE' || !(type === column.type || (type === 'INTEGER' && column.type === 'DOUBLE')))
    return false;
  if (!column.narrow) return true;
  const [known, given] = [column.schemas, schemas].map(
    (pointers) => viewSchemas(document, pointers, 'response').values,
  );
  return known !== undefined && given !== undefined && [...given.keys()].every((value) => known.has(value));
}

/** The variable of a parameter: its own name, where that can be one. */
function variableOf(name: string, taken: Set<string>): string {
  const base = isFreeIn('store', name) && !taken.has(name) ? name : camelOf(name, 'value');
  let variable = isFreeIn('store', base) ? base : `${base}Value`;
  for (let n = 2; taken.has(variable); n++) variable = `${base}${n}`;
  taken.add(variable);
  return variable;
}

/** Whether each valid request has a parameter, or a value that stands for it. */
const isThere = ({ required, schemaPointer }: Parameter, document: OpenApiDocument): boolean =>
  required ||
  (schemaPointer === undefined ? [] : document.subschemas.certain(schemaPointer)).some(
    ({ value }) => 'default' in value,
  );

/** How a variable is taken from the query, with what stands for a value that is not there. */
function entry(parameter: Parameter, variable: string, document: OpenApiDocument, absent?: number): string {
  const { name, schemaPointer } = parameter;
  const place = name === variable ? name : `${isIdentifier(name) ? name : quoted(name)}: ${variable}`;
  if (absent === undefined || isThere(parameter, document)) return place;
  return `${place} = ${absent}${typeOf(document, schemaPointer === undefined ? [] : [schemaPointer]).type === 'INT64' ? 'n' : ''}`;
}

/** The usual size of a page, within the bounds of its parameter. */
function sizeOf(document: OpenApiDocument, { schemaPointer }: Parameter, maxItems = MOST): number {
  const { least, most } = viewSchemas(
    document,
    schemaPointer === undefined ? [] : [schemaPointer],
    'request',
  );
  const [low, high] = [Number(least.get('imum')?.value ?? 1), Number(most.get('imum')?.value ?? MOST)];
  return Math.max(low, Math.min(USUAL, high, maxItems));
}
