/** What the user should know of a document: one sentence each. */
import { isObject, jsonPath, type OpenApiDocument } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { says } from './errors/error-body';
import { type OtherBody, succeedsByDefault } from './errors/errors';
import type { Lack } from './lack';
import type { Action } from './overlay';
import { isRetriable } from './idempotent';
import type { Written } from './tables/stores';
import { conflictOf, type Table } from './tables/tables';

/** @param actions those that lead to the document */
export const notesOn = (
  document: OpenApiDocument,
  operations: readonly Operation[],
  tables: readonly Table[],
  actions: readonly Action[],
  others: readonly OtherBody[],
  lacks: readonly Lack[],
  written: readonly Written[],
): string[] => [
  ...successes(document, operations, actions),
  ...conflicts(document, tables),
  ...undecided(operations),
  ...neededBodies(lacks),
  ...unusedParameters(written),
  ...wordless(others),
  ...leftOut(actions.filter(({ remove }) => remove)),
];

/** What stands for a success that the document does not have. */
function successes(
  document: OpenApiDocument,
  operations: Iterable<Operation>,
  actions: readonly Action[],
): string[] {
  const proposed = new Set(
    actions.flatMap(({ target, update }) =>
      isObject(update) && isObject(update['responses']) ? target : [],
    ),
  );
  return [...operations].flatMap((operation) => {
    const { operationId } = operation;
    if (proposed.has(jsonPath(document, operation.pointer)))
      return `${operationId} documents no success response: openapi/overlay.yaml proposes 204. Add the right 2XX response to the document or to the overlay`;
    return succeedsByDefault(operation)
      ? `${operationId} documents no success response except default, so its handler answers 200: openapi/overlay.yaml adds 4XX for errors`
      : [];
  });
}

/** Where the document does not say which status an invalid request has. */
function undecided(operations: readonly Operation[]): string[] {
  const [first, ...others] = operations.filter(
    (operation) =>
      operation.responses.has('400') && operation.responses.has('422') && !isRetriable(operation),
  );
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return first
    ? [
        `${first.operationId}${more}: 400 and 422 are documented, and invalid requests get 400. For 422, change invalidRequest in src/errors.ts`,
      ]
    : [];
}

/** The bodies that the overlay requires. */
function neededBodies(lacks: readonly Lack[]): string[] {
  const [first, ...others] = lacks.filter((lack) => 'body' in lack);
  if (!first) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return [
    `${first.operation.operationId}${more}: openapi/overlay.yaml requires the request body, because its schema requires properties`,
  ];
}

/** Handlers that leave a documented parameter to the team. */
function unusedParameters(written: readonly Written[]): string[] {
  const [first, ...others] = written.filter(({ unused }) => unused.length > 0);
  if (!first) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return [
    `${first.operation.operationId}${more}: the document does not say what ${first.unused.join(' and ')} changes, so the handler does not use it. Search src/handlers for "To do"`,
  ];
}

/** Where no part of an error body is known to be for a sentence. */
function wordless(others: readonly OtherBody[]): string[] {
  const [first, ...more] = others.filter(({ shape }) => shape !== undefined && !says(shape));
  if (!first) return [];
  const named = `the ${first.status} of ${first.operationId}${more.length > 0 ? ` (and of ${more.length} more)` : ''}`;
  return [`${named} has no property for the error message: add \`message\` in OTHERS of src/errors.ts`];
}

/** One line for each reason. */
function leftOut(removed: readonly Action[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const { target, description = '' } of removed)
    reasons.set(description, [...(reasons.get(description) ?? []), target]);
  return [...reasons].map(([reason, [first = '', ...others]]) => {
    const more = others.length > 0 ? `, and ${others.length} more` : '';
    return `${reason} (${first}${more})`;
  });
}

/** A sentence for each 409 of which the document does not tell what two objects may not share. */
function conflicts(document: OpenApiDocument, tables: readonly Table[]): string[] {
  return tables.flatMap(({ stored, unique, source, file }) => {
    const { create } = stored ?? {};
    const said = conflictOf(document, create);
    if (!create || said === undefined || unique || source === 'given' || source === 'either') return [];
    return `${create.operationId} documents 409${said === '' ? '' : ` (${said})`}: no column in src/storage/${file}.ts is unique(). Write there, or in its handler, when it responds with 409`;
  });
}
