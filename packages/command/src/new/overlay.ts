/** Writes the overlay of a service: what this server answers beyond its document, and what it leaves out. */
import { openapiOverlay } from 'openapi-format';
import { isSeq, parseDocument, visit } from 'yaml';
import {
  Codecs,
  compileContract,
  joinPointer,
  jsonPath,
  members,
  OpenApiDocument,
  type OverlayAction,
  SHORT_MESSAGE,
  responseActions,
  type ServedOperation,
  undocumentedResponses,
} from 'contract-first-server/tools';
import { type JsonObject, Problem } from 'contract-first-server';
import { ERRORS, type OperationalKind, statusIn } from 'contract-first-server/runtime';
import { Fact, says, valueOf } from './errors/error-body';
import {
  bodiless,
  type ErrorBody,
  type ErrorResponse,
  errorResponses,
  otherBodies,
  SERVER_STATUSES,
  succeedsByDefault,
} from './errors/errors';
import { keyActions } from './idempotent';
import type { Lack } from './lack';
import { readLayout } from './layout-files';
import type { PathParameter } from './tables/resources';

/** An action of an overlay (https://spec.openapis.org/overlay/v1.0.0.html#action-object). */
export type Action = Omit<OverlayAction, 'update'> & { readonly update?: JsonObject; readonly remove?: true };

export interface Overlay {
  readonly text: string;
  /** The body of most errors. */
  readonly usual: ErrorBody;
  /** The document with all that the overlay adds. */
  readonly root: JsonObject;
}

const FILE = 'openapi/overlay.yaml';

/** The schema of errors for a document without one (RFC 9457). */
export const STANDARD: JsonObject = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
  required: ['title', 'status'],
  properties: {
    type: { type: 'string', format: 'uri-reference', examples: ['about:blank'] },
    title: { type: 'string', examples: ['An error'] },
    status: { type: 'integer', minimum: 100, maximum: 599, examples: [400] },
    detail: { type: 'string', examples: ['What was expected, and what was got.'] },
  },
};

/** The body of errors of that schema. */
const standardBody = (name: string): ErrorBody => ({
  mediaType: 'application/problem+json',
  schema: `/components/schemas/${name}`,
  shape: {
    type: new Fact('blank'),
    title: new Fact('title'),
    status: new Fact('status'),
    detail: new Fact('message'),
  },
});

/**
 * @param given the document of the user
 * @param document the one that can be served, with its operations
 * @param actions those that lead to it
 * @param errors the body of its errors; undefined: it has none, and the overlay adds the standard one
 */
export async function overlayFor(
  given: JsonObject,
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  actions: readonly Action[],
  errors: ErrorBody | undefined,
  parameters: readonly PathParameter[],
  lacks: readonly Lack[],
): Promise<Overlay> {
  const components = members(document.at('/components/schemas')).map(([name]) => name);
  const standard = components.includes('Problem') ? 'ServerProblem' : 'Problem';
  const usual = errors ?? standardBody(standard);
  const schema = { $ref: `#${encodeURI(usual.schema)}` };
  const content = { [usual.mediaType ?? 'application/json']: { schema } };
  const responses = errorResponses(document, served);
  const own: Action[] = [
    ...actions,
    ...(document.at('/components') === undefined
      ? [{ target: '$', description: 'the document has no components', update: { components: {} } }]
      : []),
    ...exampleActions(document, parameters),
    ...uploadActions(document, served),
    ...keyActions(
      document,
      served.map(({ operation }) => operation),
    ),
    ...lacks.map((lack) =>
      'body' in lack
        ? {
            target: jsonPath(
              document,
              document.follow(joinPointer(lack.operation.pointer, 'requestBody')).pointer,
            ),
            description: 'its handler needs the properties that the schema of the body requires',
            update: { required: true },
          }
        : {
            target: jsonPath(document, joinPointer(lack.operation.pointer, 'responses')),
            description: 'how its handler refuses',
            update: { [lack.status]: { description: lack.description, content } },
          },
    ),
    ...(errors
      ? []
      : [
          {
            target: '$.components',
            description: 'the body of errors',
            update: { schemas: { [standard]: STANDARD } },
          },
        ]),
    // The errors of these operations would need the body of their success.
    ...served
      .filter(({ operation }) => succeedsByDefault(operation) && !operation.responses.has('4XX'))
      .map(({ operation }) => ({
        target: jsonPath(document, joinPointer(operation.pointer, 'responses')),
        description: 'default is the success, so errors need their own response',
        update: { '4XX': { description: 'The request was refused.', content } },
      })),
    ...bodiless(responses).map((pointer) => ({
      target: jsonPath(document, pointer),
      description: 'the body of an error, which the document does not describe',
      update: { content },
    })),
    ...promisedHeaders(document, responses).map((pointer) => ({
      target: jsonPath(document, pointer),
      description: 'left out: the refusals of this server itself do not have this header',
      remove: true as const,
    })),
  ];
  const added = refusalsOf(await apply(own, given), usual, () => schema);
  // Of the layout's own overlay: what stands before the actions.
  const [head = ''] = readLayout(FILE).split(/(?<=^actions:)/m);
  const overlay = parseDocument(`${head} []`);
  const all = overlay.get('actions');
  if (!isSeq(all)) throw new Error(`${FILE}: expected a list of actions`);
  all.flow = false;
  const nodes = [...own, ...added].map((action) =>
    overlay.createNode(action, { aliasDuplicateObjects: false }),
  );
  all.items.push(...nodes);
  visit(overlay, {
    Map: (_, map) => {
      if (map.has('$ref')) map.flow = true;
    },
  });
  return {
    text: overlay.toString({ lineWidth: 0 }),
    usual,
    root: await apply([...own, ...added], given),
  };
}

