/** Decides every file of a new service from its document. */
import {
  compileContract,
  examplesOf,
  isObject,
  joinPointer,
  OpenApiDocument,
  samples,
  type ServedOperation,
  viewSchemas,
} from 'contract-first-server/tools';
import {
  compileSent,
  findingLine,
  InvalidContract,
  type JsonObject,
  type Operation,
} from 'contract-first-server';
import type { Source } from '../document/source/source';
import { handlerPath } from './code';
import { curlLines } from './curl';
import { keyValue } from './tables/path-keys';
import { lacking, type Stub, storesOf, wholeOf } from './tables/stores';
import { notesOn } from './notes';
import { ITEMS, type Table, tablesOf } from './tables/tables';
import { documentFiles } from './document-files';
import {
  conformsIn,
  errorResponses,
  otherBodies,
  type OwnKind,
  ownKinds,
  mediaTypeOf,
  usualErrorBody,
} from './errors/errors';
import { loginsOf } from './users/logins';
import type { Names } from './names';
import { NO_EXTRAS } from './extras';
import { overlayFor } from './overlay';
import { filledLayout } from './places';
import { askedOf, bodySchemas, within } from './errors/envelopes';
import {
  allPathParameters,
  listedIn,
  type PathParameter,
  type Resource,
  resourcesOf,
} from './tables/resources';
import { schemesOf } from './schemes';
import { toServable } from './servable';
import { examplesFile, otherThan, prepare, storedExamples } from './tests';
import { typesOf } from './types';
import { undocumented, usersOf } from './users/user-code';
import { userExamples, userScenario } from './users/user-examples';

export interface Layout {
  /** The text of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** What the user should know: one sentence each. */
  readonly notes: readonly string[];
  /** The operations whose handlers are among the files. */
  readonly handlers: readonly Operation[];
  /** The operations on resources whose handlers are stubs, with the reason. */
  readonly stubs: readonly Stub[];
  readonly tables: readonly Table[];
}

/**
 * @param version that of the packages in vendor/
 * @param extras what the service has beside what it needs
 * @param without the files of tables that it does not have: the operations on them are stubs
 * @throws {InvalidContract} if a part of the document can neither be served nor left out
 */
