/** Decides every file of a new service from its document. */
import {
  compileContract,
  examplesOf,
  isObject,
  joinPointer,
  jsonPath,
  OpenApiDocument,
  type Operation,
  samples,
  type ServedOperation,
  viewSchemas,
} from '../../src/contract';
import { ERRORS } from '../../src/runtime';
import { handlerName } from '../generate/handler-names';
import type { Source } from '../source/source';
import { lacking, storesOf } from './stores';
import { description, type Table, tablesOf } from './tables';
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
import { askedOf, bodySchemas, within } from './envelopes';
import { allPathParameters, listedIn, type PathParameter, type Resource, resourcesOf } from './resources';
import { schemesOf } from './schemes';
import { toServable } from './servable';
import { examplesFile, otherThan, prepare, storedExamples } from './tests';
import { typesOf } from './types';
import { undocumented, type Users, usersOf, userScenario } from './user-code';
import { userExamples } from './user-examples';

export interface Layout {
  /** The text of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** What the user should know: one sentence each. */
  readonly notes: readonly string[];
  /** The operations whose handlers are among the files. */
  readonly handlers: readonly Operation[];
}

/**
 * @param tarball the name of the package in vendor/
 * @throws {InvalidContract} if a part of the document can neither be served nor left out
 */
export async function layOut(source: Source, names: Names, tarball: string): Promise<Layout> {
  const { root, actions, total } = toServable(source.document);
  const servable = new OpenApiDocument(root);
  const given = [...compileContract(servable).served.values()];
  const read = resourcesOf(servable, given).map((resource) => apart(servable, resource));
  const errors = errorResponses(servable, given);
  const found = usualErrorBody(servable, errors);
  const parameters = [
    ...read.flatMap((resource) => resource.parameters),
    ...allPathParameters(servable, given, read),
    ...referenceExamples(servable, tablesOf(servable, read, names)),
  ];
  const { logins, notes: userNotes } = loginsOf(
    servable,
    given.map(({ operation }) => operation),
  );
  const requests = logins && userExamples(servable, logins);
  // Users have a table of their own.
  const storedOf = (
    document: OpenApiDocument,
    served: readonly ServedOperation[],
    resources: readonly Resource[],
  ) =>
    [...resources, ...listedIn(document, served, resources)].filter(
      ({ name, create }) =>
        !logins ||
        (name !== 'users' && create?.operationId !== (logins.register?.operation.operationId ?? '')),
    );
  const overlay = await overlayFor(
    source.document,
    servable,
    given,
    [...actions, ...(requests?.login.actions ?? []), ...(requests?.register?.actions ?? [])],
    found,
    parameters,
    [
      ...(logins ? undocumented(logins) : []),
      ...lacking(servable, tablesOf(servable, storedOf(servable, given, read), names), {
        usual: found,
        others: found ? otherBodies(servable, given, found) : [],
        kinds: ownKinds(errors),
      }),
    ],
  );

  // The published document, as `make generate` makes it.
  const document = new OpenApiDocument(overlay.root);
  const served = [...compileContract(document).served.values()];
  const operations = served.map(({ operation }) => operation);
  const resources = resourcesOf(document, served).map((resource) => apart(document, resource));
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
  const others = otherBodies(document, served, usual);
  const tables = tablesOf(document, storedOf(document, served, resources), names);
  const ids = operations.map(({ operationId }) => operationId);
  const stores = storesOf(document, tables, typeOf, { usual, others, kinds }, ids);
  const examples = storedExamples(document, tables);
  const prepared = prepare(document, served, resources, kinds, stores);
  const scenario = again && userScenario(again, requests);
  const { name, files, note } = documentFiles(source, names.kebab);

  return {
    handlers: stores.written.flatMap(({ operation, code }) =>
      code === undefined ||
      `src/handlers/${handlerName(operation.operationId).file}.ts` in (users?.files ?? {})
        ? []
        : operation,
    ),
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
      ...conflicts(document, tables),
      ...undecided(operations),
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
        stores,
        kinds: [...kinds, ...(users?.kinds ?? [])],
        usual,
        errorType: typeOf({
          schema: usual.schema,
          operationId: documented?.served.operation.operationId ?? '',
          status: documented?.key ?? '',
          mediaType: usual.mediaType ?? '',
        }),
        others: [...others, ...(users ? ownBodies(document, served, usual, users) : [])],
        examples,
        absent: operations.filter((one) => one.responses.has('404')).map(({ operationId }) => operationId),
        sequences: [...prepared.sequences, ...(scenario ?? [])],
        todo: prepared.todo.filter(({ obligation }) => !users?.isProven(obligation)),
      }),
      ...stores.files,
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

