/** Reads YAML as the JSON value that it stands for (OpenAPI 3.1.1 section 4.4), within bounds. */
import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Parser,
  type Scalar,
} from 'yaml';
import { BOUNDS } from './bounds';
import { copyOf } from './values';

/** A fault of a text, with its offset in it. */
export class TextError extends Error {
  override name = 'TextError';
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const SENTENCES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias has no anchor and no tag of its own',
  BAD_ALIAS: 'an anchor or alias has a name that YAML does not allow',
  BAD_COLLECTION_TYPE: 'expected a value of the kind that its tag names',
  BAD_DIRECTIVE: 'expected a directive that YAML knows',
  BAD_DQ_ESCAPE: 'expected an escape sequence that YAML knows after "\\"',
  BAD_INDENT: 'expected another indentation, or a closing bracket before this place',
  BAD_PROP_ORDER: 'expected the anchor or tag directly before its value',
  BAD_SCALAR_START: 'a text that begins with this character must be in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'expected a name and its value on one line, got two names: put a text with ": " in quotes',
  BLOCK_IN_FLOW: 'a list or object of several lines cannot stand inside brackets',
  DUPLICATE_KEY: 'a name stands twice in one object',
  IMPOSSIBLE: 'expected YAML, got text that it has no form for',
  KEY_OVER_1024_CHARS: 'a name without "?" has at most 1024 characters',
  MISSING_CHAR: 'expected a character such as ":", ",", a quote or a bracket before this place',
  MULTILINE_IMPLICIT_KEY: 'a name without "?" is on one line: a line before it may lack its ":"',
  MULTIPLE_ANCHORS: 'a value has one anchor at most',
  MULTIPLE_DOCS: 'expected one YAML document, got another one behind ---',
  MULTIPLE_TAGS: 'a value has one tag at most',
  NON_STRING_KEY: 'expected a text as a name',
  RESOURCE_EXHAUSTION: `objects and lists are nested more than ${BOUNDS.depth} deep`,
  TAB_AS_INDENT: 'expected spaces as indentation, got a tab',
  TAG_RESOLVE_FAILED: 'expected a value without a tag, or with one of JSON that describes it, such as !!str',
  UNEXPECTED_TOKEN: 'expected the end of the value, a comma or a line break before this text',
};

/** @throws {TextError} for the first fault in the text */
export function parseYaml(text: string): Document {
  const tokens = [...new Parser().parse(text)];
  checkDepth(tokens);
  // `uniqueKeys` would compare each name with all before it. Tags such as !!binary have no meaning in OpenAPI.
  const options = {
    intAsBigInt: true,
    schema: 'core',
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
  } as const;
  const [document, another] = new Composer(options).compose(tokens, true, text.length);
  if (!document) throw new TextError(SENTENCES.IMPOSSIBLE, 0);
  // Later errors often follow from the first one in the text.
  const faults = [...document.errors, ...document.warnings];
  const [first] = faults.toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (first) throw new TextError(SENTENCES[first.code], first.pos[0]);
  if (another) throw new TextError(SENTENCES.MULTIPLE_DOCS, another.range[0]);
  return document;
}

/** Without recursion: the composer recurses. */
function checkDepth(tokens: readonly CST.Token[]): void {
  let level: readonly CST.Token[] = tokens;
  for (let depth = 0; level.length > 0; depth++) {
    const [first] = level;
    if (depth > BOUNDS.depth && first) throw new TextError(SENTENCES.RESOURCE_EXHAUSTION, first.offset);
    level = level.flatMap((token) => {
      if (token.type === 'document') return collections(token.value);
      return 'items' in token
        ? token.items.flatMap((item) => [
            ...('key' in item ? collections(item.key) : []),
            ...('value' in item ? collections(item.value) : []),
          ])
        : [];
    });
  }
}

const collections = (token: CST.Token | null | undefined): CST.Token[] =>
  token && 'items' in token ? [token] : [];

/** The JSON value of a document, without shared objects. Integers beyond 2^53 are bigints. */
export const valueOfYaml = (document: Document): unknown => new Reader().read(document.contents);

interface Counted {
  readonly value: unknown;
  /** How many values it consists of. */
  readonly size: number;
  readonly depth: number;
}

/** Reads the nodes in the order of the text, so that an alias finds the last anchor before it. */
class Reader {
  private readonly anchors = new Map<string, Counted | undefined>();
  private aliased = 0;

  read(node: unknown): unknown {
    return this.counted(node).value;
  }

