/** Writes the handlers that follow from the document: list. */
import { viewSchemas } from 'contract-first-server/tools';
import { isIdentifier, quoted } from '../../generate/handler-names';
import { codeOf, memberCode, propertyName, Unclear } from '../code';
import { checkFits, enveloped, type Handled, missing, pathOf, successOf } from '../handler-code';
import { handledValue } from '../types';
import { pageFact } from './page-facts';
import type { Paging } from './paging';
import { isFreeIn } from './tables';

/** `a`, `a and b`, `a, b and c`. */
const inWords = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** A property beside a list in its envelope: the number of all objects, whether there are more of them, or what is always the same. */
function besideOf(
  { document, operation }: Handled,
  paging: Paging,
  name: string,
  schemas: readonly string[],
) {
  const { types, values } = viewSchemas(document, schemas, 'response');
  const { numbered } = paging;
  if (numbered && pageFact(document, name, schemas, { ...numbered, count: '' }) !== undefined)
    return { kind: 'page', name, schemas } as const;
  if (/(count|total|size|length)/i.test(name) && types.has('integer'))
    return { kind: 'count', name } as const;
  if (/^has_?(more|next)(_?page)?$/i.test(name) && types.has('boolean') && paging.limit)
    return { kind: 'more', name } as const;
  const [constant, another] = values?.values() ?? [];
  const [path = ''] = operation.paths;
  const value =
    constant !== undefined && another === undefined
      ? handledValue(document, schemas, constant)
      : /^(url|path)$/i.test(name) && types.has('string') && !path.includes('{')
        ? path
        : undefined;
  if (value === undefined) throw new Unclear(`its envelope has ${name}`);
  return { kind: 'code', name, code: `${propertyName(name)}: ${codeOf(value)}` } as const;
}

export function listCode(of: Handled, paging: Paging | undefined): string {
  const { document, table, tables, operation } = of;
  const { head, inside } = successOf(of, 'list');
  if (!inside?.isList || !paging) throw new Unclear('it does not respond with a list');
  if (paging.unknown.length > 0)
    throw new Unclear(
      `the document does not say what ${inWords(paging.unknown)} select${paging.unknown.length === 1 ? 's' : ''}`,
    );
  const besides = [...inside.beside].map(([name, schemas]) => besideOf(of, paging, name, schemas));
  const counted = besides.find(({ kind }) => kind === 'count')?.name;
  const more = besides.find(({ kind }) => kind === 'more')?.name;
  const others = besides.flatMap((one) => (one.kind === 'code' ? one.code : []));
  const facts = besides.flatMap((one) => (one.kind === 'page' ? one : []));
  const isCounted = counted !== undefined || facts.length > 0;
  checkFits(of, inside, []);
  const { formats } = viewSchemas(document, inside.beside.get(counted ?? '') ?? [], 'response');
  of.calls.push('list');
  const { variables, code, converted } = pathOf(of, inside.property ?? '', counted ?? '');
  const isAsked = paging.query !== undefined && paging.names.length > 0;
  const given = [...variables, ...(isAsked ? ['query'] : [])];
  const asked = [code, isAsked ? 'query' : ''].filter((part) => part !== '').join(', ');
  const parameters = asked === '' ? '()' : `({ ${asked} })`;
  const rows = `await store.${table.name}.list(${given.join(', ')})`;
  const items = table.kind === 'value' ? `(${rows}).map(({ value }) => value)` : rows;
  const parent = tables.get(table.references.get(table.keys[0]?.name ?? '')?.to ?? '');
  const [first] = variables;
  const check =
    parent && first !== undefined && operation.responses.has('404')
      ? `if (!(await store.${parent.name}.get(${first}))) ${missing(of, first, parent)}\n`
      : '';
  if (!isCounted && more === undefined && check === '' && converted === '')
    return `async ${parameters} => ({ ${head}, body: ${enveloped(inside, items, ...others)} })`;
  const numbered = facts.length > 0 ? paging.numbered : undefined;
  const asNames = numbered?.names.map((name) => name.replace(/ = .*/, '').replace(/.*: /, '')) ?? [];
  const taken = [...variables, ...asNames, 'query', 'store'];
  const free = (name: string, other: string) =>
    isFreeIn('handler', name) && !taken.includes(name) ? name : other;
  const list = free(inside.property ?? table.name, 'items');
  taken.push(list);
  const total = free(counted ?? '', 'count');
  const filters = [...variables, ...(paging.filters.length > 0 ? ['query'] : [])].join(', ');
  if (isCounted) of.calls.push('count');
  const inAll = `await store.${table.name}.count(${filters})`;
  const isInt64 = facts.length === 0 && formats.has('int64');
  const count = isCounted ? `const ${total} = ${isInt64 ? `BigInt(${inAll})` : inAll};\n` : '';
  // A number that is computed has a name.
  const named = (code: string, name: string) => (/^\w+$/.test(code) ? code : free(name, `${name}Here`));
  const ofPage = numbered && {
    page: named(numbered.page, 'pageNumber'),
    size: named(numbered.size, 'pageSize'),
    count: total,
  };
  const numbers = numbered
    ? [
        `const { ${numbered.names.join(', ')} } = query;\n`,
        ...(['page', 'size'] as const).map((one) =>
          ofPage?.[one] === numbered[one] ? '' : `const ${ofPage?.[one]} = ${numbered[one]};\n`,
        ),
      ].join('')
    : '';
  const told = facts.map(({ name, schemas }) =>
    memberCode(name, codeOf(ofPage && pageFact(document, name, schemas, ofPage))),
  );
  const { limit, before } = paging;
  const all = free('found', 'rows');
  // One more than a page tells whether there are more.
  const page =
    more === undefined || limit === undefined
      ? `const ${list} = ${items};`
      : `const { ${limit.taken} } = query;
    const ${all} = ${items.replace(/query\)/, `{ ...query, ${propertyName(limit.name)}: ${limit.variable} + 1 })`)};
    const ${list} = ${before === undefined ? '' : `query${isIdentifier(before.name) ? `.${before.name}` : `[${quoted(before.name)}]`} !== undefined ? ${all}.slice(-${limit.variable}) : `}${all}.slice(0, ${limit.variable});`;
  const body = enveloped(
    inside,
    list,
    ...(counted === undefined
      ? []
      : [memberCode(counted, facts.length > 0 && formats.has('int64') ? `BigInt(${total})` : total)]),
    ...told,
    ...(more === undefined || limit === undefined
      ? []
      : [`${propertyName(more)}: ${all}.length > ${limit.variable}`]),
    ...others,
  );
  return `async ${parameters} => {
    ${converted}${check}${numbers}${page}
    ${count}return { ${head}, body: ${body} };
  }`;
}
