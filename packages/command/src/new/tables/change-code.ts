/** Writes the handlers that follow from the document: create, replace and change. */
import { isJson, type OpenApiDocument, type SchemaView, viewSchemas } from 'contract-first-server/tools';
import { codeOf, memberCode, Unclear } from '../code';
import type { Column } from './columns';
import { askedOf } from '../errors/envelopes';
import { storedType } from '../../generate/column-types';
import { checkFits, type Handled, missing, oneIn, pathOf, refusal, successOf } from '../handler-code';
import { wordsOf } from '../names';
import { spoken, type Violation, violationsOf } from './table-code';
import { numbersFor } from './path-keys';
import { isFreeIn } from './tables';
import { handledValue } from '../types';

/** The body of a request without its envelope. */
function asked({ document, operation, table, lacks }: Handled) {
  if (!operation.requestBody) throw new Unclear('its request has no body');
  const inside = askedOf(document, operation);
  if (!inside) {
    const types = operation.requestBody.content.map(({ key }) => key);
    const isOther = types.every((type) => !isJson(type) && !type.endsWith('urlencoded'));
    throw new Unclear(
      isOther
        ? `its request body is ${types.join(' or ')}, which no table stores as it is`
        : 'its request body is neither JSON nor a form of one schema',
    );
  }
  if (inside.isList || inside.beside.size > 0) throw new Unclear('its request has more than one object');
  const view = viewSchemas(document, inside.schemas, 'request');
  if (view.properties.size === 0 || (view.unions.length > 0 && table.kind !== 'others'))
    throw new Unclear('its request body can have several shapes');
  const names = [...view.properties.keys()].filter((name) => !view.withheld.has(name));
  const isKnown = (name: string) => table.columns.some((column) => column.name === name);
  if (table.kind === 'columns' && !names.every(isKnown))
    throw new Unclear('its request has properties that no response has');
  const unknown = table.columns.find(
    ({ required, schemas }) => !required && viewSchemas(document, schemas, 'response').types.size > 5,
  );
  if (unknown) throw new Unclear(`${unknown.name} may have any value, or none`);
  const other = table.columns.find(
    ({ name, ...column }) =>
      names.includes(name) && !canHold(document, column, view.properties.get(name) ?? []),
  );
  if (other) throw new Unclear(`${other.name} is of another type in its request than in responses`);
  const { property } = inside;
  const isOptional = !operation.requestBody.required;
  // Without a body the request says as little as with an empty one, where such a one is valid.
  if (isOptional && (property !== undefined || view.required.size > 0)) lacks.push({ operation, body: true });
  if (property === undefined) return { view, variable: 'body', code: isOptional ? 'body = {}' : 'body' };
  const variable =
    isFreeIn('handler', property) && !table.keys.some(({ name }) => name === property) ? property : 'given';
  return { view, variable, code: `body: { ${memberCode(property, variable)} }` };
}

/** The body of a request that has none. */
const nothingAsked = ({ document }: Handled) => ({
  ...{ view: viewSchemas(document, [], 'request'), variable: '', code: '' },
});

/** Whether a column can have each value of a property of a request, as far as their types tell. */
function canHold(
  document: OpenApiDocument,
  { type, nullable, narrow, schemas }: Omit<Column, 'name'>,
  asked: readonly string[],
): boolean {
  const given = storedType(document, asked, true);
  if (given.nullable && !nullable) return false;
  if (type === 'JSON_VALUE') return given.type === 'JSON_VALUE';
  if (given.type !== type && !(given.type === 'INTEGER' && type === 'DOUBLE')) return false;
  if (!narrow) return true;
  const [known, values] = [schemas, asked].map((one) => viewSchemas(document, one, 'response').values);
  return known !== undefined && values !== undefined && [...values.keys()].every((value) => known.has(value));
}

/** Names of times that a service notes by itself. */
const CREATED =
  /^(created|inserted|added|registered|updated|modified|changed|lastmodified|lastupdated)(at|on|date|time|datetime)?$/;
const CHANGED = /^(last)?(updated|modified|changed)(at|on|date|time|datetime)?$/;
const isTime = ({ name, type }: Column, pattern: RegExp) =>
  (type === 'TIMESTAMP' || type === 'DATE') && pattern.test(wordsOf(name).join(''));
const nowFor = ({ name, type }: Column): string => `${name}: ${type === 'DATE' ? 'now.slice(0, 10)' : 'now'}`;

/** What stands for a value that is not there; undefined: nothing. */
const defaultOf = (document: OpenApiDocument, schemas: readonly string[]): unknown =>
  schemas.flatMap((pointer) => document.subschemas.certain(pointer)).find(({ value }) => 'default' in value)
    ?.value['default'];

/** Whether a valid request always has a property. */
const isCertain = (document: OpenApiDocument, view: SchemaView, name: string): boolean =>
  view.required.has(name) || defaultOf(document, view.properties.get(name) ?? []) !== undefined;

/** The values that the service makes. */
function madeValues({ document, table }: Handled, view: SchemaView, variable: string): string[] {
  const own = table.keys.at(-1);
  return table.columns.flatMap((column): string[] => {
    const { name, made, required, nullable, schemas } = column;
    if (own?.name === name) {
      if (table.source === 'either') return [`${name}: ${variable}.${name} ?? randomUUID()`];
      const [least, end] = table.source === 'digits' ? (numbersFor(document, own.inPath ?? []) ?? []) : [];
      if (least !== undefined) return [`${name}: String(randomInt(${least}, ${powerOf(end)}))`];
      return table.source === 'uuid' ? [`${name}: randomUUID()`] : [];
    }
    if (table.keys.some((key) => key.name === name) || (!made && isCertain(document, view, name))) return [];
    if (made && isTime(column, CREATED)) return [nowFor(column)];
    if (!required || nullable) return [];
    const { values } = viewSchemas(document, schemas, 'response');
    const [constant] = values?.size === 1 ? values.values() : [];
    const value = defaultOf(document, schemas) ?? constant;
    if (value === undefined) throw new Unclear(`the document does not say what ${name} is initially`);
    return [`${name}: ${codeOf(handledValue(document, schemas, value))}`];
  });
}

