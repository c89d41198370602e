/** Decides every file of a new service from its document. */
import {
  compileContract,
  isObject,
  jsonPath,
  OpenApiDocument,
  type Operation,
  type ServedOperation,
} from '../../src/contract';
import { ERRORS } from '../../src/runtime';
import type { Source } from '../source/source';
import { collectionsOf } from './collections';
import { documentFiles } from './document-files';
import {
  type ErrorBody,
  errorResponses,
  type OtherBody,
  otherBodies,
  ownKinds,
  succeedsByDefault,
  usualErrorBody,
} from './errors';
import { loginsOf } from './logins';
import type { Names } from './names';
import { type Action, overlayFor } from './overlay';
import { filledLayout } from './places';
import { allPathParameters, listedIn, resourcesOf } from './resources';
import { schemesOf } from './schemes';
import { toServable } from './servable';
import { examplesFile, prepare, storedExamples } from './tests';
import { typesOf } from './types';
import { undocumented, type Users, usersOf, userScenario } from './user-code';
import { userExamples } from './user-examples';

export interface Layout {
  /** The text of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** What the user should know: one sentence each. */
  readonly notes: readonly string[];
}

/**
 * @param tarball the name of the package in vendor/
 * @throws {InvalidContract} if a part of the document can neither be served nor left out
 */
export async function layOut(source: Source, names: Names, tarball: string): Promise<Layout> {
  const { root, actions, total } = toServable(source.document);
  const servable = new OpenApiDocument(root);
  const given = [...compileContract(servable).served.values()];
  const resources = resourcesOf(servable, given);
  const found = usualErrorBody(servable, errorResponses(servable, given));
  const parameters = [
    ...resources.flatMap((resource) => resource.parameters),
    ...allPathParameters(servable, given, resources),
  ];
  const { logins, notes: userNotes } = loginsOf(
    servable,
    given.map(({ operation }) => operation),
  );
  const requests = logins && userExamples(servable, logins);
  const overlay = await overlayFor(
    source.document,
    servable,
    given,
    [...actions, ...(requests?.login.actions ?? []), ...(requests?.register?.actions ?? [])],
    found,
    parameters,
    logins && undocumented(logins),
  );

  // The published document, as `make generate` makes it.
  const document = new OpenApiDocument(overlay.root);
  const served = [...compileContract(document).served.values()];
  const operations = served.map(({ operation }) => operation);
  const responses = errorResponses(document, served);
  const { usual } = overlay;
  const documented = responses.find(({ content }) =>
    content.some(
      ({ key, schema = '' }) => key === usual.mediaType && document.follow(schema).pointer === usual.schema,
    ),
  );
  const typeOf = typesOf(document);
  const kinds = ownKinds(responses);
  const again = requests && loginsOf(document, operations).logins;
  const users = again && usersOf(document, served, again, requests.login.value);
  const scenario = again && userScenario(again, requests);
  const prepared = prepare(document, served, resources, kinds);
  const examples = storedExamples(document, resources);
  const { name, files, note } = documentFiles(source, names.kebab);
  const stored = [...resources, ...listedIn(document, served, resources)];

  return {
    notes: [
      ...(note === undefined ? [] : [`openapi/${name} is ${note}`]),
      ...(found
        ? []
        : [
            `the document has no error body: openapi/overlay.yaml adds that of RFC 9457. For another one, add its schema to the document, change the overlay, and src/errors.ts with it`,
          ]),
      ...userNotes,
      ...(users?.notes ?? []),
      ...successes(document, operations, actions),
      ...leftOut(actions.filter(({ remove }) => remove)),
      `served ${operations.length} of ${total} operations`,
    ],
    files: {
      ...filledLayout({
        names,
        document: name,
        tarball,
        schemes: schemesOf(document, operations).filter(({ name }) => name !== users?.scheme),
        users,
        collections: collectionsOf(stored, names, typeOf),
        kinds: [...kinds, ...(users?.kinds ?? [])],
        usual,
        errorType: typeOf({
          schema: usual.schema,
          operationId: documented?.served.operation.operationId ?? '',
          status: documented?.key ?? '',
          mediaType: usual.mediaType ?? '',
        }),
        others: [
          ...otherBodies(document, served, usual),
          ...(users ? ownBodies(document, served, usual, users) : []),
        ],
        examples,
        absent: operations.filter((one) => one.responses.has('404')).map(({ operationId }) => operationId),
        sequences: [...prepared.sequences, ...(scenario ?? [])],
        todo: prepared.todo.filter(({ obligation }) => !users?.isProven(obligation)),
      }),
      ...users?.files,
      ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`openapi/${file}`, text])),
      'openapi/overlay.yaml': overlay.text,
      ...(examples.length > 0 && { 'tests/contract/examples.json': examplesFile(examples) }),
    },
  };
}

/** The bodies with which users are refused, where they are not the usual one. */
function ownBodies(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  usual: ErrorBody,
  { kinds, refusals }: Users,
): OtherBody[] {
  return kinds.flatMap(({ kind, ...code }) => {
    const refusing = served.filter(({ operation }) => refusals[kind]?.includes(operation.operationId));
    const isCommon = Object.values(ERRORS).some(({ status }) => status === code.status);
    return isCommon
      ? []
      : otherBodies(document, refusing, usual, () => [{ message: 'a sentence', kind, ...code }]);
  });
}

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
      return `${operationId} documents no success: openapi/overlay.yaml proposes 204. Add the right 2XX to the document, or there`;
    return succeedsByDefault(operation)
      ? `${operationId} documents no success but default, which its handler answers with 200: openapi/overlay.yaml adds 4XX for its errors`
      : [];
  });
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
