/** Writes tests/contract/ of a service: what the document lets prepare, and what is left to do. */
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
import { literal, propertyName, quoted } from './error-body';
import type { Collection } from './domain-files';
import { distinguishing, type OwnKind } from './errors-file';
import type { Names } from './names';
import { idOf, type Resource } from './resources';
import type { ErrorBody } from './survey';
import type { Types } from './types';

interface Sequence {
  readonly title: string;
  readonly steps: readonly string[];
  /** The responses that it proves: an operationId and a status. */
  readonly proves: readonly string[];
}

/** A promise of the document that only the team can prove. */
export interface Todo {
  readonly obligation: string;
  readonly reason: string;
}

export interface Prepared {
  readonly sequences: readonly Sequence[];
  readonly todo: readonly Todo[];
}

/** The scenarios that follow from the document, and an item for each response of a handler that none of them proves. */
export function prepare(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  resources: readonly Resource[],
  kinds: readonly OwnKind[],
): Prepared {
  const none = kinds.find(({ status }) => status === 404);
  const sequences = resources.flatMap((resource) => [
    ...lifeOf(document, served, resource, none),
    ...absenceOf(document, resource, none),
  ]);
  const proven = new Set(sequences.flatMap(({ proves }) => proves));
  const todo = served.flatMap(({ operation }) =>
    [...operation.responses.keys()]
      .filter((key) => kinds.some(({ status }) => String(status) === key))
      .filter((key) => !proven.has(`${operation.operationId} ${key}`))
      .map((key) => ({
        obligation: `${operation.operationId} | response | ${key} | *`,
        reason: `to do: write a scenario that ends in ${key}, then delete this line`,
      })),
  );
  return { sequences, todo };
}

const documents = (operation: Operation, status: number): boolean => operation.responses.has(String(status));

/** Create, read and delete, where the document has these operations. */
function lifeOf(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  resource: Resource,
  none: OwnKind | undefined,
): Sequence[] {
  const { create, read, remove, parameters, name } = resource;
  const key = parameters.at(-1);
  const made = create && served.find(({ operation }) => operation.operationId === create.operationId);
  if (!create || !made || !key) return [];
  const id = idOf(successOf(document, made)?.body, key.name);
  if (id === undefined) return [];
  const pointer = quoted(joinPointer('', id));
  const created = `(answerTo) => ({ ${propertyName(key.name)}: answerTo(1).at(${pointer}) })`;
  const step = ({ operationId }: Operation, expect: string) =>
    `{ operation: ${quoted(operationId)}, parameters: ${created}, expect: ${quoted(expect)} }`;
  const steps = [`{ operation: ${quoted(create.operationId)}, expect: 'success' }`, step(read, 'success')];
  if (!remove) return [{ title: `${name}: what is created can be read`, steps, proves: [] }];
  const gone = [read, remove].filter((operation) => none && documents(operation, none.status));
  return [
    {
      title: `${name}: what is created can be read, until it is deleted`,
      steps: [
        ...steps,
        step(remove, 'success'),
        ...gone.map((operation) => step(operation, none?.kind ?? '')),
      ],
      proves: gone.map(({ operationId }) => `${operationId} ${none?.status}`),
    },
  ];
}

/** Each operation on one resource, with a key that names none. */
function absenceOf(document: OpenApiDocument, resource: Resource, none: OwnKind | undefined): Sequence[] {
  const { read, update, remove, parameters } = resource;
  const key = parameters.at(-1);
  const other = key && otherThan(document, key.schema, key.example);
  if (!none || !key || other === undefined) return [];
  return [read, update, remove].flatMap((operation): Sequence[] => {
    if (!operation || !documents(operation, none.status)) return [];
    const { operationId } = operation;
    const changed = `{ ${propertyName(key.name)}: ${literal(other)} }`;
    return [
      {
        title: `${operationId}: there is none`,
        steps: [
          `{ operation: ${quoted(operationId)}, parameters: ${changed}, expect: ${quoted(none.kind)} }`,
        ],
        proves: [`${operationId} ${none.status}`],
      },
    ];
  });
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
  /** JSON with marked integers of 64 bits. */
  readonly value: unknown;
}

export function storedExamples(resources: readonly Resource[], types: Types): StoredExample[] {
  return resources.flatMap(({ name, parameters, example, schema, id }) => {
    const key = parameters.at(-1)?.example;
    if (key === undefined || example === undefined) return [];
    const fits =
      isObject(example) &&
      id !== undefined &&
      (typeof example[id] === typeof key || (isInteger(example[id]) && isInteger(key)));
    const value = fits ? { ...example, [id]: key } : example;
    return [{ name, key: textOf(key), value: types.example([schema], value) }];
  });
}

