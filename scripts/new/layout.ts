/** Decides every file of a new service from its document. */
import { compileContract, isObject, OpenApiDocument, type Operation } from '../../src/contract';
import type { Source } from '../source/source';
import { type Action, jsonPath } from './action';
import { authFile, schemesOf } from './auth-files';
import { documentFiles } from './document-files';
import { collectionsOf, domainFile, storageFile } from './domain-files';
import { errorBodyOf } from './error-body';
import { errorsFile, otherBodies, ownKinds } from './errors-file';
import type { Names } from './names';
import { overlayFor } from './overlay';
import { type Options, projectFiles } from './project-files';
import { allPathParameters, listedIn, resourcesOf } from './resources';
import { toServable } from './servable';
import { errorResponses, type ErrorBody, succeedsByDefault, usualErrorBody } from './survey';
import { CONTRACT_TEST, examplesFile, prepare, serviceFile, storedExamples } from './test-files';
import { typesOf } from './types';

export interface Layout {
  /** The text of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
  /** What the user should know: one sentence each. */
  readonly notes: readonly string[];
}

/**
 * @param built the package: its file in vendor/, and what its toolchain needs
 * @throws {InvalidContract} if a part of the document can neither be served nor left out
 */
export async function layOut(
  source: Source,
  names: Names,
  built: Pick<Options, 'tarball' | 'toolchain'>,
): Promise<Layout> {
  const { root, actions, total } = toServable(source.document);
  const servable = new OpenApiDocument(root);
  const { served } = compileContract(root, undefined);
  const resources = resourcesOf(servable, served.values());
  const found = usualErrorBody(servable, errorResponses(servable, served.keys()));
  const parameters = [
    ...resources.flatMap((resource) => resource.parameters),
    ...allPathParameters(servable, served.keys(), resources),
  ];
  const overlay = await overlayFor(source.document, root, actions, found, parameters);

  // The published document, as `make generate` makes it.
  const document = new OpenApiDocument(overlay.root);
  const contract = compileContract(overlay.root, undefined);
  const operations = [...contract.served.keys()];
  const responses = errorResponses(document, operations);
  const usual = found ?? standardBody(document, responses.length);
  const kinds = ownKinds(responses);
  const others = otherBodies(document, contract.served.values(), responses, usual);
  const types = typesOf(document);
  const documented = responses.find(({ content }) => content.some(({ key }) => key === usual.mediaType));
  const type = types.of(usual.schema, {
    operationId: documented?.operation.operationId ?? '',
    status: documented?.key ?? '',
    mediaType: usual.mediaType,
  });
  const listed = listedIn(document, contract.served.values(), resources);
  const collections = collectionsOf([...resources, ...listed], names, types);
  const examples = storedExamples(resources, types);
  const schemes = schemesOf(document, operations);
  const prepared = prepare(document, [...contract.served.values()], resources, kinds);
  const { name, files, note } = documentFiles(source, names.kebab);
  const removed = actions.filter(({ remove }) => remove);

  const paths = Object.entries(files).map(([file, text]) => [`openapi/${file}`, text]);
  const notes = [
    ...(note === undefined ? [] : [`openapi/${name} is ${note}`]),
    ...(found
      ? []
      : [
          `the document has no error body: openapi/overlay.yaml adds that of RFC 9457. For another one, add its schema to the document, change the overlay, and src/errors.ts with it`,
        ]),
    ...successes(document, contract.served.keys(), actions),
    ...leftOut(removed),
    `served ${operations.length} of ${total} operations`,
  ];
  return {
    notes,
    files: {
      ...projectFiles({ names, schemes, document: name, ...built }),
      ...(Object.fromEntries(paths) as Record<string, string>),
      'openapi/overlay.yaml': overlay.text,
      'src/auth.ts': authFile(schemes),
      'src/errors.ts': errorsFile(usual, type, kinds, others),
      [`src/${names.kebab}/${names.kebab}-store.ts`]: domainFile(names, collections),
      'src/storage/open.ts': storageFile(names, collections),
      'tests/contract/contract.test.ts': CONTRACT_TEST,
      ...(examples.length > 0 ? { 'tests/contract/examples.json': examplesFile(examples) } : {}),
      'tests/contract/service.ts': serviceFile(names, prepared, {
        examples,
        collections,
        operations,
        kinds,
        usual,
        uniform: others.length === 0,
      }),
    },
  };
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

/** The body that the overlay adds. */
function standardBody(document: OpenApiDocument, responses: number): ErrorBody {
  const { schemas } = document.at('/components') as { schemas: Record<string, unknown> };
  const name = 'ServerProblem' in schemas ? 'ServerProblem' : 'Problem';
  const schema = `/components/schemas/${name}`;
  const part = errorBodyOf(document, schema);
  if (!part || responses === 0) throw new Error(`${schema}: expected an error body`);
  return { mediaType: 'application/problem+json', schema, part };
}
