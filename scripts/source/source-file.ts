import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import { isLargeInteger, lastStep, numberLiterals, readDocument } from '../../src/contract';
import { JsonPlaces } from './json-places';

/** The errors of a source, one a line: file, line, column and sentence. */
export class SourceError extends Error {
  override name = 'SourceError';
}

/** The maximum number of YAML aliases that one text may expand to. */
const MAX_ALIASES = 10_000;

/** One source file of a document: YAML or JSON. */
export class SourceFile {
  /** Integers beyond 2^53 are bigints. */
  readonly value: unknown;
  private readonly text: string;
  private parsed: Document | undefined;
  private places: JsonPlaces | undefined;

  /** @throws {SourceError} if the file cannot be read */
  constructor(readonly path: string) {
    try {
      this.text = readFileSync(path, 'utf8');
    } catch (error) {
      throw this.error(error);
    }
    this.value = this.isJson ? this.readJson() : this.readYaml();
  }

  /** The file name relative to the current folder, or absolute outside of it. */
  get name(): string {
    const name = path.relative(process.cwd(), this.path);
    return name.startsWith('..') ? this.path : name;
  }

  /**
   * The place of a pointer as `file:line:column`. If the pointer does not resolve, the place of its longest existing
   * part.
   */
  locate(pointer: string): string {
    if (this.isJson) return this.place((this.places ??= new JsonPlaces(this.text)).at(stepsOf(pointer)));
    let { contents: node }: { contents: unknown } = this.yaml();
    let found: Node | null = null;
    for (const step of stepsOf(pointer)) {
      const pair: Pair | undefined = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
        : undefined;
      node = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined;
      const named = pair?.key ?? node;
      if (!isNode(named)) break;
      found = named;
    }
    return this.place(found?.range?.[0] ?? 0);
  }

  /** One line for each number that a double cannot represent exactly. */
  inexactNumbers(): string[] {
    const found: string[] = [];
    const judge = (literal: string, offset: number) => {
      const value = Number(literal);
      if (Number.isFinite(value) && !isLargeInteger(literal) && !isExact(literal, value))
        found.push(`${this.place(offset)}: the number ${literal} is read as ${value}`);
    };
    // A double represents up to 15 digits exactly.
    if (!/\d[\d.]{15,}/.test(this.text)) return found;
    if (this.isJson) {
      for (const [literal, offset] of numberLiterals(this.text)) judge(literal, offset);
    } else {
      visit(this.yaml(), {
        Scalar: (_, { value, source = '', range }) => {
          if (typeof value === 'number') judge(source, range?.[0] ?? 0);
        },
      });
    }
    return found;
  }

  private get isJson(): boolean {
    return this.path.endsWith('.json');
  }

  private place(offset: number): string {
    const before = this.text.slice(0, offset);
    const start = before.lastIndexOf('\n') + 1;
    return `${this.name}:${before.split('\n').length}:${offset - start + 1}`;
  }

  private error(error: unknown): SourceError {
    const reason = error instanceof Error ? error.message.replaceAll(`${process.cwd()}/`, '') : String(error);
    return new SourceError(`${this.name}: expected an OpenAPI document: ${reason}`);
  }

  private readJson(): unknown {
    try {
      return readDocument(this.text);
    } catch (error) {
      throw this.error(error);
    }
  }

  private readYaml(): unknown {
    const document = this.yaml();
    // Later errors often follow from the first one in the text.
    const [first] = document.errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
    if (first) {
      const [message = ''] = first.message.split(/ at line \d+, column \d+/);
      throw new SourceError(`${this.place(first.pos[0])}: ${message}`);
    }
    try {
      return narrowed(document.toJS({ maxAliasCount: MAX_ALIASES }));
    } catch (error) {
      throw this.error(error);
    }
  }

  /** The parsed YAML. JSON is YAML too. */
  private yaml(): Document {
    this.parsed ??= parseDocument(this.text, { intAsBigInt: true, merge: true });
    return this.parsed;
  }
}

export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => lastStep(`/${step}`));

/** A copy without shared objects, in which safe integers are numbers. */
function narrowed(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(narrowed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, narrowed(member)]));
}

/** Whether a literal and the shortest text of its double are the same decimal. */
function isExact(literal: string, double: number): boolean {
  const [a, b] = [literal.replace(/^\+/, ''), String(double)].map(decimal);
  return a === undefined || b === undefined || a === b;
}

/** The canonical form of a decimal: its significant digits and its exponent. */
function decimal(text: string): string | undefined {
  const match = /^(-?)0*(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const zeros = digits.length - significant.length;
  return significant === '' ? '0' : `${sign}${significant}e${Number(exponent) - fraction.length + zeros}`;
}
