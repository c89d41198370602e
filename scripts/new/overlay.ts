/** Writes the overlay of a service: what this server answers beyond its document, and what it leaves out. */
import { openapiOverlay } from 'openapi-format';
import { isMap, isSeq, parseDocument } from 'yaml';
import {
  joinPointer,
  type JsonObject,
  members,
  OpenApiDocument,
  type ServedOperation,
} from '../../src/contract';
import {
  bodiless,
  type ErrorBody,
  type ErrorResponse,
  errorResponses,
  SERVER_STATUSES,
  succeedsByDefault,
} from './errors';
import { jsonPath } from '../publish/json-path';
import { fill } from './fill';
import { readLayout } from './layout-files';
import type { PathParameter } from './resources';

/** An action of an overlay (https://spec.openapis.org/overlay/v1.0.0.html#action-object). */
export interface Action {
  readonly target: string;
  readonly description?: string;
  readonly update?: unknown;
  readonly remove?: true;
}

export interface Overlay {
  readonly text: string;
  /** The media type of errors, and the JSON pointer to their schema. */
  readonly mediaType: string;
  readonly schema: string;
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
): Promise<Overlay> {
  const components = members(document.at('/components/schemas')).map(([name]) => name);
  const standard = components.includes('Problem') ? 'ServerProblem' : 'Problem';
  const { mediaType = 'application/problem+json', schema = `/components/schemas/${standard}` } = errors ?? {};
  const ref = `#${encodeURI(schema)}`;
  const content = { [mediaType]: { schema: { $ref: ref } } };
  const text = fill(FILE, withoutClashes(readLayout(FILE), document), {
    '#own': false,
    'application/problem+json:': `${mediaType}:`,
    "'#/components/schemas/Problem'": `'${ref.replaceAll("'", "''")}'`,
  });
  const overlay = parseDocument(text);
  const all = overlay.get('actions');
  if (!isSeq(all)) throw new Error(`${FILE}: expected a list of actions`);
  if (!errors) overlay.setIn(['actions', 0, 'update', 'schemas'], { [standard]: STANDARD });
  const responses = errorResponses(document, served);
  const before: Action[] = [
    ...actions,
    ...(document.at('/components') === undefined
      ? [{ target: '$', description: 'the document has no components', update: { components: {} } }]
      : []),
    ...exampleActions(document, parameters),
  ];
  const after: Action[] = [
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
  all.items.unshift(...before.map((action) => overlay.createNode(action)));
  all.items.push(...after.map((action) => overlay.createNode(action)));
  await dropUnused(overlay, given);
  const applied = await apply(overlay.toJS() as OverlaySet, given);
  return { text: overlay.toString({ lineWidth: 0 }), mediaType, schema, root: applied.data };
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

/** Renames the components of the overlay whose names the document has too. */
function withoutClashes(text: string, document: OpenApiDocument): string {
  return ['responses', 'headers'].reduce(
    (all, section) =>
      members(document.at(`/components/${section}`)).reduce(
        (renamed, [name]) =>
          renamed
            .replaceAll(`'#/components/${section}/${name}'`, `'#/components/${section}/Server${name}'`)
            .replaceAll(`\n        ${name}:`, `\n        Server${name}:`),
        all,
      ),
    text,
  );
}

type OverlaySet = Parameters<typeof openapiOverlay>[1]['overlaySet'];

const apply = (
  overlaySet: OverlaySet,
  root: JsonObject,
): Promise<{ data: JsonObject; resultData: JsonObject }> =>
  openapiOverlay(structuredClone(root), { overlaySet });

/** Deletes the actions that match nothing, and the components that nothing refers to then. */
async function dropUnused(overlay: ReturnType<typeof parseDocument>, root: JsonObject): Promise<void> {
  const set = overlay.toJS() as OverlaySet;
  const { resultData } = await apply(set, root);
  const unused = [resultData['unusedActions']].flat();
  const used = set.actions.map((action) => !unused.includes(action));
  const all: unknown = overlay.get('actions');
  if (!isSeq(all)) return;
  for (let i = used.length - 1; i >= 0; i--) if (used[i] !== true) all.delete(i);
  const shared = all.items.find((item) => isMap(item) && item.get('target') === '$.components');
  if (!isMap(shared)) return;
  for (const section of ['responses', 'headers']) {
    const components = shared.getIn(['update', section]);
    if (!isMap(components)) continue;
    for (const { key } of [...components.items]) {
      const text = String(overlay);
      if (!text.includes(`#/components/${section}/${String(key)}'`)) components.delete(key);
    }
  }
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