export async function layOut(
  source: Source,
  names: Names,
  version: string,
  extras = NO_EXTRAS,
  without: ReadonlySet<string> = new Set(),
): Promise<Layout> {
  const { root, actions, total, rejected } = toServable(source.document);
  const servable = new OpenApiDocument(root);
  const given = [...compileContract(servable).served.values()];
  const read = below(resourcesOf(servable, given).map((resource) => apart(servable, resource)));
  const errors = errorResponses(servable, given);
  const found = usualErrorBody(servable, errors);
  const parameters = [
    ...read.flatMap((resource) => resource.parameters),
    ...allPathParameters(servable, given, read),
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
  const early = {
    ...{ document: servable, usual: found, kinds: ownKinds(errors) },
    others: found ? otherBodies(servable, given, found, refusedIn(ownKinds(errors))) : [],
    conforms: found ? conformsIn(given, found) : () => false,
  };
  const whole = wholeOf(tablesOf(servable, storedOf(servable, given, read), names), early, without).tables;
  const lacks = lacking(whole, early);
  const overlay = await overlayFor(
    source.document,
    servable,
    given,
    [...actions, ...(requests?.login.actions ?? []), ...(requests?.register?.actions ?? [])],
    found,
    [...parameters, ...referenceExamples(servable, whole)],
    [...(logins ? undocumented(logins) : []), ...lacks],
  );

  // The published document, as `make generate` makes it.
  const document = new OpenApiDocument(overlay.root);
  const served = [...compileContract(document).served.values()];
  const operations = served.map(({ operation }) => operation);
  const resources = resourcesOf(document, served).map((resource) => apart(document, resource));
  const responses = errorResponses(document, served);
  const { usual } = overlay;
  const [documented] = responses.flatMap(({ served: { operation }, key, content }) =>
    content
      .filter((media) => mediaTypeOf(media) === usual.mediaType)
      .filter(({ schema = '' }) => document.follow(schema).pointer === usual.schema)
      .map((media) => ({ operationId: operation.operationId, status: key, mediaType: media.key })),
  );
  const typeOf = typesOf(document);
  const kinds = ownKinds(responses);
  const again = requests && loginsOf(document, operations).logins;
  const users = again && usersOf(document, served, again, requests.login.value);
  const others = otherBodies(document, served, usual, (operation) => [
    ...refusedIn(kinds)(operation),
    ...(users?.kinds ?? []).filter(({ kind }) => users?.refusals[kind]?.includes(operation.operationId)),
  ]);
  const shared = { document, usual, others, kinds, conforms: conformsIn(served, usual) };
  const stored = wholeOf(tablesOf(document, storedOf(document, served, resources), names), shared, without);
  const tables = stored.tables.length > 0 || users ? stored.tables : [ITEMS];
  const ids = operations.map(({ operationId }) => operationId);
  const stores = storesOf(tables, typeOf, shared, ids, stored.stubs);
  const examples = storedExamples(document, tables);
  const prepared = prepare(document, served, resources, kinds, stores);
  const scenario = again && userScenario(again, requests);
  const { name, files, note } = documentFiles(source, names.kebab);
  const sent = sentOf(overlay.root);

  return {
    handlers: operations.filter(
      (operation) =>
        stores.written.some((written) => written.operation === operation) ||
        handlerPath(operation) in { ...users?.files },
    ),
    stubs: stores.stubs,
    tables,
    notes: [
      ...(note === undefined ? [] : [`openapi/${name} is ${note}`]),
      ...(found
        ? []
        : [
            `the document has no error body: openapi/overlay.yaml adds that of RFC 9457. To use another, add its schema to the document, then change the overlay and src/errors.ts`,
          ]),
      ...userNotes,
      ...(users?.notes ?? []),
      ...sent.notes,
      ...notesOn(document, operations, tables, actions, others, lacks, stores.written),
      `served ${operations.length} of ${total} operations${rejected > 0 ? `, ${rejected} rejected by proof` : ''}`,
    ],
    files: {
      ...filledLayout({
        names,
        document: name,
        version,
        extras,
        schemes: schemesOf(document, operations).filter(({ name }) => name !== users?.scheme),
        users,
        senders: sent.names.length > 0,
        curl: curlLines(document, operations),
        stores,
        kinds: [...kinds, ...(users?.kinds ?? [])],
        usual,
        errorType: typeOf({
          ...{ operationId: '', status: '', mediaType: usual.mediaType ?? '' },
          ...documented,
          schema: usual.schema,
        }),
        others,
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

/** The kinds of errors with which the handler of an operation on a table may refuse what conforms to the document. */
const refusedIn =
  (kinds: readonly OwnKind[]) =>
  ({ responses }: Operation): readonly OwnKind[] =>
    kinds.filter(({ status }) => [404, 409, 422].includes(status) && responses.has(String(status)));

/** What the service sends; none with a note, if a part of it cannot be sent. */
function sentOf(root: JsonObject): { readonly names: readonly string[]; readonly notes: readonly string[] } {
  try {
    return { names: [...compileSent(new OpenApiDocument(root)).keys()], notes: [] };
  } catch (error) {
    const [first] = error instanceof InvalidContract ? error.findings : [];
    if (!first) throw error;
    const notes = [`webhooks and callbacks are not sent until this is fixed: ${findingLine(first)}`];
    return { names: [], notes };
  }
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

/** The resources, each below the object that the examples of the path before it name. */
const below = (resources: readonly Resource[]): Resource[] =>
  resources.map((resource) => {
    const [path = ''] = resource.read.paths;
    const parameters = resource.parameters.map((own) => {
      const parent = path.slice(0, path.indexOf(`{${own.name}}`) + own.name.length + 2);
      const owner = resources.find(({ read }) => read !== resource.read && read.paths[0] === parent);
      const key = owner?.parameters.at(-1);
      return own.given || !key ? own : { ...own, example: key.example };
    });
    return { ...resource, parameters };
  });

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
      const given = Object.fromEntries(
        named.map(([name, { to }]) => [name, exampleOf(tables, to)]).filter(([, key]) => key !== undefined),
      ) as object;
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
  const { stored, keys = [] }: Partial<Table> = tables.find((one) => one.name === name) ?? {};
  if (!stored || !('read' in stored)) return undefined;
  return keyValue(keys.at(-1)?.type ?? 'JSON_VALUE', stored.parameters.at(-1)?.example);
}
