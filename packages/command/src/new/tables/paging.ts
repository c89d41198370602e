/** Finds what a list can be asked for: filters by columns, and pages. */
import { type OpenApiDocument, type Parameter, viewSchemas } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { isIdentifier, quoted } from '../../generate/handler-names';
import { typeOf } from '../../generate/column-types';
import type { Column } from './columns';
import { camelOf, wordsOf } from '../names';
import { isFreeIn, type Table } from './tables';

export interface Filter {
  readonly column: Column;
  /** The variable with its value, and how it is taken from the query. */
  readonly variable: string;
  readonly taken: string;
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
  let [limit, offset, page, after]: (string | undefined)[] = [];
  let before: Paging['before'];
  let limitTaken: Paging['limit'];
  const names: string[] = [];
  const filters: Filter[] = [];
  const unknown: string[] = [];
  const lowest = new Map<string, number>();
  const atLeast = (variable: string, least: number): string =>
    (lowest.get(variable) ?? -Infinity) >= least ? variable : `Math.max(${variable}, ${least})`;
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
    lowest.set(variable, Number(least.get('imum')?.value ?? -Infinity));
    const isNumber = type === 'INTEGER';
    // Of a bigint nothing is computed: the document says that it is not negative, and there are no numbered pages.
    const isSize = isNumber || (type === 'INT64' && Number(lowest.get(variable)) >= 0 && !isNumbered);
    if (isSize && LIMIT.test(plain) && limit === undefined) {
      limit = variable;
      const taken = entry(parameter, variable, document, sizeOf(document, parameter, maxItems));
      names.push(taken);
      if (isNumber) limitTaken = { taken, name, variable };
    } else if (isSize && OFFSET.test(plain) && offset === undefined) {
      offset = variable;
      names.push(entry(parameter, variable, document, 0));
    } else if (isNumber && PAGE.test(plain) && page === undefined) {
      page = variable;
      names.push(entry(parameter, variable, document, 1));
    } else if (AFTER.test(plain) && after === undefined && own?.type === type && !own.narrow) {
      after = variable;
      names.push(entry(parameter, variable, document));
    } else if (BEFORE.test(plain) && before === undefined && own?.type === type && !own.narrow) {
      before = { name, variable };
      names.push(entry(parameter, variable, document));
    } else if (column && !nullable && isComparable(document, column, schemas)) {
      filters.push({ column, variable, taken: entry(parameter, variable, document) });
      names.push(entry(parameter, variable, document));
    } else unknown.push(name);
  }
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
  const what = filters.length > 0 ? `with what the filters name, ` : '';
  return {
    query:
      parameters.length === 0
        ? undefined
        : `NonNullable<operations[${quoted(list.operationId)}]['parameters']['query']>`,
    ...{ names, filters, after, before, unknown },
    limit: limitTaken,
    page: `LIMIT ${size}${start === undefined ? '' : ` OFFSET ${start}`}`,
    says: `${limit === undefined && page === undefined && offset === undefined ? `At most ${most}` : 'A page'}, ${what}in the order of ${table.keys.length > 1 ? 'their keys' : `${own?.name}`}.`,
  };
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

/** How a variable is taken from the query, with what stands for a value that is not there. */
function entry(
  { name, required, schemaPointer }: Parameter,
  variable: string,
  document: OpenApiDocument,
  absent?: number,
): string {
  const place = name === variable ? name : `${isIdentifier(name) ? name : quoted(name)}: ${variable}`;
  const schemas = schemaPointer === undefined ? [] : document.subschemas.certain(schemaPointer);
  const isThere = required || schemas.some(({ value }) => 'default' in value);
  if (isThere || absent === undefined) return place;
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
