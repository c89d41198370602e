/** What the document lets prepare of the contract tests of a service, and what is left to do. */
import {
  compilePattern,
  isObject,
  joinPointer,
  type OpenApiDocument,
  samples,
  type ServedOperation,
  stringifyJson,
  type SchemaView,
  successOf,
  viewSchemas,
} from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { quoted } from '../generate/handler-names';
import { codeOf, propertyName } from './code';
import { isRetriable } from './idempotent';
import type { OwnKind } from './errors/errors';
import { keyValue } from './tables/path-keys';
import { idOf, type Resource, successBody } from './tables/resources';
import { insideOf, within } from './errors/envelopes';
import type { Stores } from './tables/stores';
import type { Table } from './tables/tables';
import { handledValue } from './types';

export interface Sequence {
  readonly title: string;
  /** The code of each step. */
  readonly steps: readonly string[];
  /** The responses that it proves: an operationId and a status. */
  readonly proves: readonly string[];
}

/** A promise of the document that only the team can prove. */
export interface Todo {
  readonly obligation: string;
  readonly reason: string;
}

/** The scenarios that follow from the document, and an item for each response of a handler that none of them proves. */
export function prepare(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  resources: readonly Resource[],
  kinds: readonly OwnKind[],
  { tables, written }: Pick<Stores, 'tables' | 'written'>,
): { readonly sequences: readonly Sequence[]; readonly todo: readonly Todo[] } {
  const none = kinds.find(({ status }) => status === 404);
  const sequences: Sequence[] = resources.flatMap((resource) => lifeOf(document, served, resource, none));
  // What is below another resource is absent first.
  const inner = resources.toSorted((a, b) => b.parameters.length - a.parameters.length);
  for (const { operation } of served) {
    const absence = none && absenceOf(document, operation, inner, none);
    if (absence) sequences.push(absence);
  }
  for (const { operation, rejections } of written) {
    const isOf = ({ stored }: Table) =>
      stored?.create === operation || (stored && 'read' in stored && stored.replace === operation);
    const table = tables.find(isOf);
    const create = table?.stored?.create;
    const kind = kinds.find(({ status }) =>
      rejections.some((rejection) => rejection.rule === 'unique' && rejection.status === status),
    );
    if (!table || !create || !kind) continue;
    const given = table.source === 'either' ? wholeBody(document, create) : '';
    sequences.push({
      title: `${operation.operationId}: the ${(table.unique ?? table.keys.at(-1))?.name} is taken`,
      steps: [stepOf(create, given, 'success'), stepOf(operation, given, kind.kind)],
      proves: [`${operation.operationId} ${kind.status}`],
    });
  }
  const proven = new Set(sequences.flatMap(({ proves }) => proves));
  const rejects = (operationId: string, status: number) =>
    written.some(
      ({ operation, rejections }) =>
        operation.operationId === operationId && rejections.some((rejection) => rejection.status === status),
    );
  const repeats = (operation: Operation) =>
    isRetriable(operation) && written.some((one) => one.operation.operationId === operation.operationId);
  const todo = served.flatMap(({ operation }) => {
    const { operationId, responses } = operation;
    return (
      kinds
        .map(({ status }) => String(status))
        // The server itself answers these, and the prover knows.
        .filter((key) => !repeats(operation) || (key !== '409' && key !== '422'))
        .filter(
          (key) =>
            responses.has(key) && !proven.has(`${operationId} ${key}`) && !rejects(operationId, Number(key)),
        )
        // An invalid request shows it.
        .filter((key) => key !== '422' || responses.has('400'))
        .map((key) => ({
          obligation: `${operationId} | response | ${key} | *`,
          reason: `to do: write a scenario that ends in ${key}, then delete this line`,
        }))
    );
  });
  return { sequences, todo };
}

/** A body with all properties, the key that a client may leave out among them. */
function wholeBody(document: OpenApiDocument, { requestBody }: Operation): string {
  const [sample] = samples(document, requestBody?.content[0]?.schema ?? '', 'request');
  return sample === undefined ? '' : `body: ${quoted(stringifyJson(sample))}, `;
}

