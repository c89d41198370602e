/** What the document lets prepare of the contract tests of a service, and what is left to do. */
import {
  isObject,
  joinPointer,
  type OpenApiDocument,
  type Operation,
  samples,
  type ServedOperation,
  stringifyJson,
  type SchemaView,
  successOf,
  viewSchemas,
} from '../../src/contract';
import { quoted } from '../generate/handler-names';
import { codeOf, propertyName } from './error-body';
import type { OwnKind } from './errors';
import { idOf, type Resource } from './resources';
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
): { readonly sequences: readonly Sequence[]; readonly todo: readonly Todo[] } {
  const none = kinds.find(({ status }) => status === 404);
  const sequences: Sequence[] = resources.flatMap((resource) => lifeOf(document, served, resource, none));
  // What is below another resource is absent first.
  const inner = resources.toSorted((a, b) => b.parameters.length - a.parameters.length);
  for (const { operation } of served) {
    const absence = none && absenceOf(document, operation, inner, none);
    if (absence) sequences.push(absence);
  }
  const proven = new Set(sequences.flatMap(({ proves }) => proves));
  const todo = served.flatMap(({ operation: { operationId, responses } }) =>
    kinds
      .map(({ status }) => String(status))
      .filter((key) => responses.has(key) && !proven.has(`${operationId} ${key}`))
      .map((key) => ({
        obligation: `${operationId} | response | ${key} | *`,
        reason: `to do: write a scenario that ends in ${key}, then delete this line`,
      })),
  );
  return { sequences, todo };
}

const documents = (operation: Operation, kind: OwnKind | undefined): kind is OwnKind =>
  kind !== undefined && operation.responses.has(String(kind.status));

const stepOf = ({ operationId }: Operation, parameters: string, expect: string): string =>
  `{ operation: ${quoted(operationId)}, ${parameters}expect: ${quoted(expect)} }`;

/** Create, read and delete, where the document has these operations. */
function lifeOf(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  { create, read, remove, parameters, name }: Resource,
  none: OwnKind | undefined,
): Sequence[] {
  const key = parameters.at(-1);
  const made = create && served.find(({ operation }) => operation.operationId === create.operationId);
  const id = made && key && idOf(successOf(document, made)?.body, key.name);
  if (!made || !key || id === undefined) return [];
  const created = `parameters: (answerTo) => ({ ${propertyName(key.name)}: answerTo(1).at(${quoted(joinPointer('', id))}) }), `;
  const gone = remove ? [read, remove].filter((operation) => documents(operation, none)) : [];
  return [
    {
      title: `${name}: what is created can be read${remove ? ', until it is deleted' : ''}`,
      steps: [
        stepOf(made.operation, '', 'success'),
        stepOf(read, created, 'success'),
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
    title: `${operationId}: there is none`,
    steps: [stepOf(operation, `parameters: ${codeOf({ [key.name]: other })}, `, none.kind)],
    proves: [`${operationId} ${none.status}`],
  };
}

/** Another value of a schema, for a key that nothing has. */
function otherThan(document: OpenApiDocument, schema: string, example: unknown): unknown {
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
  ];
  return all.find((value) => stringifyJson(value) !== same && !isObject(value));
}

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
  /** The name of its collection. */
  readonly name: string;
  readonly key: string;
  readonly value: unknown;
}

export function storedExamples(document: OpenApiDocument, resources: readonly Resource[]): StoredExample[] {
  return resources.flatMap(({ name, parameters, example, body, id }) => {
    const key = parameters.at(-1)?.example;
    if (key === undefined || example === undefined) return [];
    const fits =
      isObject(example) &&
      id !== undefined &&
      (typeof example[id] === typeof key || (isInteger(example[id]) && isInteger(key)));
    const value = handledValue(document, [body.schema], fits ? { ...example, [id]: key } : example);
    return [{ name, key: typeof key === 'string' ? key : stringifyJson(key), value }];
  });
}

/** The text of tests/contract/examples.json, in which integers of 64 bits are marked. */
export const examplesFile = (examples: readonly StoredExample[]): string =>
  `${JSON.stringify(
    Object.fromEntries(examples.map(({ name, value }) => [name, value])),
    (_, value: unknown) => (typeof value === 'bigint' ? { $int64: String(value) } : value),
    2,
  )}\n`;
