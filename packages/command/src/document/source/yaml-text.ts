/** Reads YAML as the JSON value that it stands for (OpenAPI 3.1.1 section 4.4), within bounds. */
import {
  Composer,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  Parser,
  type Scalar,
  visit,
} from 'yaml';
import { BOUNDS } from './bounds';
import { type SourceText, TextError } from './source-text';

const SENTENCES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias cannot have an anchor or a tag',
  BAD_ALIAS: 'an anchor or alias has a name that YAML does not allow',
  BAD_COLLECTION_TYPE: 'expected a value of the type that its tag names',
  BAD_DIRECTIVE: 'expected a directive that YAML knows',
  BAD_DQ_ESCAPE: 'expected an escape sequence that YAML knows after "\\"',
  BAD_INDENT: 'expected another indentation, or a closing bracket before this place',
  BAD_PROP_ORDER: 'expected the anchor or tag directly before its value',
  BAD_SCALAR_START: 'a string that starts with this character must be in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'expected one key and its value on a line, got two keys: put a string with ": " in quotes',
  BLOCK_IN_FLOW: 'a list or object of several lines cannot be inside brackets',
  DUPLICATE_KEY: 'a key occurs twice in one object',
  IMPOSSIBLE: 'expected YAML, got text that is not valid YAML',
  KEY_OVER_1024_CHARS: 'a key without "?" may have at most 1024 characters',
  MISSING_CHAR: 'expected a character such as ":", ",", a quote or a bracket before this place',
  MULTILINE_IMPLICIT_KEY: 'a key without "?" must be on one line: an earlier line may lack its ":"',
  MULTIPLE_ANCHORS: 'a value can have only one anchor',
  MULTIPLE_DOCS: 'expected one YAML document, got another after ---',
  MULTIPLE_TAGS: 'a value can have only one tag',
  NON_STRING_KEY: 'expected a string as a key',
  RESOURCE_EXHAUSTION: `objects and lists are nested more than ${BOUNDS.depth} deep`,
  TAB_AS_INDENT: 'expected spaces for indentation, got a tab',
  TAG_RESOLVE_FAILED: 'expected a value without a tag, or with one of JSON that describes it, such as !!str',
  UNEXPECTED_TOKEN: 'expected the end of the value, a comma or a line break before this text',
};

/** @throws {TextError} for the first fault in the text */
export function readYaml(text: string): SourceText {
  const document = parse(text);
  return {
    value: new Reader().read(document.contents),
    placeOf: (steps) => placeIn(document.contents, steps),
    numbers: () => floatsIn(document),
  };
}

function parse(text: string): Document {
  // `uniqueKeys` would compare each name with all before it. Tags such as !!binary have no meaning in OpenAPI.
  const options = {
    intAsBigInt: true,
    schema: 'core',
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
  } as const;
  const [document, another] = new Composer(options).compose(new Parser().parse(text), true, text.length);
  if (!document) throw new TextError(SENTENCES.IMPOSSIBLE, 0);
  // Later errors often follow from the first one in the text.
  const faults = [...document.errors, ...document.warnings];
  const [first] = faults.toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (first) throw new TextError(SENTENCES[first.code], first.pos[0]);
  if (another) throw new TextError(SENTENCES.MULTIPLE_DOCS, another.range[0]);
  return document;
}

function placeIn(contents: unknown, steps: readonly string[]): number {
  let [node, found] = [contents, 0];
  for (const step of steps) {
    const pair: Pair | undefined = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
      : undefined;
    node = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined;
    const named = pair?.key ?? node;
    if (!isNode(named)) break;
    found = offsetOf(named);
  }
  return found;
}

function floatsIn(document: Document): (readonly [literal: string, offset: number])[] {
  const found: (readonly [string, number])[] = [];
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number') found.push([node.source ?? '', offsetOf(node)]);
    },
  });
  return found;
}

/** The value of an anchor while it is read. */
const OPEN = Symbol('open');
const MERGE = Symbol('<<');