/** A number as people write it: `2 ** 31`. */
const powerOf = (number = 0): string =>
  Number.isInteger(Math.log2(number)) ? `2 ** ${Math.log2(number)}` : String(number);

const NOW = 'const now = new Date().toISOString();\n';

export function createCode(of: Handled): string {
  const { table } = of;
  if (table.kind === 'value') throw new Unclear('its objects do not fit a list of columns');
  if (table.source === 'unknown') throw new Unclear('the document does not say who assigns the key');
  if (table.kind === 'others' && table.source === 'counted')
    throw new Unclear('its key is assigned by the database');
  const { view, variable, code } = of.operation.requestBody ? asked(of) : nothingAsked(of);
  const path = pathOf(of, variable);
  const values = [
    ...(variable === '' ? [] : [`...${variable}`]),
    ...path.variables,
    ...madeValues(of, view, variable),
  ];
  const now = values.some((value) => /\bnow\b/.test(value)) ? NOW : '';
  const parameters = [path.code, code].filter((part) => part !== '').join(', ');
  const name = variable === table.one ? 'added' : table.one;
  const { head, inside } = successOf(of, 'one', name);
  if (inside) checkFits(of, inside);
  const violations = refusals(of, name, variable, path.variables, violationsOf(table));
  const added = values.length === 1 && variable !== '' ? variable : `{ ${values.join(', ')} }`;
  return `async (${parameters === '' ? '' : `{ ${parameters} }`}) => {
    ${path.converted}${now}${inside || violations !== '' || new RegExp(`[({]${name}\\.`).test(head) ? `const ${name} = ` : ''}await store.${table.name}.add(${added});
    ${violations}return { ${head}${inside ? `, body: ${oneIn(inside, name)}` : ''} };
  }`;
}

/**
 * The lines that answer for each rule that a row may break.
 *
 * @param variable of the body of the request
 */
function refusals(
  of: Handled,
  result: string,
  variable: string,
  path: readonly string[],
  rules: readonly Violation[],
): string {
  const { table, tables, operation } = of;
  const rule = table.unique?.name ?? table.keys.at(-1)?.name ?? '';
  const [[name = '', to] = [], another] = table.references;
  const isPath = !another && path.includes(name);
  const target = another ? undefined : tables.get(to?.to ?? '');
  const absent = target
    ? `there is no ${target.noun} \${${isPath ? name : `${variable}.${name}`}}`
    : 'it refers to something that does not exist';
  const isNew = isPath || table.stored?.create === operation;
  const answers = {
    unique: () => refusal(of, [409, 422], `the ${spoken(rule)} is taken`, 'unique'),
    'foreign key': () => refusal(of, isNew ? [404, 422, 409] : [422, 409, 404], absent, 'foreign key'),
  };
  return rules.map((violated) => `if (${result} === '${violated}') ${answers[violated]()}\n`).join('');
}

export function changeCode(of: Handled, isWhole: boolean): string {
  const { document, table, operation } = of;
  if (table.kind !== 'columns') throw new Unclear('its objects do not fit a list of columns');
  const { head, inside } = successOf(of, 'one');
  if (inside) checkFits(of, inside);
  const { view, variable, code } = asked(of);
  const media = operation.requestBody?.content[0]?.type.essence ?? '';
  if (!isWhole && media.includes('json-patch')) throw new Unclear('its request is a list of changes');
  const path = pathOf(of, variable);
  const keys = new Set(table.keys.map(({ name }) => name));
  const times = table.columns.filter((column) => column.made && isTime(column, CHANGED));
  const absent = table.columns.filter(
    ({ name, made }) => isWhole && !made && !keys.has(name) && !isCertain(document, view, name),
  );
  // What may be left out is gone after a replacement. A request that lacks what every object has replaces none: it is a change.
  const gone = absent.some(({ required, nullable }) => required && !nullable) ? [] : absent;
  const own = [...keys].filter((name) => view.properties.has(name) && !view.withheld.has(name));
  const values = [
    ...gone.map(({ name }) => `${name}: null`),
    `...${variable}`,
    ...own.filter((name) => path.variables.includes(name)),
    ...times.map(nowFor),
  ];
  const name = variable === table.one ? 'changed' : table.one;
  // What the request cannot change breaks no rule.
  const unique = table.unique ?? table.keys.at(-1);
  const columns = { unique: [unique?.name ?? ''], 'foreign key': [...table.references.keys()] };
  const rules = violationsOf(table).filter((rule) =>
    columns[rule].some((column) => view.properties.has(column)),
  );
  const changes = values.length === 1 ? variable : `{ ${values.join(', ')} }`;
  const none = missing(of, path.own);
  of.calls.push('change');
  return `async ({ ${path.code}, ${code} }) => {
    ${path.converted}${times.length > 0 ? NOW : ''}const ${name} = await store.${table.name}.change(${[...path.variables, changes].join(', ')});
    ${refusals(of, name, variable, path.variables, rules)}if (${name}) return { ${head}${inside ? `, body: ${oneIn(inside, name)}` : ''} };
    ${none}
  }`;
}