/** Where the document does not say which status an invalid request has. */
function undecided(operations: readonly Operation[]): string[] {
  const [first, ...others] = operations.filter(
    ({ responses }) => responses.has('400') && responses.has('422'),
  );
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return first
    ? [
        `${first.operationId}${more}: 400 and 422 are documented, and invalid requests get 400. For 422, change invalidRequest in src/errors.ts`,
      ]
    : [];
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

/** A resource whose example is not that of the request that creates one, where the client chooses the key. */
function apart(document: OpenApiDocument, resource: Resource): Resource {
  const { create, parameters, id } = resource;
  const key = parameters.at(-1);
  const schemas = create ? bodySchemas(document, create) : [];
  const view = viewSchemas(document, schemas, 'request');
  if (!key || key.given || id === undefined || !view.properties.has(id) || view.withheld.has(id))
    return resource;
  const example = otherThan(document, key.schema, key.example) ?? key.example;
  return { ...resource, parameters: [...parameters.slice(0, -1), { ...key, example }] };
}

/** An example of each request that refers to another object: to the one that the example of its path names. */
function referenceExamples(document: OpenApiDocument, tables: readonly Table[]): PathParameter[] {
  return tables.flatMap(({ stored, references }) => {
    const resource: Partial<Resource> = stored ?? {};
    return [resource.create, resource.replace, resource.patch].flatMap((operation): PathParameter[] => {
      const [media] = operation?.requestBody?.content ?? [];
      const inside = operation && askedOf(document, operation);
      if (!operation || !inside || media?.schema === undefined) return [];
      const { properties } = viewSchemas(document, inside.schemas, 'request');
      const named = [...references].filter(([name]) => properties.has(name));
      const [body] = samples(document, media.schema, 'request');
      const one = within(inside, body);
      if (named.length === 0 || !isObject(body) || !isObject(one)) return [];
      const given = Object.fromEntries(named.map(([name, { to }]) => [name, exampleOf(tables, to)]));
      const example =
        inside.property === undefined
          ? { ...body, ...given }
          : { ...body, [inside.property]: { ...one, ...given } };
      const { pointer } = document.follow(joinPointer(operation.pointer, 'requestBody'));
      const place = joinPointer(pointer, 'content', media.key);
      return [
        { name: '', pointer: place, schema: '', example, given: examplesOf(document, place).length > 0 },
      ];
    });
  });
}

/** The key of the object of a table that the example of its path names. */
function exampleOf(tables: readonly Table[], name: string): unknown {
  const stored = tables.find((one) => one.name === name)?.stored;
  return stored && 'read' in stored ? stored.parameters.at(-1)?.example : undefined;
}

/** A sentence for each 409 of which the document does not tell what two objects may not share. */
function conflicts(document: OpenApiDocument, tables: readonly Table[]): string[] {
  return tables.flatMap(({ stored, unique, source, file }) => {
    const { create } = stored ?? {};
    if (!create?.responses.has('409') || unique || source === 'given') return [];
    const said = description(document, create, '409');
    return `${create.operationId} documents 409${said === '' ? '' : ` (${said})`}: src/storage/${file}.ts has no column for it that is unique(). Write there, or in its handler, when it answers so`;
  });
}