/**
 * Reads the nodes in the order of the text, so that an alias finds the last anchor before it. It returns JSON values without
 * shared objects. Integers beyond 2^53 are bigints.
 */
class Reader {
  private readonly anchors = new Map<string, unknown>();
  private aliased = 0;

  /** @param depth how many objects and lists are around the node */
  read(node: unknown, depth = 0): unknown {
    if (isAlias(node)) return this.alias(node.source, offsetOf(node), depth);
    const isObject = isMap(node);
    if (!isObject && !isSeq(node) && !isScalar(node)) return null;
    const { anchor } = node;
    if (anchor !== undefined) this.anchors.set(anchor, OPEN);
    if (!isScalar(node)) checkDepth(depth + 1, offsetOf(node));
    const value = isObject
      ? this.object(node.items, depth + 1)
      : isSeq(node)
        ? node.items.map((item) => this.read(item, depth + 1))
        : scalar(node);
    if (anchor !== undefined) this.anchors.set(anchor, value);
    return value;
  }

  private alias(name: string, offset: number, depth: number): unknown {
    if (!this.anchors.has(name)) throw new TextError(`the alias *${name} has no anchor before it`, offset);
    const target = this.anchors.get(name);
    if (target === OPEN)
      throw new TextError(`the alias *${name} is inside the value of its own anchor`, offset);
    return this.copy(target, offset, depth);
  }

  private copy(value: unknown, offset: number, depth: number): unknown {
    if (++this.aliased > BOUNDS.aliased)
      throw new TextError(`the aliases of a file expand to more than ${BOUNDS.aliased} values`, offset);
    if (typeof value !== 'object' || value === null) return value;
    checkDepth(depth + 1, offset);
    const inner = (member: unknown) => this.copy(member, offset, depth + 1);
    if (Array.isArray(value)) return value.map(inner);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
  }

  private object(items: readonly Pair[], depth: number): object {
    const own = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    for (const { key, value } of items) {
      const name = this.nameOf(key, depth);
      if (name === MERGE) {
        for (const [inherited, member] of this.mergedFrom(value, offsetOf(key), depth))
          if (!merged.has(inherited)) merged.set(inherited, member);
      } else if (own.has(name))
        throw new TextError(`the key ${JSON.stringify(name)} occurs twice in one object`, offsetOf(key));
      else own.set(name, this.read(value, depth));
    }
    return Object.fromEntries([...merged, ...own]);
  }

  /** The text of a name, as it is written: `1.0` is not `1` (OpenAPI 3.1.1 section 4.4: the failsafe schema). */
  private nameOf(key: unknown, depth: number): string | typeof MERGE {
    const target = isAlias(key) ? this.read(key, depth) : undefined;
    if (typeof target === 'string') return target;
    if (!isScalar(key))
      throw new TextError('expected a string as a key, got a list, an object or nothing', offsetOf(key));
    if (key.anchor !== undefined) this.read(key, depth);
    const { source, value, type } = key;
    if (type === 'PLAIN' && source === '<<') return MERGE;
    return typeof value === 'string' ? value : (source ?? '');
  }

  /** The members that a merge key adds (https://yaml.org/type/merge.html). */
  private mergedFrom(value: unknown, offset: number, depth: number): [string, unknown][] {
    const sources = isSeq(value) ? value.items : [value];
    return sources.flatMap((source) => {
      // Their members stand where those of the object do.
      const object = this.read(source, depth - 1);
      if (typeof object !== 'object' || object === null || Array.isArray(object))
        throw new TextError('the merge key << takes an object, or a list of objects', offset);
      return Object.entries(object);
    });
  }
}

function checkDepth(depth: number, offset: number): void {
  if (depth > BOUNDS.depth) throw new TextError(SENTENCES.RESOURCE_EXHAUSTION, offset);
}

const offsetOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);

function scalar(node: Scalar): unknown {
  const { value } = node;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TextError('expected a JSON number, which is finite and at most 1.8e308', offsetOf(node));
  const isSafe = typeof value === 'bigint' && Number.isSafeInteger(Number(value));
  return isSafe ? Number(value) : value;
}