const documents = (operation: Operation, kind: OwnKind | undefined): kind is OwnKind =>
  kind !== undefined && operation.responses.has(String(kind.status));

const stepOf = ({ operationId }: Operation, parameters: string, expect: string, answer = ''): string =>
  `{ operation: ${quoted(operationId)}, ${parameters}expect: ${quoted(expect)}${answer} }`;

/** What a user sees may differ from what all do: where an operation takes credentials or none, who creates also reads. */
function asUser({ security }: Operation): string {
  const some = security.find((alternative) => alternative.length > 0);
  return some && security.some((alternative) => alternative.length === 0)
    ? `security: ${codeOf(some.map(({ scheme }) => scheme))}, `
    : '';
}

/** Create, read and delete, where the document has these operations. */
function lifeOf(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  { create, read, remove, parameters, name, body, inside }: Resource,
  none: OwnKind | undefined,
): Sequence[] {
  const key = parameters.at(-1);
  const made = create && served.find(({ operation }) => operation.operationId === create.operationId);
  const answered = made && successBody(document, made.operation);
  if (!answered || !key) return [];
  const one = insideOf(document, [answered.schema], 'response', 'one');
  const id = idOf(within(one, successOf(document, made)?.body), key.name);
  if (id === undefined || one.isList) return [];
  const steps = one.property === undefined ? [] : [one.property];
  const created = `parameters: (answerTo) => ({ ${propertyName(key.name)}: answerTo(1).at(${quoted(joinPointer('', ...steps, id))}) }), `;
  // What was created is read as it was answered.
  const isSame = document.follow(answered.schema).pointer === document.follow(body.schema).pointer;
  const same = isSame ? '' : one.property === inside.property ? joinPointer('', ...steps) : undefined;
  const equal =
    same === undefined
      ? ''
      : `, answer: (answerTo) => ({ ${quoted(same)}: answerTo(1).at(${quoted(same)}) })`;
  // A deletion with a body may leave something to read, and 410 is another answer.
  const leavesNothing = [...(remove?.responses ?? [])].every(
    ([key, { content }]) => !key.startsWith('2') || content.length === 0,
  );
  const gone =
    remove && leavesNothing
      ? [read, remove].filter((operation) => documents(operation, none) && !operation.responses.has('410'))
      : [];
  return [
    {
      title: `${name}: what is created can be read${remove ? ', until it is deleted' : ''}`,
      steps: [
        stepOf(made.operation, '', 'success'),
        stepOf(read, `${created}${asUser(read)}`, 'success', equal),
        ...(remove ? [stepOf(remove, created, 'success')] : []),
        ...gone.map((operation) => stepOf(operation, created, none?.kind ?? '')),
      ],
      proves: gone.map(({ operationId }) => `${operationId} ${none?.status}`),
    },
  ];
}

/** An operation on one resource, or below it, with a key that names none. */
function absenceOf(
  document: OpenApiDocument,
  operation: Operation,
  resources: readonly Resource[],
  none: OwnKind,
): Sequence | undefined {
  const { operationId, paths } = operation;
  const resource = resources.find(({ read }) => `${paths[0]}/`.startsWith(`${read.paths[0]}/`));
  const key = resource?.parameters.at(-1);
  const other = key && otherThan(document, key.schema, key.example);
  if (!key || other === undefined || !documents(operation, none)) return undefined;
  return {
    title: `${operationId}: not found`,
    steps: [stepOf(operation, `parameters: ${codeOf({ [key.name]: other })}, `, none.kind)],
    proves: [`${operationId} ${none.status}`],
  };
}

