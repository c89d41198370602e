/** The files of openapi/ of a new service: the document as it is, or converted to OpenAPI 3.1. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  visit,
} from 'yaml';
import { isObject, writeDocument } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { startsDocument } from '../document/publish/find-document';
import type { Source } from '../document/source/source';
import { wordsOf } from './names';

export interface DocumentFiles {
  /** The name of the main file. */
  readonly name: string;
  /** The text of each file, by its path below openapi/. */
  readonly files: Readonly<Record<string, string>>;
  /** What was done, for people; undefined: the files are those of the user. */
  readonly note: string | undefined;
}

/** @param kebab names the file if the user's name cannot stay */
export function documentFiles(source: Source, kebab: string): DocumentFiles {
  const [main = '', ...others] = source.files;
  const text = readFileSync(main, 'utf8');
  const name = nameOf(main, kebab);
  const folder = path.dirname(main);
  const parsed = parseDocument(text, { intAsBigInt: true, merge: true });
  const isConverted = parsed.get('openapi') !== source.document['openapi'];
  const inside = others.every((file) => isPart(path.relative(folder, file), file));
  if (!isConverted && inside && name === path.basename(main)) {
    const parts = others.map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]);
    return {
      name,
      files: Object.fromEntries([[name, text], ...parts]) as Record<string, string>,
      note: undefined,
    };
  }
  const whole = name.endsWith('.json')
    ? `${writeDocument(source.document, 2)}\n`
    : ((others.length === 0 ? edited(parsed, source.document) : undefined) ??
      stringify(source.document, { lineWidth: 120, aliasDuplicateObjects: false }));
  const done = [
    ...(name === path.basename(main) ? [] : [`renamed from ${JSON.stringify(path.basename(main))}`]),
    ...(isConverted ? ['converted to OpenAPI 3.1'] : []),
    ...(others.length > 0 ? [`bundled ${source.files.length} files into one`] : []),
  ];
  return { name, files: { [name]: whole }, note: done.length > 0 ? done.join(', and ') : undefined };
}

/** Files of openapi/ that are the service's own. Some file systems ignore case. */
const OWN = /^(overlay|accepted-breaks)\./i;

/** Whether a part can stand in openapi/ under the name it has: nothing else is called so, and it is not a second document. */
const isPart = (name: string, file: string): boolean =>
  !name.startsWith('..') &&
  !OWN.test(name) &&
  (name.includes(path.sep) || !startsDocument(readFileSync(file, 'utf8')));

/** The name stands in package.json, a Makefile and a README: no character of it means anything to them. */
function nameOf(main: string, kebab: string): string {
  const { base, name, ext } = path.parse(main);
  const isKnown = /^\.(ya?ml|json)$/.test(ext);
  if (isKnown && /^\w[\w.-]*$/.test(base) && !OWN.test(base)) return base;
  const ending = isKnown ? ext : '.yaml';
  return (
    [`${wordsOf(name).join('-')}${ending}`, `${kebab}${ending}`].find(
      (one) => /^\w/.test(one) && !OWN.test(one),
    ) ?? `openapi${ending}`
  );
}

/** The YAML with the values of the converted document: comments and order stay. Undefined if it has aliases. */
function edited(yaml: Document, converted: JsonObject): string | undefined {
  const aliases: unknown[] = [];
  visit(yaml, { Alias: (_, alias) => void aliases.push(alias) });
  if (aliases.length > 0) return undefined;
  yaml.contents = changed(yaml, yaml.contents, converted);
  return yaml.toString({ lineWidth: 0 });
}

/** The node with this value: the same node, as far as it has it already. */
function changed(yaml: Document, node: unknown, value: unknown): Node {
  if (isMap(node) && isObject(value)) {
    const nameOfPair = ({ key }: Pair) => String(isScalar(key) ? key.value : key);
    node.items = node.items.filter((pair) => Object.hasOwn(value, nameOfPair(pair)));
    for (const [name, member] of Object.entries(value)) {
      const pair = node.items.find((one) => nameOfPair(one) === name);
      if (pair) pair.value = changed(yaml, pair.value, member);
      else node.add(yaml.createPair(name, member));
    }
    return node;
  }
  if (isSeq(node) && Array.isArray(value) && node.items.length === value.length) {
    node.items = value.map((item: unknown, i) => changed(yaml, node.items[i], item));
    return node;
  }
  const same = isScalar(node) && (node.value === value || Number(node.value) === value);
  return same ? node : yaml.createNode(value);
}
