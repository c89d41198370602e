/**
 * Reads values whose names continue in brackets: `address[city]=Rome`, `tags[0]=red` and `tags[]=red`. OpenAPI 3.1 section
 * 4.8.12 leaves what is nested under `deepObject` undefined; this is how Stripe, Rails, PHP and qs write it.
 */
import { MalformedJson, parseJson } from '../json/parse';
import { type Holder, MAX_DEPTH } from '../json/values';
import type { DescribedValue } from '../operations/described-value';
import { beforeBrackets, Misplaced, type Pairs, type PairsReader, rethrow } from './pairs';
import { type Decode, isOpen, MalformedText, type Read, textOf, unlisted, Unservable } from './parts';

/** What stands behind a name: its texts, or what stands behind each of the brackets that follow it. */
type Branch = readonly string[] | Tree;
type Tree = Map<string, Branch>;

/**
 * What a name without brackets is, if its schema describes an object or a list alone. In a `form`, the text of an object is
 * JSON, and a list has a text for each item. Under `deepObject`, neither can be read.
 */
type Bare = 'form' | 'deepObject';

/** How the values of one schema are read. Those of its parts are compiled as they are needed: a schema may lead back to itself. */
class Node {
  readonly isObject: boolean;
  readonly isList: boolean;
  /** Whether a text may be the value itself. */
  readonly isText: boolean;
  readonly listed: ReadonlySet<string>;
  /** Whether the document describes or admits properties that it does not list. */
  readonly isOpen: boolean;
  private readonly readText: Read<string>;
  private readonly prefix: number;
  /** By name or index; undefined for a property that is not listed. */
  private readonly children = new Map<string | number | undefined, Node>();

  constructor(
    private readonly value: DescribedValue,
    private readonly bare: Bare,
    private readonly decode: Decode,
    private readonly known: Map<string, Node>,
  ) {
    const types = value.types()?.filter((type) => type !== 'null') ?? [];
    const others = types.filter((type) => type !== 'array' && type !== 'object');
    this.isObject = types.includes('object');
    this.isList = types.includes('array');
    this.isText = others.length > 0 || types.length === 0;
    this.listed = new Set(value.propertyNames());
    this.isOpen = isOpen(value);
    this.readText = this.isText ? textOf(others) : bare === 'form' && this.isObject ? parseJson : unreadable;
    this.prefix = Math.max(0, ...value.schemas().map(({ prefixItems }) => [prefixItems ?? []].flat().length));
  }

  /** @throws {Unservable} if the schema does not describe the properties that it does not list */
  property(name: string): Node {
    const listed = this.listed.has(name) ? name : undefined;
    return this.part(listed, () =>
      listed === undefined ? unlisted(this.value) : this.value.property(listed),
    );
  }

  item(index: number): Node {
    const at = Math.min(index, this.prefix);
    return this.part(at, () => this.value.item(at));
  }

  /** The nodes of all parts. */
  parts(): Node[] {
    const properties = this.isObject ? [...this.listed].map((name) => this.property(name)) : [];
    if (this.isObject) properties.push(this.part(undefined, () => unlisted(this.value)));
    const items = this.isList ? Array.from({ length: this.prefix + 1 }, (_, i) => this.item(i)) : [];
    return [...properties, ...items];
  }

  /** @throws {Unservable} if brackets cannot tell what they are */
  assertClear(): void {
    if (this.isObject && this.isList)
      throw new Unservable('its schema allows objects and lists, which brackets cannot distinguish');
  }

  /** Reads the texts of a name that no brackets follow. */
  readTexts(texts: readonly string[], holder: Holder, key: string | number, reading: Reading): void {
    const [text = '', another] = texts;
    if (this.isList && this.bare === 'form' && !(this.isText && another === undefined))
      this.readItems(texts, holder, key, reading);
    else if (another !== undefined) throw new MalformedText('is given more than once');
    else this.readText(this.decode(text), holder, key);
  }