/** Another value of a schema, for a key that nothing has. */
export function otherThan(document: OpenApiDocument, schema: string, example: unknown): unknown {
  const view = viewSchemas(document, [schema], 'request');
  if (view.values) return undefined;
  const same = stringifyJson(example);
  const plain = view.patterns.size + view.formats.size === 0 && view.types.has('string') ? ['none-such'] : [];
  const length = Number(view.most.get('Length')?.value ?? Infinity);
  const all: unknown[] = [
    ...(isInteger(example) && view.multiples.size === 0 ? otherInteger(view, BigInt(example)) : []),
    ...plain.filter((text) => text.length <= length),
    ...(view.formats.has('uuid') ? ['ffffffff-ffff-4fff-8fff-ffffffffffff'] : []),
    ...samples(document, schema, 'request'),
    ...(typeof example === 'string' ? endings(example, [...view.patterns]) : []),
  ];
  return all.find((value) => stringifyJson(value) !== same && !isObject(value));
}

/** Texts that match the patterns as another one does, but for the last character: of a pattern there may be one sample. */
const endings = (text: string, patterns: readonly string[]): string[] =>
  patterns.length === 0
    ? []
    : '1 2 3 a b c A B C'
        .split(' ')
        .map((last) => text.slice(0, -1) + last)
        .filter((one) => patterns.every((pattern) => compilePattern(pattern).test(one)));

const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isInteger(value);

/** Another integer within the bounds, if there is one: a large one, which a service that counts has not reached. */
function otherInteger({ least, most }: SchemaView, example: bigint): (number | bigint)[] {
  const [low, high] = [least.get('imum'), most.get('imum')];
  const isWithin = (value: bigint) =>
    (!low || (low.exclusive ? value > low.value : value >= low.value)) &&
    (!high || (high.exclusive ? value < high.value : value <= high.value));
  return [999_999n, example + 1n, example - 1n]
    .filter((value) => value !== example && isWithin(value))
    .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
}

/** An object that is stored before each test: the example of a path. */
export interface StoredExample {
  readonly table: Table;
  /** As its table takes it. */
  readonly value: object;
  readonly keys: Readonly<Record<string, unknown>>;
}

/** The objects that the examples of paths name, those that others refer to first. */
export function storedExamples(document: OpenApiDocument, tables: readonly Table[]): StoredExample[] {
  const found = new Map<string, StoredExample>();
  for (const table of tables) {
    const { stored, keys, kind, unique, references } = table;
    if (!stored || !('read' in stored) || stored.example === undefined) continue;
    const own: Readonly<Record<string, unknown>> = Object.fromEntries(
      keys.map(({ name, type, parameter }) => [
        name,
        keyValue(type, stored.parameters.find((one) => one.name === parameter)?.example),
      ]),
    );
    if (Object.values(own).includes(undefined)) continue;
    const given = handledValue(document, stored.inside.schemas, stored.example);
    if (kind === 'value') {
      found.set(table.name, { table, value: { ...own, value: given }, keys: own });
      continue;
    }
    const value: Record<string, unknown> = { ...(isObject(given) ? given : {}), ...own };
    const { columns } = table;
    if (columns.some(({ name, required, nullable }) => required && !nullable && value[name] === undefined))
      continue;
    if (kind === 'columns')
      for (const name of Object.keys(value))
        if (![...columns, ...keys].some((column) => column.name === name))
          Reflect.deleteProperty(value, name);
    // Another than that of the request that creates one.
    if (unique)
      value[unique.name] =
        otherThan(document, unique.schemas[0] ?? '', value[unique.name]) ?? value[unique.name];
    for (const [name, { to, column }] of references) {
      const target = found.get(to)?.keys[column];
      if (Object.hasOwn(value, name) && target !== undefined) value[name] = target;
    }
    // The database counts the first: one that is given would not be counted.
    const [key = ''] = keys.map(({ name }) => name).slice(-1);
    const isFirst = table.source === 'counted' && String(value[key]) === '1';
    const others = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    found.set(table.name, { table, value: isFirst ? others : value, keys: own });
  }
  return [...found.values()];
}

/** The text of tests/contract/examples.json, in which integers of 64 bits are marked. */
export const examplesFile = (examples: readonly StoredExample[]): string =>
  `${JSON.stringify(
    Object.fromEntries(examples.map(({ table, value }) => [table.name, value])),
    (_, value: unknown) => (typeof value === 'bigint' ? { $int64: String(value) } : value),
    2,
  )}\n`;