  private counted(node: unknown): Counted {
    if (isAlias(node)) return this.alias(node.source, offsetOf(node));
    if (!isScalar(node) && !isCollection(node)) return { value: null, size: 1, depth: 0 };
    const { anchor } = node;
    if (anchor !== undefined) this.anchors.set(anchor, undefined);
    const counted = isMap(node) ? this.object(node) : isSeq(node) ? this.list(node) : scalar(node);
    if (counted.depth > BOUNDS.depth) throw new TextError(SENTENCES.RESOURCE_EXHAUSTION, offsetOf(node));
    if (anchor !== undefined) this.anchors.set(anchor, counted);
    return counted;
  }

  private alias(name: string, offset: number): Counted {
    const target = this.anchors.get(name);
    if (!target) {
      const reason = this.anchors.has(name)
        ? 'stands inside the value of its own anchor'
        : 'has no anchor before it';
      throw new TextError(`the alias *${name} ${reason}`, offset);
    }
    this.aliased += target.size;
    if (this.aliased > BOUNDS.aliased)
      throw new TextError(`the aliases of a file stand for at most ${BOUNDS.aliased} values`, offset);
    return { ...target, value: copyOf(target.value) };
  }

  private list({ items }: { readonly items: readonly unknown[] }): Counted {
    return gathered(
      items.map((item) => this.counted(item)),
      (values) => values,
    );
  }

  private object({ items }: { readonly items: readonly Pair[] }): Counted {
    const own = new Map<string, Counted>();
    const merged = new Map<string, Counted>();
    for (const { key, value } of items) {
      const name = this.nameOf(key);
      if (name === MERGE) {
        for (const [inherited, member] of this.mergedFrom(value, offsetOf(key)))
          if (!merged.has(inherited)) merged.set(inherited, member);
        continue;
      }
      if (own.has(name))
        throw new TextError(`the name ${JSON.stringify(name)} stands twice in one object`, offsetOf(key));
      own.set(name, this.counted(value));
    }
    const all = new Map([...merged, ...own]);
    return gathered([...all.values()], (values) =>
      Object.fromEntries([...all.keys()].map((name, i) => [name, values[i]])),
    );
  }

  /** The text of a name, as it is written: `1.0` is not `1` (OpenAPI 3.1.1 section 4.4: the failsafe schema). */
  private nameOf(key: unknown): string | typeof MERGE {
    const target = isAlias(key) ? this.alias(key.source, offsetOf(key)).value : undefined;
    if (typeof target === 'string') return target;
    if (!isScalar(key))
      throw new TextError('expected a text as a name, got a list, an object or nothing', offsetOf(key));
    if (key.anchor !== undefined) this.counted(key);
    const { source, value, type } = key;
    if (type === 'PLAIN' && source === '<<') return MERGE;
    return typeof value === 'string' ? value : (source ?? '');
  }

  /** The members that a merge key adds (https://yaml.org/type/merge.html). */
  private mergedFrom(value: unknown, offset: number): [string, Counted][] {
    const sources = isSeq(value) ? value.items : [value];
    return sources.flatMap((source) => {
      const { value: object } = this.counted(source);
      if (typeof object !== 'object' || object === null || Array.isArray(object))
        throw new TextError('the merge key << takes an object, or a list of objects', offset);
      return Object.entries(object).map(([name, member]): [string, Counted] => [name, countedOf(member)]);
    });
  }
}

const MERGE = Symbol('<<');

const offsetOf = (node: unknown): number =>
  ((isPair(node) ? (node.key as Node) : (node as Node | null))?.range ?? [0])[0];

function scalar({ value, range }: Scalar): Counted {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TextError('expected a number of JSON: neither infinite, nor beyond 1.8e308', range?.[0] ?? 0);
  const isSafe = typeof value === 'bigint' && Number.isSafeInteger(Number(value));
  return { value: isSafe ? Number(value) : value, size: 1, depth: 0 };
}

function gathered(members: readonly Counted[], build: (values: unknown[]) => unknown): Counted {
  let [size, depth] = [1, 0];
  for (const member of members) {
    size += member.size;
    depth = Math.max(depth, member.depth);
  }
  return { value: build(members.map(({ value }) => value)), size, depth: depth + 1 };
}

/** A value of JSON, counted. */
function countedOf(value: unknown): Counted {
  if (typeof value !== 'object' || value === null) return { value, size: 1, depth: 0 };
  return { ...gathered(Object.values(value).map(countedOf), (values) => values), value };
}
