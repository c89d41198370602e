/** Writes the overlay of a service: what this server answers beyond its document, and what it leaves out. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openapiOverlay } from 'openapi-format';
import { isMap, isSeq, parseDocument } from 'yaml';
import {
  isObject,
  joinPointer,
  type JsonObject,
  members,
  OpenApiDocument,
  readOperations,
} from '../../src/contract';
import { type Action, jsonPath } from './action';
import { HERE } from './project';
import type { PathParameter } from './resources';
import {
  bodiless,
  type ErrorBody,
  type ErrorResponse,
  errorResponses,
  SERVER_STATUSES,
  succeedsByDefault,
} from './survey';

export interface Overlay {
  readonly text: string;
  /** The document with all that the overlay adds. */
  readonly root: JsonObject;
}

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
const HEAD = `# yaml-language-server: $schema=https://spec.openapis.org/overlay/1.0/schema/2024-10-22
# What this server adds to the document, and what it leaves out, as an OpenAPI Overlay
# (https://spec.openapis.org/overlay/v1.0.0.html). \`make generate\` reports an action without a target as an error: delete it.
`;

/**
 * @param given the document of the user
 * @param root the document that can be served
 * @param actions those that lead to it
 * @param errors the body of its errors; undefined: it has none, and the overlay adds the standard one
 */
export async function overlayFor(
  given: JsonObject,
  root: JsonObject,
  actions: readonly Action[],
  errors: ErrorBody | undefined,
  parameters: readonly PathParameter[],
): Promise<Overlay> {
  const document = new OpenApiDocument(root);
  const schemas = new Set(members(document.at('/components/schemas')).map(([name]) => name));
  const standard = schemas.has('Problem') ? 'ServerProblem' : 'Problem';
  const mediaType = errors?.mediaType ?? 'application/problem+json';
  const schema = { $ref: `#${encodeURI(errors?.schema ?? `/components/schemas/${standard}`)}` };
  const content = { [mediaType]: { schema } };
  const text = withoutClashes(ownOverlay(), root)
    .replaceAll('application/json:', `${mediaType}:`)
    .replaceAll("'#/components/schemas/Error'", `'${schema.$ref.replaceAll("'", "''")}'`);
  const overlay = parseDocument(text);
  const all = overlay.get('actions');
  if (!isSeq(all)) throw new Error('openapi/overlay.yaml: expected a list of actions');
  if (!errors) overlay.setIn(['actions', 0, 'update', 'schemas'], { [standard]: STANDARD });
  const responses = errorResponses(document, readOperations(document));
  const before: Action[] = [
    ...actions,
    ...(root['components'] === undefined
      ? [{ target: '$', description: 'the document has no components', update: { components: {} } }]
      : []),
    ...exampleActions(document, parameters),
  ];
  const after = bodiless(responses).map((pointer): Action => ({
    target: jsonPath(document, pointer),
    description: 'the body of an error, which the document does not describe',
    update: { content },
  }));
  // The errors of these operations would need the body of their success.
  const others = [...readOperations(document)]
    .filter((operation) => succeedsByDefault(operation) && !operation.responses.has('4XX'))
    .map(({ pointer }): Action => ({
      target: jsonPath(document, joinPointer(pointer, 'responses')),
      description: 'default is the success, so errors need their own response',
      update: { '4XX': { description: 'The request was refused.', content } },
    }));
  const promised = promisedHeaders(document, responses).map((pointer): Action => ({
    target: jsonPath(document, pointer),
    description: 'left out: the refusals of this server itself do not have this header',
    remove: true,
  }));
  all.items.unshift(...before.map((action) => overlay.createNode(action)));
  all.items.push(...[...others, ...after, ...promised].map((action) => overlay.createNode(action)));
  await dropUnused(overlay, given);
  overlay.setIn(['info', 'title'], 'What this server adds to the document, and what it leaves out');
  overlay.commentBefore = null;
  const applied = await apply(overlay.toJS() as OverlaySet, given);
  return { text: `${HEAD}${String(overlay)}`, root: applied.data };
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

/** The overlay of the plant store without what is about plants. */
function ownOverlay(): string {
  const text = readFileSync(path.join(HERE, 'openapi/overlay.yaml'), 'utf8');
  const overlay = text.slice(text.indexOf('overlay:'));
  return overlay.slice(0, overlay.lastIndexOf('  - target:'));
}

/** Renames the components of the overlay whose names the document has too. */
function withoutClashes(text: string, root: JsonObject): string {
  const components = root['components'];
  if (!isObject(components)) return text;
  let renamed = text;
  for (const section of ['responses', 'headers']) {
    for (const [name] of members(components[section]))
      renamed = renamed
        .replaceAll(`'#/components/${section}/${name}'`, `'#/components/${section}/Server${name}'`)
        .replace(new RegExp(`^( {8})${escaped(name)}:`, 'm'), `$1Server${name}:`);
  }
  return renamed;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

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