  /** Reads a list of which each text is an item. */
  readItems(texts: readonly string[], holder: Holder, key: string | number, { steps }: Reading): void {
    const items: unknown[] = [];
    steps.push('');
    for (const [i, text] of texts.entries()) {
      steps[steps.length - 1] = String(i);
      this.item(i).readText(this.decode(text), items as unknown[] & Holder, i);
    }
    steps.pop();
    holder[key] = items;
  }

  private part(step: string | number | undefined, valueOf: () => DescribedValue): Node {
    const own = this.children.get(step);
    if (own) return own;
    const { bare, decode, known } = this;
    const value = valueOf();
    const id = value.identity();
    const node = known.get(id) ?? new Node(value, bare, decode, known);
    known.set(id, node);
    this.children.set(step, node);
    return node;
  }
}

const LACKS_BRACKETS = 'is an object or a list, so its name needs brackets';

const unreadable: Read<string> = () => {
  throw new MalformedText(LACKS_BRACKETS);
};

/** Reads the branches of one name. `steps` lead from the name to what is being read. */
class Reading {
  readonly steps: string[] = [];

  read(node: Node, branch: Branch, holder: Holder, key: string | number): void {
    if (!(branch instanceof Map)) node.readTexts(branch, holder, key, this);
    else if (node.isObject && node.isList)
      throw new MalformedText('may be an object or a list, which brackets cannot distinguish');
    else if (node.isList) this.readList(node, branch, holder, key);
    else if (node.isObject) this.readObject(node, branch, holder, key);
    else throw new MalformedText('is not an object or a list, so its name cannot have brackets');
  }

  private readList(node: Node, tree: Tree, holder: Holder, key: string | number): void {
    const texts = tree.get('');
    if (texts !== undefined) {
      if (tree.size > 1) throw new MalformedText('has items with and without an index');
      if (texts instanceof Map) throw new MalformedText('has [] before other brackets: expected an index');
      node.readItems(texts, holder, key, this);
      return;
    }
    const items: unknown[] = [];
    for (let i = 0; i < tree.size; i++) {
      const branch = tree.get(String(i));
      if (!branch) throw new MalformedText(`has ${tree.size} items, but none with the index ${i}`);
      this.steps.push(String(i));
      this.read(node.item(i), branch, items as unknown[] & Holder, i);
      this.steps.pop();
    }
    holder[key] = items;
  }

  private readObject(node: Node, tree: Tree, holder: Holder, key: string | number): void {
    const object: Holder = {};
    for (const [name, branch] of tree) {
      if (name === '__proto__') throw new MalformedText('has the name "__proto__", which is not accepted');
      const isListed = node.listed.has(name);
      if (name === '' && !isListed) throw new MalformedText('is an object: expected a name in its brackets');
      this.steps.push(name);
      const property = node.property(name);
      // What is not listed is left out, or rejected by the schema, whatever it holds.
      if (!isListed && !node.isOpen && branch instanceof Map) object[name] = {};
      else this.read(property, branch, object, name);
      this.steps.pop();
    }
    holder[key] = object;
  }
}

/** The steps in the brackets behind a name; undefined if they are not closed, or nested in each other. */
function stepsOf(brackets: string): string[] | undefined {
  const steps: string[] = [];
  for (let at = 0; at < brackets.length;) {
    const end = brackets.indexOf(']', at);
    const step = brackets.slice(at + 1, end);
    if (brackets[at] !== '[' || end < 0 || step.includes('[')) return undefined;
    if (steps.push(step) > MAX_DEPTH) throw new MalformedText(`is nested more than ${MAX_DEPTH} deep`);
    at = end + 1;
  }
  return steps;
}

function insert(top: Tree, path: readonly string[], texts: readonly string[]): void {
  let tree = top;
  for (const [i, step] of path.entries()) {
    const known = tree.get(step);
    const isLast = i === path.length - 1;
    if (known && (isLast || !(known instanceof Map)))
      throw new MalformedText('is given with and without brackets');
    const next: Branch = isLast ? texts : known instanceof Map ? known : new Map<string, Branch>();
    if (!known) tree.set(step, next);
    if (next instanceof Map) tree = next;
  }
}

