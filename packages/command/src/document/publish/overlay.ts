/** Applies openapi/overlay.yaml, an OpenAPI Overlay (https://spec.openapis.org/overlay/v1.0.0.html), action by action. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { JSONPathSyntaxError, parse } from 'jsonpathly';
import { openapiOverlay } from 'openapi-format';
import {
  isObject,
  joinPointer,
  OpenApiDocument,
  operationPlaces,
  writeDocument,
} from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { OVERLAY, root } from '../../paths';
import { SourceError } from '../source/source';
import { SourceFile } from '../source/source-file';
import { differences } from './differences';
import { type Idle, idleParts, normalized } from './overlay-target';
import { RenamedNames } from './renamed-names';

/** The document with what the overlay adds. */
export interface Overlaid {
  readonly document: JsonObject;
  /** One sentence for each alternative of a filter that matches nothing. */
  readonly remarks: readonly string[];
}

type OverlaySet = Parameters<typeof openapiOverlay>[1]['overlaySet'];
type Action = OverlaySet['actions'][number];

/** @throws {SourceError} for an overlay that is wrong, or of which a part has no effect */
export async function overlay(document: JsonObject): Promise<Overlaid> {
  const file = path.join(root, OVERLAY);
  if (!existsSync(file)) return { document, remarks: [] };
  const overlaySet = readOverlay(file);
  const names = new RenamedNames(document);
  const [wrong, remarks]: [string[], string[]] = [[], []];
  let data = structuredClone(document);
  for (const [i, action] of overlaySet.actions.entries()) {
    const place = `${OVERLAY}#/actions/${i}`;
    const idle = idleParts(data, action.target);
    for (const part of idle)
      (part.isAlternative ? remarks : wrong).push(
        `${place}: ${idleSentence(action.target, part, data, names)}`,
      );
    if (idle.some(({ part }) => part === undefined)) continue;
    const applied = await apply(data, overlaySet, action);
    if (applied === undefined)
      wrong.push(
        `${place}: its update does not fit what ${action.target} matches: expected an object for an object, and a value for a value`,
      );
    else data = applied;
  }
  wrong.push(...contradictions(document, data));
  if (wrong.length > 0) throw new SourceError(wrong.join('\n'));
  return { document: data, remarks };
}

/** The document after one action, which changes its argument; undefined if the action has no effect. */
async function apply(
  data: JsonObject,
  overlaySet: OverlaySet,
  action: Action,
): Promise<JsonObject | undefined> {
  const actions = [{ ...action, target: normalized(action.target) }];
  const { error } = console;
  console.error = () => undefined; // the library prints sentences of its own about an action without effect
  try {
    const result: { data: JsonObject; resultData: JsonObject } = await openapiOverlay(data, {
      overlaySet: { ...overlaySet, actions },
    });
    return [result.resultData['unusedActions']].flat().length > 0 ? undefined : result.data;
  } finally {
    console.error = error;
  }
}

/** What matches nothing, and what to write instead. */
function idleSentence(
  target: string,
  { part, without }: Idle,
  data: JsonObject,
  names: RenamedNames,
): string {
  const later = names.follow(target, (one) => matches(data, one));
  const what = part === undefined ? target : `${part} in ${target}`;
  const line = (text: string) => `\`target: ${JSON.stringify(text)}\``;
  if (later !== undefined) return `${what} matches nothing, because a name has changed: write ${line(later)}`;
  return `${what} matches nothing: ${without === undefined ? 'delete the action' : `remove it, as in ${line(without)}`}`;
}

const matches = (data: JsonObject, target: string): boolean => idleParts(data, target).length === 0;

/**
 * Errors for values that the overlay changes instead of adding: often two components share a name. It may remove values, and replace
 * an operationId that several operations have, which OpenAPI forbids.
 */
function contradictions(document: JsonObject, overlaid: JsonObject): string[] {
  const replaced = [...differences(document, overlaid)].filter(
    ({ was, is }) => was !== undefined && is !== undefined,
  );
  if (replaced.length === 0) return []; // reading a document costs more than comparing it
  const replaceable = repeatedIds(new OpenApiDocument(document));
  return replaced
    .filter(({ pointer }) => !replaceable.includes(pointer))
    .map(
      ({ pointer, was, is }) =>
        `${OVERLAY}, at #${pointer}: the document has ${writeDocument(was)}, the overlay has ${writeDocument(is)}: change the document, because an overlay can add and remove, but not replace`,
    );
}

/** The pointers of the operationIds that several operations have. */
function repeatedIds(document: OpenApiDocument): string[] {
  const idOf = (pointer: string) => document.follow(pointer).value['operationId'];
  return [...Map.groupBy(operationPlaces(document), ({ pointer }) => idOf(pointer)).values()]
    .filter(({ length }) => length > 1)
    .flatMap((all) => all.map(({ pointer }) => joinPointer(pointer, 'operationId')));
}

const ROOT = ['overlay', 'info', 'extends', 'actions'];
const ACTION = ['target', 'description', 'update', 'remove', 'copy'];

/** @throws {SourceError} if the file is not an overlay */
function readOverlay(file: string): OverlaySet {
  const { value } = new SourceFile(file);
  const actions = isObject(value) ? value['actions'] : undefined;
  if (!isObject(value) || !Array.isArray(actions))
    throw new SourceError(`${OVERLAY}: expected a list of actions, each with its target`);
  const { overlay: given = '1.0.0' } = value;
  const version = typeof given === 'string' ? given : JSON.stringify(given);
  const wrong = [
    ...unknownKeys(OVERLAY, value, ROOT),
    ...(/^1\.[01]\.\d+$/.test(version)
      ? []
      : [`${OVERLAY}#/overlay: expected the version 1.0.0 or 1.1.0, got ${version}`]),
    ...actions.flatMap((action: unknown, i) => faultsOf(action, `${OVERLAY}#/actions/${i}`, version)),
  ];
  if (wrong.length > 0) throw new SourceError(wrong.join('\n'));
  return value as OverlaySet;
}

const unknownKeys = (place: string, value: JsonObject, known: readonly string[]): string[] =>
  Object.keys(value)
    .filter((key) => !known.includes(key) && !key.startsWith('x-'))
    .map((key) => `${place}: expected only ${known.join(', ')} and x-..., got ${key}`);

function faultsOf(action: unknown, place: string, version: string): string[] {
  if (!isObject(action) || typeof action['target'] !== 'string')
    return [`${place}: expected an action with a target, got ${JSON.stringify(action)}`];
  const { target, remove, update, copy } = action;
  const is11 = version.startsWith('1.1.');
  const fault = targetFault(target);
  return [
    ...unknownKeys(place, action, is11 ? ACTION : ACTION.filter((key) => key !== 'copy')),
    ...(fault === undefined ? [] : [`${place}/target: ${fault}`]),
    ...(remove === undefined || typeof remove === 'boolean'
      ? []
      : [`${place}/remove: expected true, got ${JSON.stringify(remove)}`]),
    ...(remove === true || update !== undefined || copy !== undefined
      ? []
      : [`${place}: expected update or remove: true for ${target}`]),
  ];
}

/** Why a text is no target; undefined if it is one. */
function targetFault(target: string): string | undefined {
  const expected = `expected a JSONPath (RFC 9535) such as $.paths['/things'].get, got ${target}`;
  try {
    parse(target);
    return target.startsWith('$') ? undefined : expected;
  } catch (error) {
    if (!(error instanceof JSONPathSyntaxError)) throw error;
    return `${expected}, which is invalid from character ${error.charPositionInLine} on`;
  }
}
