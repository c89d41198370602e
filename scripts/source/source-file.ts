import { type Document, isMap, isNode, isScalar, isSeq, type Node, type Pair, visit } from 'yaml';
import { isLargeInteger, MalformedJson, numberLiterals, parseJson, readDocument } from '../../src/contract';
import { BOUNDS } from './bounds';
import { JsonPlaces } from './json-places';
import { placeIn, readText, shownName, SourceError } from './read-file';
import { stepsOf } from './values';
import { parseYaml, TextError, valueOfYaml } from './yaml-value';

/** One source file of a document: YAML or JSON. */
export class SourceFile {
  /** Integers beyond 2^53 are bigints. */
  readonly value: unknown;
  private readonly text: string;
  private parsed: Document | undefined;
  private places: JsonPlaces | undefined;

  /**
   * @param most its greatest size in bytes
   * @throws {SourceError} if the file cannot be read
   */
  constructor(
    readonly path: string,
    most?: number,
  ) {
    this.text = readText(path, most);
    this.value = this.isJson ? this.readJson() : this.readYaml();
  }

  /** The file name relative to the current folder, or absolute outside of it. */
  get name(): string {
    return shownName(this.path);
  }

  /** Its size in bytes. */
  get size(): number {
    return Buffer.byteLength(this.text);
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
    return /\.json$/i.test(this.path);
  }

  private place(offset: number): string {
    return placeIn(this.path, this.text, offset);
  }

  private readJson(): unknown {
    try {
      // `JSON.parse` keeps the last of two equal names, and says where a fault is in words of its own.
      parseJson(this.text, {}, 'document', BOUNDS.depth);
      return readDocument(this.text);
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error;
      const [whole, offset] = / at position (\d+)$/.exec(error.message) ?? ['', '0'];
      const sentence = error.message.slice(0, error.message.length - whole.length);
      throw new SourceError(
        `${this.place(Number(offset))}: expected an OpenAPI document in JSON: ${sentence}`,
      );
    }
  }

  private readYaml(): unknown {
    try {
      return valueOfYaml(this.yaml());
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw new SourceError(`${this.place(error.offset)}: ${error.message}`);
    }
  }

  /** The parsed YAML of a file that is not JSON. */
  private yaml(): Document {
    this.parsed ??= parseYaml(this.text);
    return this.parsed;
  }
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