/** Reads the values of one schema by the names that brackets continue. */
export interface BracketsReader {
  /** Whether brackets may follow the name: it is an object or a list. */
  readonly isNested: boolean;
  /** Whether a name without brackets has a value. */
  readonly isBare: boolean;
  /** The properties that the schema lists. */
  readonly listed: ReadonlySet<string>;
  /**
   * Removes the pairs of a name, and those whose names continue it, and sets `holder[name]`, if there are any.
   *
   * @throws {Misplaced} with a MalformedText or MalformedJson
   */
  readonly read: (pairs: Pairs, name: string, holder: Holder) => void;
}

/**
 * Compiles the reader of a value.
 *
 * @throws {Unservable} if a schema does not tell objects from lists, or under `deepObject` that of a part
 */
export function compileBrackets(value: DescribedValue, bare: Bare, decode: Decode): BracketsReader {
  const root = new Node(value, bare, decode, new Map());
  root.assertClear();
  if (bare === 'deepObject') assertAllClear(root);
  const { listed, isObject, isList, isText } = root;
  const isNested = isObject || isList;
  const isBare = isText || bare === 'form';
  /** The properties whose names have brackets: only here can they be told. */
  const bracketed = [...listed].filter((name) => /[[\]]/.test(name));
  const pathOf = (name: string, key: string): string[] => {
    const own = bracketed.find((property) => key === `${name}[${property}]`);
    const steps = own === undefined ? stepsOf(key.slice(name.length)) : [own];
    if (steps) return [name, ...steps];
    throw new MalformedText('has brackets that are not in pairs: expected name[property] or name[0]');
  };
  return {
    isNested,
    isBare,
    listed,
    read(pairs, name, holder) {
      const top: Tree = new Map();
      if (isBare && pairs.has(name)) top.set(name, pairs.take(name));
      for (const key of isNested ? pairs.continuing(name) : [])
        located([key], () => {
          insert(top, pathOf(name, key), pairs.take(key));
        });
      const branch = top.get(name);
      if (!branch) return;
      const reading = new Reading();
      located(
        [name],
        () => {
          reading.read(root, branch, holder, name);
        },
        reading.steps,
      );
    },
  };
}

/**
 * Reads each remaining pair as a property of a form. Where these are neither objects nor lists, brackets are part of a name.
 *
 * @throws {MalformedParameter}
 */
export function readOthers(
  place: string,
  { isNested, read }: BracketsReader,
  pairs: Pairs,
  holder: Holder,
): void {
  for (const key of pairs.keys()) {
    try {
      read(pairs, isNested ? beforeBrackets(key) : key, holder);
    } catch (error) {
      rethrow(error, place);
    }
  }
}

function assertAllClear(root: Node): void {
  const seen = new Set([root]);
  for (const node of seen) {
    node.assertClear();
    for (const part of node.parts()) seen.add(part);
  }
}

/** Adds the place of a fault. */
function located(names: readonly string[], step: () => void, further: readonly string[] = []): void {
  try {
    step();
  } catch (error) {
    if (error instanceof Unservable)
      throw new Misplaced(new MalformedText(`cannot be read from its brackets: ${error.message}`), [
        ...names,
        ...further,
      ]);
    if (error instanceof MalformedText || error instanceof MalformedJson)
      throw new Misplaced(error, [...names, ...further]);
    throw error;
  }
}

/** Compiles the reader of a parameter, or of a property of a form, by its name. */
export function compileBracketsReader(
  name: string,
  value: DescribedValue,
  bare: Bare,
  decode: Decode,
): PairsReader {
  const { isNested, isBare, listed, read } = compileBrackets(value, bare, decode);
  return {
    name,
    names: [
      ...(isBare ? [name] : []),
      ...(isNested ? [...listed].map((property) => `${name}[${property}]`) : []),
    ],
    others: isNested ? 'prefixed' : 'none',
    read: (pairs, holder) => {
      read(pairs, name, holder);
    },
  };
}

/** Why no reader has read a name, if one reads it with brackets only. */
export const lacksBrackets = (readers: readonly PairsReader[], unread: string): string | undefined =>
  readers.some(({ name, others }) => others === 'prefixed' && name === unread) ? LACKS_BRACKETS : undefined;
