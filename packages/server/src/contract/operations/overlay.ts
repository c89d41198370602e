/** Actions of an overlay (https://spec.openapis.org/overlay/v1.0.0.html) that add responses to operations. */
import { isObject, joinPointer, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { lastStep } from '../document/json-pointer';
import { stringifyJson } from '../json/stringify';
import { type Operation, statusRange } from './operations';

/** An action of an overlay: what is added to each place that the target, a JSONPath, matches. */
export interface OverlayAction {
  readonly target: string;
  readonly description?: string;
  readonly update: JsonObject;
}

/** A condition of a JSONPath, what it says of an operation as it is written, and the statuses that it is made for. */
interface Condition {
  readonly text: string;
  readonly holds: (operation: JsonObject, root: JsonObject) => boolean;
  readonly statuses: readonly number[];
}

const CONDITIONS: readonly Condition[] = [
  { text: '', holds: () => true, statuses: [] },
  {
    text: ' && @.requestBody',
    holds: ({ requestBody }) => requestBody !== undefined,
    statuses: [408, 413, 415],
  },
  {
    text: ' && (@.security[*].* || $.security[*].* && !@.security)',
    holds: ({ security }, root) =>
      [security ?? root['security'] ?? []].flat().some((alternative) => members(alternative).length > 0),
    statuses: [401],
  },
  {
    text: " && !@.responses['204'] && (@.responses['200'].content || @.responses['201'].content)",
    holds: ({ responses }) => {
      const all = isObject(responses) ? responses : {};
      const hasContent = (status: string) => isObject(all[status]) && 'content' in all[status];
      return all['204'] === undefined && (hasContent('200') || hasContent('201'));
    },
    statuses: [406],
  },
  {
    // A JSONPath follows no reference to a response.
    text: " && !@.responses['204'] && (@.responses['200'] || @.responses['201'])",
    holds: ({ responses }) =>
      isObject(responses) && !('204' in responses) && ('200' in responses || '201' in responses),
    statuses: [406],
  },
];

/** JSONPaths (RFC 9535) that match these operations, none of which documents the status, and no others. */
export function targetsWithout(
  document: OpenApiDocument,
  operations: readonly Operation[],
  status: number,
): string[] {
  const wanted = new Set(operations.map(({ pointer }) => pointer));
  const written = members(document.at('/paths')).flatMap(([path, item]) =>
    members(item).flatMap(([method, operation]) => {
      if (!isObject(operation) || !isObject(operation['responses'])) return [];
      const { responses } = operation;
      return [{ pointer: joinPointer('/paths', path, method), operation, responses }];
    }),
  );
  const within = written.filter(({ pointer }) => wanted.has(pointer));
  const alone = [...wanted].filter((pointer) => within.every((one) => one.pointer !== pointer));
  const named = (one: { readonly operation: JsonObject }, operator: string) =>
    `@.operationId ${operator} ${inQuotes(String(one.operation['operationId']))}`;
  const ordered = CONDITIONS.toSorted((a, b) => +b.statuses.includes(status) - +a.statuses.includes(status));
  const paths = [[String(status)], [String(status), statusRange(status), 'default']].flatMap((keys) => {
    const open = written.filter(({ responses }) => keys.every((key) => !(key in responses)));
    const lacks = keys.map((key) => ` && !@.responses[${inQuotes(key)}]`).join('');
    return ordered.flatMap(({ text, holds }) => {
      const matched = open.filter(({ operation }) => holds(operation, document.root));
      if (!within.every((one) => matched.includes(one))) return [];
      const others = matched.filter((one) => !within.includes(one));
      const except = others.map((one) => ` && ${named(one, '!=')}`).join('');
      return { path: `@.responses${lacks}${text}${except}`, isExact: except === '' };
    });
  });
  const list = within.map((one) => named(one, '==')).join(' || ');
  // One that names no operation is about later ones too.
  const best = paths.find(({ isExact }) => isExact)?.path;
  const shortest = [list, ...paths.map(({ path }) => path)].sort((a, b) => a.length - b.length)[0];
  return [
    ...(within.length > 0 ? [`$.paths.*[?(${best ?? shortest})]`] : []),
    ...alone.map((pointer) => jsonPath(document, pointer)),
  ];
}

/** The JSONPath (RFC 9535) of one place of a document. */
export function jsonPath(document: OpenApiDocument, pointer: string): string {
  let path = '$';
  for (let end = pointer.indexOf('/', 1); pointer !== ''; end = pointer.indexOf('/', end + 1)) {
    const here = end < 0 ? pointer : pointer.slice(0, end);
    const holder = document.at(here.slice(0, here.lastIndexOf('/')));
    path += selector(lastStep(here), Array.isArray(holder));
    if (end < 0) break;
  }
  return path;
}

function selector(name: string, isIndex: boolean): string {
  if (isIndex) return `[${name}]`;
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${inQuotes(name)}]`;
}

const inQuotes = (name: string): string => `'${name.replace(/['\\]/g, '\\$&')}'`;

/** Actions as lines of YAML, to be pasted below `actions:`. */
export const overlayLines = (actions: readonly OverlayAction[]): string =>
  actions.map((action) => `  - ${yamlOf(action, '    ').trimStart()}`).join('\n');

/** An object in YAML, as Prettier formats it: names and nested objects each on a line of their own. */
const yamlOf = (value: object, indent: string): string =>
  Object.entries(value)
    .map(([name, member]: [string, unknown]) =>
      isObject(member) && Object.keys(member).length > 0
        ? `${indent}${inYaml(name)}:\n${yamlOf(member, `${indent}  `)}`
        : `${indent}${inYaml(name)}: ${inYaml(member)}`,
    )
    .join('\n');

/** A value in YAML on one line: texts in single quotes, or else as in JSON, which YAML contains. */
function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`;
  if (isObject(value) && Object.keys(value).length > 0)
    return `{ ${members(value)
      .map(([name, member]) => `${inYaml(name)}: ${inYaml(member)}`)
      .join(', ')} }`;
  if (typeof value !== 'string') return stringifyJson(value);
  if (/^[A-Za-z$](?:[\w /+;().-]*[\w/+;().-])?$/.test(value) && !WORDS.test(value)) return value;
  return /^[^'\\\p{C}\p{Z}]+$/u.test(value.replaceAll(' ', '_')) ? `'${value}'` : stringifyJson(value);
}

/** What YAML 1.1 and 1.2 read as another value than a text. */
const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i;