/** The actions that document the refusals of the server which operations lack. */
function refusalsOf(root: JsonObject, usual: ErrorBody, schemaOf: () => JsonObject): OverlayAction[] {
  const document = new OpenApiDocument(root);
  const served = [...compileContract(document).served.values()];
  const others = new Set(
    otherBodies(document, served, usual)
      .filter(({ shape }) => says(shape))
      .map((one) => `${one.operationId} ${one.status}`),
  );
  const undocumented = undocumentedResponses<OperationalKind>(
    served,
    ({ kind, message }, operation) => {
      const status = statusIn(ERRORS, kind, operation);
      const { number } = ERRORS[kind];
      const body = valueOf(usual.shape, { message, kind, status, number });
      return { status, contentType: usual.mediaType, body };
    },
    [new Problem<OperationalKind>('rateLimited', SHORT_MESSAGE, { 'Retry-After': '1' })],
  ).filter(
    ({ operation, answer: { status } }) =>
      succeedsByDefault(operation) || !others.has(`${operation.operationId} ${status}`),
  );
  return responseActions(document, served, undocumented, schemaOf);
}

/** The `required` of each header that the server would have to send with a refusal of its own. */
function promisedHeaders(document: OpenApiDocument, responses: readonly ErrorResponse[]): string[] {
  const pointers = responses
    .filter(({ key }) => SERVER_STATUSES.has(key))
    .flatMap(({ pointer }) => {
      const headers = joinPointer(pointer, 'headers');
      return members(document.at(headers))
        .filter(([name]) => !OWN_HEADERS.test(name))
        .map(([name]) => document.follow(joinPointer(headers, name)))
        .flatMap((header) =>
          header.value['required'] === true ? joinPointer(header.pointer, 'required') : [],
        );
    });
  return [...new Set(pointers)];
}

/** Headers that the server sends with its refusals. */
const OWN_HEADERS = /^(www-authenticate|retry-after|allow)$/i;

type OverlaySet = Parameters<typeof openapiOverlay>[1]['overlaySet'];

/** A copy of a document with what the actions add and remove. */
async function apply(actions: readonly Action[], root: JsonObject): Promise<JsonObject> {
  const overlaySet = { overlay: '1.0.0', actions } as OverlaySet;
  const { data } = (await openapiOverlay(structuredClone(root), { overlaySet })) as { data: JsonObject };
  return data;
}

/** The limit of each body that holds files: that of all other bodies, 100 kB, is less than most files have. */
function uploadActions(document: OpenApiDocument, served: readonly ServedOperation[]): Action[] {
  const codecs = new Codecs();
  return served.flatMap(({ operation: { pointer, bodyLimit, requestBody } }) =>
    bodyLimit === undefined &&
    requestBody?.content.some((media) =>
      ['binary', 'multipart'].includes(codecs.of({ document, ...media }).name),
    )
      ? [
          {
            target: jsonPath(document, pointer),
            description: 'an upload may be larger than other bodies',
            update: { 'x-body-limit': 10_485_760 },
          },
        ]
      : [],
  );
}

/** An example for each path parameter without one: the stored object that it names is prepared for tests. */
function exampleActions(document: OpenApiDocument, parameters: readonly PathParameter[]): Action[] {
  const actions = new Map<string, Action>();
  for (const { pointer, example, given } of parameters) {
    if (given || example === undefined || actions.has(pointer)) continue;
    const description = 'an example, which the tests use';
    actions.set(pointer, { target: jsonPath(document, pointer), description, update: { example } });
  }
  return [...actions.values()];
}