/** The text of tests/contract/examples.json. */
export const examplesFile = (examples: readonly StoredExample[]): string =>
  `${JSON.stringify(Object.fromEntries(examples.map(({ name, value }) => [name, value])), undefined, 2)}\n`;

export function serviceFile(
  names: Names,
  prepared: Prepared,
  details: {
    readonly examples: readonly StoredExample[];
    readonly collections: readonly Collection[];
    readonly operations: readonly Operation[];
    readonly kinds: readonly OwnKind[];
    readonly usual: ErrorBody;
    /** Whether every refusal has the usual body. */
    readonly uniform: boolean;
  },
): string {
  const { examples, collections, operations, kinds, usual, uniform } = details;
  const members = uniform ? distinguishing(usual.part) : '';
  const typed = collections.filter(({ name }) => examples.some((example) => example.name === name));
  const storeTypes = [`${names.pascal}Store`, ...typed.map(({ typeName }) => typeName)].join(', ');
  const read = `/** Objects that the examples of path parameters name, by collection. */
const examples = readExamples(path.join(__dirname, 'examples.json')) as {
${typed.map(({ name, typeName }) => `  readonly ${name}: ${typeName};\n`).join('')}};

`;
  const stored = examples.map(
    ({ name, key }) => `  await store.${name}.add(${quoted(key)}, examples.${name});\n`,
  );
  const own = kinds.map(({ kind, status }) => {
    const refusing = status === 404 ? operations.filter((one) => documents(one, status)) : [];
    return `  ${kind}: { status: ${status}, operations: [${refusing.map(({ operationId }) => quoted(operationId)).join(', ')}] },\n`;
  });
  const scenarios = prepared.sequences.map(
    ({ title, steps }) => `  { title: ${quoted(title)}, steps: [${steps.join(', ')}] },\n`,
  );
  const waivers = prepared.todo.map(
    ({ obligation, reason }) => `  { obligation: ${quoted(obligation)}, reason: ${quoted(reason)} },\n`,
  );
  return `import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readDocument } from 'contract-first-server';
import { type OwnRefusal, ${examples.length > 0 ? 'readExamples, ' : ''}type RefusalRule, type Scenario, serviceTarget, type ServiceTarget, type Waiver } from 'contract-first-server/testing';
import { createApp } from '../../src/app';
import { verifiers } from '../../src/auth';
import { errors, ERRORS, type Kind } from '../../src/errors';
import { createHandlers } from '../../src/handlers';
import type { ${storeTypes} } from '../../src/${names.kebab}/${names.kebab}-store';
import { openStore } from '../../src/storage/open';

/** The published document. \`readDocument\` keeps integers beyond 2^53 exact. */
const document = readDocument(readFileSync(path.join(__dirname, '../../generated/openapi.json'), 'utf8'));

${examples.length > 0 ? read : ''}/** A store that holds the objects that the examples of path parameters name. Each test begins with one. */
export async function openExampleStore(): Promise<${names.pascal}Store> {
  const store = await openStore('memory:');
${stored.join('')}  return store;
}

/** How the service refuses a request: the status, and members that the body must have. */
const refusal = (kind: Kind): RefusalRule => ({ status: ERRORS[kind].status${members === '' ? '' : `, body: ${members}`} });

/** Refusals that depend on what is stored. \`operations\`: those that may refuse any valid request so. */
const ownRefusals: Readonly<Record<string, OwnRefusal>> = {
${own.join('')}};

/** Sequences of requests with their expected answers. One waits while a handler that it needs is a stub. */
export const scenarios: readonly Scenario[] = [
${scenarios.join('')}];

/** Promises of the document that no test proves, each with the reason. \`make todo\` lists them. */
export const waivers: readonly Waiver[] = [
${waivers.join('')}];

/** This service as a target of the contract tests. */
export const service = (): ServiceTarget =>
  serviceTarget({
    document,
    openStore: openExampleStore,
    createHandlers,
    createApp,
    errors,
    refusal,
    refusalSchema: ${quoted(usual.schema)},
    verifiers,
    ownRefusals,
    scenarios,
    waivers,
  });
`;
}

const textOf = (key: unknown): string => (typeof key === 'string' ? key : stringifyJson(key));

export const CONTRACT_TEST = `import { describeFailure, run, writeReport } from 'contract-first-server/testing';
import { service } from './service';

test('the server keeps every promise of the document', async () => {
  const result = await run(service());
  writeReport(result, 'reports/contract');
  expect(result.failures.map(describeFailure)).toEqual([]);
  const open = result.obligations.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED');
  expect(open.map(({ state, key, reason }) => \`\${state} \${key}: \${reason}\`)).toEqual([]);
  expect(result.passed).toBe(true);
}, 600_000);
`;
